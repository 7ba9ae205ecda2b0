#pragma once
// Where the run-times of paper 002, figure 3, invalidate and flush. They do so in all of these places; tests leave out
// one at a time (tests/programs/task_mutants.cpp).

#include <cstdint>

namespace croft::paper {

enum class place : std::uint8_t {
    //         invalidate                              flush
    spawn,   // 3b line 3, with the lock             line 5, before the lock is left
    deq,     // line 13                              line 15
    steal,   // line 27                              line 29
    stolen,  // line 33; 3c: before the mailbox      line 35, behind the child; 3c the same
    joined,  // line 40; 3c: behind stolen children
    handler  //                                      3c: behind what is handed over
};

}  // namespace croft::paper
