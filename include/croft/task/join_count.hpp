#pragma once
// How many of a task's children are unfinished. The parent's own worker counts the children that it ran without an
// atomic; thieves count those that they stole. This is the paper's has_stolen_child (002, IV.C) without a flag to test,
// and without the race that a test would have (stealing.md).

#include <atomic>
#include <cstdint>

#include <croft/task/join_policy.hpp>

namespace croft::detail {

template <class Worker, class Policy = by_hardware, template <class> class Atomic = std::atomic>
class join_count {
public:
    join_count() = default;
    // Set by the task itself, before it spawns.
    join_count& operator=(std::int32_t children) {
        unfinished_ = children;
        stolen_and_finished_.store(0, std::memory_order_relaxed);
        return *this;
    }
    join_count& operator+=(std::int32_t children) {
        unfinished_ += children;
        return *this;
    }

    // By the worker that runs the parent.
    void finished_here() { --unfinished_; }
    // Acquire: with zero, all that the children have written is seen (every thief's addition releases, and passes on
    // what those before it released).
    bool none_left() {
        return Policy::reaches(stolen_and_finished_, [this](std::int32_t ended) { return ended == unfinished_; });
    }

    // Called by another than the parent, which will end before none is left: a child of the parent's, for example.
    // Relaxed: the caller's end comes after this, by its thread or by what it acquires, in the same word. So no sum
    // that misses this child can have its spawner's end in it. The child's own end takes this back.
    void spawned_elsewhere() { stolen_and_finished_.fetch_sub(1, std::memory_order_relaxed); }

    // By a thief. The parent may be gone right afterwards.
    void finished_elsewhere() { Policy::add(stolen_and_finished_, std::int32_t{1}); }

private:
    std::int32_t unfinished_ = 0;
    Atomic<std::int32_t> stolen_and_finished_{0};
};

}  // namespace croft::detail
