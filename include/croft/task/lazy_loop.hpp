#pragma once
// An interval of steps that is cut when, and only when, another worker wants part of it.
//
// A worker goes through its interval in chunks. After each it looks whether it should split (a flag of its own, where
// stealing is direct). If so, it gives away the farther half of the rest. So a loop that nobody helps with costs one
// look a chunk. A loop that somebody helps with costs a few splits for each thief, too (after Tzannes et al., "Lazy
// binary splitting", PPoPP 2010).
//
// A program has one or two run-times and many loops. So all but a loop's chunks is compiled once for each run-time.
// That part calls the chunks by a pointer: once for the loop, and once for each half that was cut off.

#include <croft/task/loop.hpp>

#if defined(CROFT_MANY_CORE)
#include <croft/task/loops_of_cores.hpp>
#else

#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/task/fork.hpp>
#include <croft/task/loop_body.hpp>
#include <croft/task/loop_ends.hpp>

namespace croft::detail {

// The steps have numbers. `into`: where a piece's value is, if the loop makes one.
template <class Runtime>
class lazy_loop {
public:
    // By any thread. Throws what a step threw, once none is running any more.
    [[gnu::noinline]] void run(std::size_t steps, const loop_options& options, void* into);

protected:
    using piece = void (*)(lazy_loop&, std::size_t first, std::size_t last, void* into);
    explicit lazy_loop(piece of_loop) : piece_(of_loop) {}

    // Calls chunk(from, to) for the piece of a loop that begins at `begin`. Where it should split, it calls split(next)
    // instead, which has to see to the rest.
    template <class Index, class Chunk, class Split>
    [[gnu::always_inline]] void chunk_by_chunk(Index begin, std::size_t first, std::size_t last, Chunk chunk,
                                               Split split) const {
        typename Runtime::worker& here = *Runtime::worker::current();
        // A copy, whose address nobody has. Behind a look at an atomic the compiler reads everything again that others
        // might have changed.
        const std::size_t grain = grain_;
        Index at = step_on(begin, first);
        const Index end = step_on(begin, last);
        for (std::size_t left = last - first; left > grain; left -= grain) {
            if (here.should_split()) [[unlikely]]
                return split(last - left);
            const Index next = step_on(at, grain);
            chunk(at, next);
            at = next;
            if (stop_.requested()) [[unlikely]]
                return;
        }
        chunk(at, end);
    }
    // Whole chunks on both sides.
    [[gnu::noinline]] void split(std::size_t first, std::size_t last, void* near, void* far);

private:
    void go_through(std::size_t first, std::size_t last, void* into) {
        try {
            piece_(*this, first, last, into);
        } catch (...) {
            stop_.request();
            throw;
        }
    }

    const piece piece_;
    std::size_t grain_ = 0;
    loop_stop stop_;
};

template <class Runtime>
void lazy_loop<Runtime>::run(std::size_t steps, const loop_options& options, void* into) {
    as_worker<Runtime>([&] {
        grain_ = grain_of(options, steps, workers_of<Runtime>());
        go_through(0, steps, into);
    });
}

template <class Runtime>
void lazy_loop<Runtime>::split(std::size_t first, std::size_t last, void* near, void* far) {
    const std::size_t middle = first + ((last - first) / grain_ + 1) / 2 * grain_;
    const auto nearer = [=, this] { go_through(first, middle, near); };
    const auto farther = [=, this] { go_through(middle, last, far); };
    Runtime::both(*Runtime::worker::current(), nearer, farther);
}

template <class Runtime, called_with What, class Index, class Body>
class for_loop : public lazy_loop<Runtime> {
    using base = lazy_loop<Runtime>;

public:
    for_loop(Body& body, Index begin) : base(&go_through), body_(body), begin_(begin) {}

private:
    static constexpr bool is_copied = may_be_copied<Body, Index> || may_be_copied<Body, Index, Index>;

    static void go_through(base& loop, std::size_t first, std::size_t last, void*) {
        for_loop& self = static_cast<for_loop&>(loop);
        std::conditional_t<is_copied, const Body, Body&> body = self.body_;  // a copy, as the grain is
        self.chunk_by_chunk(
            self.begin_, first, last, [&](Index from, Index to) { call_for_all<What>(body, from, to); },
            [&](std::size_t next) { self.split(next, last, nullptr, nullptr); });
    }

    Body& body_;
    const Index begin_;
};

template <class Runtime, called_with What, class Index, class Value, class Body, class Join>
class reduce_loop : public lazy_loop<Runtime> {
    using base = lazy_loop<Runtime>;

public:
    reduce_loop(const Value& identity, Body& body, Join& join, Index begin)
        : base(&go_through), identity_(identity), body_(body), join_(join), begin_(begin) {}

private:
    // Joins to the value that is there.
    static void go_through(base& loop, std::size_t first, std::size_t last, void* into) {
        reduce_loop& self = static_cast<reduce_loop&>(loop);
        Value& so_far = *static_cast<Value*>(into);
        self.chunk_by_chunk(
            self.begin_, first, last, [&](Index from, Index to) { so_far = self.fold(from, to, std::move(so_far)); },
            [&](std::size_t next) {
                Value other = self.identity_;
                self.split(next, last, &so_far, &other);
                so_far = self.join_(std::move(so_far), std::move(other));
            });
    }
    // By itself. Otherwise compilers keep the value in memory also within the loop, because it has to be there across
    // calls and exceptions. A sum of doubles then takes 1.6 times as long. A call is little beside a chunk.
    [[gnu::noinline]] Value fold(Index first, Index last, Value so_far) {
        return fold_interval<What>(body_, join_, first, last, std::move(so_far));
    }

    const Value& identity_;
    Body& body_;
    Join& join_;
    const Index begin_;
};

template <class Runtime, called_with What, class First, class Last, class Body>
void loop_over(First begin, Last end, Body&& body, loop_options options) {
    using Index = loop_type_t<First, Last>;
    const auto [first, last] = loop_ends(begin, end);
    const std::size_t steps = steps_between<Index>(first, last);
    if (steps != 0)
        for_loop<Runtime, What, Index, std::remove_reference_t<Body> >(body, first).run(steps, options, nullptr);
}

template <class Runtime, called_with What, class First, class Last, class Value, class Body, class Join>
Value reduce_over(First begin, Last end, Value identity, Body&& body, Join&& join, loop_options options) {
    using Index = loop_type_t<First, Last>;
    const auto [first, last] = loop_ends(begin, end);
    Value result = identity;
    const std::size_t steps = steps_between<Index>(first, last);
    if (steps != 0)
        reduce_loop<Runtime, What, Index, Value, std::remove_reference_t<Body>, std::remove_reference_t<Join> >(
            identity, body, join, first)
            .run(steps, options, &result);
    return result;
}

#if defined(CROFT_COMPILED)
extern template class lazy_loop<default_task_runtime>;
#endif

}  // namespace croft::detail

#endif
