#pragma once
// A loop whose steps may run at the same time and in any order (paper 002, figure 2c).
//
//     croft::parallel_for(0, n, [&](int i) { dst[i] = a[i] + b[i]; });
//     croft::parallel_for(v.begin(), v.end(), [](auto i) { *i *= 2; });
//     croft::parallel_for(0, n, [&](int first, int last) { add(first, last); }, {.grain = 32});  // whole intervals
//
// The body is shared by all workers. If a step throws, no further chunk is begun, and the exception is thrown here,
// once none is running any more; if several throw, one of theirs. Called outside of a scheduler's run() it uses
// task_scheduler::common().

#include <cstddef>
#include <type_traits>

#include <croft/task/cut_loop.hpp>
#include <croft/task/loop.hpp>

namespace croft {

namespace detail {

template <class Runtime, class Index, class Body>
class for_loop {
    using worker = typename Runtime::worker;

public:
    for_loop(Body& body, std::size_t grain) : body_(body), grain_(grain) {}

    void run(Index first, Index last) {
        try {
            go_through(first, last);
        } catch (...) {
            stop_.request();
            throw;
        }
    }

private:
    void go_through(Index first, Index last) {
        worker& here = *worker::current();
        for (std::size_t left = steps_between(first, last); left > grain_; left -= grain_) {
            if (here.should_split()) return split(first, last, left);
            const Index end = step_on(first, grain_);
            call_for_all(body_, first, end);
            first = end;
            if (stop_.requested()) return;
        }
        call_for_all(body_, first, last);
    }
    // Whole chunks on both sides.
    void split(Index first, Index last, std::size_t left) {
        const std::size_t kept = (left / grain_ + 1) / 2 * grain_;
        const Index middle = step_on(first, kept);
        const auto nearer = [&] { go_through(first, middle); };
        const auto farther = [this, middle, last] { run(middle, last); };
        Runtime::both(*worker::current(), nearer, farther);
    }

    Body& body_;
    const std::size_t grain_;
    loop_stop stop_;
};

}  // namespace detail

template <class Runtime = default_task_runtime, detail::loop_index Index, class Body>
void parallel_for(Index first, std::type_identity_t<Index> last, Body&& body, loop_options options = {}) {
    const std::size_t steps = detail::steps_between(first, last);
    if (steps == 0) return;
    detail::as_worker<Runtime>([&] {
        using body_type = std::remove_reference_t<Body>;
        const std::size_t grain = detail::grain_of(options, steps, detail::workers_of<Runtime>());
        if constexpr (detail::cuts_loops<Runtime>) {
            detail::cut_for_loop<Runtime, Index, body_type> loop(body, first, steps, grain);
            loop.run(*Runtime::worker::current());
        } else {
            detail::for_loop<Runtime, Index, body_type> loop(body, grain);
            loop.run(first, last);
        }
    });
}

}  // namespace croft
