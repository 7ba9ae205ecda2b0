#pragma once
// Stages that work on each item with parallel loops or fork-join (croft/task): reduce, prefix, stencil, divide and
// conquer. Such a stage is one role. Its thread works, and others help. If the stage was given a number of workers,
// they are those of a scheduler of its own, which begins and ends with the run. Otherwise they are the common
// scheduler's (docs/decisions/loop-stages.md). On a simulated many-core nobody helps: all its cores are the roles'.
//
// All threads share a callable that can be called while it is const. Each piece of work has a copy of any other.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/port/count_option.hpp>
#include <croft/port/port.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

struct team_options {
    // How many threads work on an item, the stage's own included; no more than the run has. 0: the stage's, and idle
    // threads of task_scheduler::common(). In a run of one thread the stage works alone.
    count_option workers = 0;
};

namespace detail {

// For a call with these arguments in one piece of work.
template <class F, class... Arguments>
using shared_or_copied = std::conditional_t<std::is_invocable_v<const F&, Arguments...>, const F&, F>;

// Thrown where the work on an item ends because the run drops it. Loops and forks end by it as by any exception.
struct left_off {};
inline void go_on_unless_dropped(const role_state& state) {
    if (state.drops()) throw left_off();
}

// The threads that work for one stage.
class loop_team {
public:
    // 0: the common scheduler's. Throws std::system_error if there is no thread.
    explicit loop_team(std::size_t threads) {
        if (threads) own_.emplace(threads);
    }
    template <class Work>
    void run(Work work) {
        if (own_)
            own_->run(work);
        else
            as_worker<default_task_runtime>(work);
    }

private:
    std::optional<task_scheduler> own_;
};

// Derived has name(), output<In>, and work(item, state). That makes the output of one item, and asks between two
// pieces of work whether the item is dropped.
template <class Derived>
class loop_stage {
public:
    explicit loop_stage(team_options options) : options_(options) {}

    static constexpr bool is_pattern = true;

    void describe(role_list& roles) {
        const bool alone = port::waits_on_lines || roles.threads() == 1;
        threads_ = alone ? 1 : std::min<std::size_t>(options_.workers, roles.threads());
        roles.add(Derived::name(), role_kind::worker);
        roles.add_helpers((threads_ ? threads_ : roles.threads()) - 1);
    }
    std::size_t role_count() const { return 1; }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first; }

    template <class In, class Shape, class Policies, class Next>
    inlet<item_of<In, Shape>, Policies>& build(builder<Policies>& make, context, std::size_t first, Next& next) {
        const role_state state = make.state(first);
        auto& stage = make.template make<call<In>>(first, static_cast<Derived&>(*this), state, threads_);
        return make.template make<stage_node<call<In>, In, Shape, Policies>>(first, stage, state, make.core_of(first),
                                                                             next);
    }

protected:
    // In how many pieces the threads work on so many elements. By these numbers alone, so that sums of floating-point
    // numbers are the same in every run. At least a few for each thread, because some may come late. More of many
    // elements, because help comes between two pieces.
    static std::size_t parts_of(std::size_t elements) {
        const std::size_t workers = workers_of<default_task_runtime>();
        if (workers == 1) return std::min<std::size_t>(elements, 1);
        return std::min(elements, std::clamp(elements / 1024, 4 * workers, 32 * workers));
    }

    // Calls body(i, slice) for the parts from `first` on, i of `parts` into which so many elements are cut. This thread
    // does it all if that will be over before help could save anything. The cuts, and so the results, are the same.
    template <class Body>
    void for_each_part(std::size_t first, std::size_t last, std::size_t parts, std::size_t elements,
                       const role_state& state, const Body& body) {
        using steady = std::chrono::steady_clock;
        const auto part = [&](std::size_t i) {
            go_on_unless_dropped(state);
            body(i, share{i, 1, parts}.of(elements));
        };
        if (last - first < 2) {
            if (first < last) part(first);
            return;
        }
        const auto timed = [&](std::size_t from, std::size_t to) {
            const auto begin = steady::now();
            for (std::size_t i = from; i < to; ++i) part(i);
            element_ = (steady::now() - begin) / static_cast<double>(elements / parts * (to - from));
        };
        const auto is_short = [&] {
            return element_ * static_cast<double>(elements / parts * (last - first)) < worth_help;
        };
        if (is_short()) {  // as far as the item before tells: looks again at half time
            const std::size_t half = first + (last - first) / 2;
            timed(first, half);
            first = half;
        }
        if (is_short()) {
            for (; first < last; ++first) part(first);
        } else {
            // This thread does the first part of every loop, because a thief gets the farther half. So nobody else
            // writes element_.
            parallel_for(first, last, [&](std::size_t i) { i == first ? timed(i, i + 1) : part(i); }, {.grain = 1});
        }
    }

private:
    // One item or, if it was left off, none.
    template <class In>
    class call {
    public:
        call(Derived& by, role_state state, std::size_t threads) : by_(by), state_(state), team_(threads) {}
        std::optional<output_of<Derived, In>> operator()(In&& item) {
            std::optional<output_of<Derived, In>> made;
            try {
                team_.run([&] { made.emplace(by_.work(item, state_)); });
            } catch (const left_off&) {
            }
            return made;
        }

    private:
        Derived& by_;
        role_state state_;
        loop_team team_;
    };

    using nanoseconds = std::chrono::duration<double, std::nano>;
    // A thief begins half a microsecond late, and the join takes as long again: help with less than twice that loses.
    static constexpr nanoseconds worth_help{2000};

    team_options options_;
    std::size_t threads_ = 0;          // of its own scheduler; 0: none
    nanoseconds element_{worth_help};  // what one took last; at first, help is worth it
};

}  // namespace detail
}  // namespace croft
