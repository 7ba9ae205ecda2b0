#pragma once
// The loops of a simulated many-core's run-times. Some cut the intervals of loops themselves (cut_loop.hpp). Loops of
// the others split where should_split() says so. Native loops do the same (lazy_loop.hpp), but share their code. Here
// each loop has its own, because the programs of the papers were measured with it.

#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/task/loop.hpp>
#include <croft/task/loop_body.hpp>
#include <croft/task/loop_ends.hpp>

#if defined(CROFT_MANY_CORE)  // or the names are lazy_loop.hpp's

namespace croft::detail {

// A run-time that cuts the intervals of loops itself, and brings the loops: for_loop and reduce_loop.
template <class Runtime>
concept cuts_loops = requires { typename Runtime::loop; };

template <class Runtime, called_with What, class Index, class Body>
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
        // Copies, whose address nobody has. Behind a look at an atomic the compiler reads everything again that others
        // might have changed.
        const std::size_t grain = grain_;
        std::conditional_t<is_copied, const Body, Body&> body = body_;
        for (std::size_t left = steps_between(first, last); left > grain; left -= grain) {
            if (here.should_split()) [[unlikely]]
                return split(first, last, left);
            const Index end = step_on(first, grain);
            call_for_all<What>(body, first, end);
            first = end;
            if (stop_.requested()) [[unlikely]]
                return;
        }
        call_for_all<What>(body, first, last);
    }
    // Whole chunks on both sides.
    void split(Index first, Index last, std::size_t left) {
        const std::size_t kept = (left / grain_ + 1) / 2 * grain_;
        const Index middle = step_on(first, kept);
        const auto nearer = [&] { go_through(first, middle); };
        const auto farther = [this, middle, last] { run(middle, last); };
        Runtime::both(*worker::current(), nearer, farther);
    }

    static constexpr bool is_copied = may_be_copied<Body, Index> || may_be_copied<Body, Index, Index>;
    Body& body_;
    const std::size_t grain_;
    loop_stop stop_;
};

template <class Runtime, called_with What, class First, class Last, class Body>
[[gnu::always_inline]] inline void loop_over(First begin, Last end, Body&& body, loop_options options) {
    using Index = loop_type_t<First, Last>;
    const auto ends = loop_ends(begin, end);
    const Index first = ends.first, last = ends.second;
    const std::size_t steps = steps_between<Index>(first, last);
    if (steps == 0) return;
    as_worker<Runtime>([&] {
        using body_type = std::remove_reference_t<Body>;
        const std::size_t grain = grain_of(options, steps, workers_of<Runtime>());
        if constexpr (cuts_loops<Runtime>) {
            typename Runtime::template for_loop<What, Index, body_type> loop(body, first, steps, grain);
            loop.run(*Runtime::worker::current());
        } else {
            for_loop<Runtime, What, Index, body_type> loop(body, grain);
            loop.run(first, last);
        }
    });
}

template <class Runtime, called_with What, class Index, class Value, class Body, class Join>
class reduce_loop {
    using worker = typename Runtime::worker;

public:
    reduce_loop(const Value& identity, Body& body, Join& join, std::size_t grain)
        : identity_(identity), body_(body), join_(join), grain_(grain) {}

    Value run(Index first, Index last) {
        try {
            return go_through(first, last, identity_);
        } catch (...) {
            stop_.request();
            throw;
        }
    }

private:
    Value go_through(Index first, Index last, Value so_far) {
        worker& here = *worker::current();
        for (std::size_t left = steps_between(first, last); left > grain_; left -= grain_) {
            if (here.should_split()) return split(first, last, left, std::move(so_far));
            const Index end = step_on(first, grain_);
            so_far = fold(first, end, std::move(so_far));
            first = end;
            if (stop_.requested()) return so_far;
        }
        return fold(first, last, std::move(so_far));
    }
    Value split(Index first, Index last, std::size_t left, Value so_far) {
        const Index middle = step_on(first, (left / grain_ + 1) / 2 * grain_);
        Value other = identity_;
        const auto nearer = [&] { so_far = go_through(first, middle, std::move(so_far)); };
        const auto farther = [&] { other = run(middle, last); };
        Runtime::both(*worker::current(), nearer, farther);
        return join_(std::move(so_far), std::move(other));
    }
    // By itself. Otherwise compilers keep the value in memory also within the loop, because it has to be there across
    // calls and exceptions. A sum of doubles then takes 1.6 times as long. A call is little beside a chunk.
    [[gnu::noinline]] Value fold(Index first, Index last, Value so_far) {
        return fold_interval<What>(body_, join_, first, last, std::move(so_far));
    }

    const Value& identity_;
    Body& body_;
    Join& join_;
    const std::size_t grain_;
    loop_stop stop_;
};

template <class Runtime, called_with What, class First, class Last, class Value, class Body, class Join>
[[gnu::always_inline]] inline Value reduce_over(First begin, Last end, Value identity, Body&& body, Join&& join,
                                                loop_options options) {
    using Index = loop_type_t<First, Last>;
    const auto ends = loop_ends(begin, end);
    const Index first = ends.first, last = ends.second;
    Value result = identity;
    const std::size_t steps = steps_between<Index>(first, last);
    if (steps == 0) return result;
    as_worker<Runtime>([&] {
        const std::size_t grain = grain_of(options, steps, workers_of<Runtime>());
        if constexpr (cuts_loops<Runtime>) {
            const auto fold = [&body, &join](Index from, Index to, Value so_far) {
                return fold_interval<What>(body, join, from, to, std::move(so_far));
            };
            using loop =
                typename Runtime::template reduce_loop<Index, Value, std::remove_reference_t<Join>, decltype(fold)>;
            typename loop::common all(identity, join, fold, first, steps, grain);
            result = loop(all).run(*Runtime::worker::current());
        } else {
            using loop =
                reduce_loop<Runtime, What, Index, Value, std::remove_reference_t<Body>, std::remove_reference_t<Join>>;
            result = loop(identity, body, join, grain).run(first, last);
        }
    });
    return result;
}

}  // namespace croft::detail

#endif
