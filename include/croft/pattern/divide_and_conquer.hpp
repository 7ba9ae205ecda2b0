#pragma once
// Divide and conquer: a problem is divided until it is small, the small ones are solved, and their solutions are
// combined.
//
//     croft::divide_and_conquer([](const range& r) { return r.size() < 1000; },             // small enough?
//                               [](range r) { return sorted(r); },                          // its solution
//                               [](range r) { return std::vector{r.left(), r.right()}; },   // its parts, any number
//                               [](std::vector<range> parts) { return merged(parts); })     // from their solutions
//
// A pattern that takes problems and makes a solution of each, one after the other. The parts of a problem are forked:
// whoever has nothing to do takes half of them. That keeps workers busy with problems that divide into unequal parts.
// Only the upper levels of the tree are forked, `levels` of them; below, a worker goes on by itself.

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/loop_stage.hpp>
#include <croft/port/count_option.hpp>
#include <croft/task/parallel_invoke.hpp>

namespace croft {

struct divide_options {
    count_option workers = 0;  // as in team_options (loop_stage.hpp)
    count_option levels = 6;   // of the tree whose parts are forked
};

namespace detail {

template <class Small, class Solve, class Divide, class Combine>
class divide_pattern : public loop_stage<divide_pattern<Small, Solve, Divide, Combine>> {
    template <class In>
    static constexpr bool fits = requires(Small& small, Solve& solve, Divide& divide, Combine& combine, In& problem) {
        { small(std::as_const(problem)) } -> std::convertible_to<bool>;
        { divide(std::move(problem)) } -> std::convertible_to<std::vector<In>>;
        {
            combine(std::vector<std::decay_t<decltype(solve(std::move(problem)))>>())
        } -> std::convertible_to<std::decay_t<decltype(solve(std::move(problem)))>>;
    };
    template <class In>
    static auto find() {
        if constexpr (fits<In>)
            return std::type_identity<std::decay_t<std::invoke_result_t<Solve&, In&&>>>{};
        else
            return std::type_identity<none_of<divide_pattern, In>>{};
    }

public:
    divide_pattern(Small small, Solve solve, Divide divide, Combine combine, divide_options options)
        : loop_stage<divide_pattern>({.workers = options.workers}),
          small_(std::move(small)),
          solve_(std::move(solve)),
          divide_(std::move(divide)),
          combine_(std::move(combine)),
          levels_(options.levels) {}

    static constexpr const char* name() { return "divide_and_conquer"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    template <class In>
    output<In> work(In& problem, const role_state& state) {
        return solution<In>(std::move(problem), 0, state);
    }

private:
    template <class Problem>
    output<Problem> solution(Problem problem, std::size_t level, const role_state& state) {
        go_on_unless_dropped(state);
        shared_or_copied<Small, const Problem&> small = small_;
        if (small(std::as_const(problem))) {
            shared_or_copied<Solve, Problem> solve = solve_;
            return solve(std::move(problem));
        }
        shared_or_copied<Divide, Problem> divide = divide_;
        std::vector<Problem> parts = divide(std::move(problem));
        std::vector<output<Problem>> solutions;
        solutions.reserve(parts.size());
        if (level < levels_) {
            std::vector<std::optional<output<Problem>>> made(parts.size());
            const auto solve_part = [&](std::size_t i) {
                made[i].emplace(solution<Problem>(std::move(parts[i]), level + 1, state));
            };
            if (!parts.empty()) fork(0, parts.size(), solve_part);
            for (auto& each : made) solutions.push_back(std::move(*each));
        } else {
            for (Problem& part : parts) solutions.push_back(solution<Problem>(std::move(part), level + 1, state));
        }
        shared_or_copied<Combine, std::vector<output<Problem>>> combine = combine_;
        return combine(std::move(solutions));
    }
    // So that who steals gets half of what there is.
    template <class Do>
    static void fork(std::size_t first, std::size_t last, const Do& do_one) {
        if (last - first == 1) return do_one(first);
        const std::size_t middle = first + (last - first) / 2;
        parallel_invoke([&do_one, first, middle] { fork(first, middle, do_one); },
                        [&do_one, middle, last] { fork(middle, last, do_one); });
    }

    Small small_;
    Solve solve_;
    Divide divide_;
    Combine combine_;
    std::size_t levels_;
};

}  // namespace detail

// small(const Problem&) -> bool, solve(Problem) -> Solution, divide(Problem) -> std::vector<Problem>,
// combine(std::vector<Solution>) -> Solution. Workers share those that can be called while they are const, and have
// copies of the others.
template <class Small, class Solve, class Divide, class Combine>
auto divide_and_conquer(Small small, Solve solve, Divide divide, Combine combine, divide_options options = {}) {
    return detail::divide_pattern<Small, Solve, Divide, Combine>(std::move(small), std::move(solve), std::move(divide),
                                                                 std::move(combine), options);
}

}  // namespace croft
