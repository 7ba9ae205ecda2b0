#pragma once
// A child as the paper's run-times know it. It names the task whose count goes down at its end. The scheduling loop
// takes it off, not the child (paper 002, figure 3).

#include <croft/task/work.hpp>

namespace croft::paper {

template <class Worker, class Count>
struct work {
    void (*run)(work&, Worker& here, Worker& owner);
    Count* parent = nullptr;  // p
};

}  // namespace croft::paper
