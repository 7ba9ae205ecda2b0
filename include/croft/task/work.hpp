#pragma once
// The entry of a deque: a pointer to something that can be run. The thing itself lies where its parent waits for it, on
// the parent's stack, so that spawning allocates nothing.

#include <cstdint>

namespace croft::detail {

template <class Worker>
struct work {
    // Runs it and tells whoever waits for it. `here` is the worker that runs it, `owner` the one whose deque it came
    // from. Nothing of it may be touched afterwards: its owner may have gone on.
    void (*run)(work&, Worker& here, Worker& owner);
};

}  // namespace croft::detail
