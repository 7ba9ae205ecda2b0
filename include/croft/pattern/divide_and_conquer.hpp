#pragma once
// Divide and conquer: a problem is divided until it is small, the small ones are solved, and their solutions are
// combined.
//
//     croft::divide_and_conquer([](const range& r) { return r.size() < 1000; },             // small enough?
//                               [](range r) { return sorted(r); },                          // its solution
//                               [](range r) { return std::vector{r.left(), r.right()}; },   // its parts, any number
//                               [](std::vector<range> parts) { return merged(parts); })     // from their solutions
//
// A pattern that takes problems and makes a solution of each. It is a farm with feedback: workers divide, solve and
// combine, on demand. The loop keeps the tree, and gives each combination out when its parts are there. Only the upper
// levels of the tree are tasks, `levels` of them; a worker does the levels below by itself. That keeps workers busy
// with problems that divide into unequal parts, as long as there are a few dozen. For tasks as small as a call there is
// croft/task.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/pipeline.hpp>

namespace croft {

struct divide_options {
    std::size_t workers = 0;  // 0: one for each thread
    std::size_t levels = 6;   // of the tree that are given out as tasks
};

namespace detail {

inline constexpr std::uint32_t no_node = ~std::uint32_t{0};

// The item that goes round: a problem; or its parts, once it was divided; or the solutions of these; or its solution.
template <class Problem, class Solution>
struct divide_task {
    enum class state : std::uint8_t { problem, divided, to_combine, solved };
    state is = state::problem;
    std::uint32_t node = no_node;  // in the tree, above it: no_node for what came from outside
    std::uint32_t part = 0;        // which of that node's
    std::uint32_t level = 0;
    std::vector<Problem> problems;  // one, or the parts
    std::vector<Solution> solutions;
};

template <class Problem, class Solution, class Small, class Solve, class Divide, class Combine>
class divide_worker {
public:
    using task = divide_task<Problem, Solution>;

    divide_worker(Small small, Solve solve, Divide divide, Combine combine, std::size_t levels)
        : small_(std::move(small)),
          solve_(std::move(solve)),
          divide_(std::move(divide)),
          combine_(std::move(combine)),
          levels_(levels) {}

    task operator()(task at) {
        if (at.is == task::state::to_combine) {
            solved(at, combine_(std::move(at.solutions)));
        } else if (at.level < levels_ && !small_(std::as_const(at.problems[0]))) {
            at.problems = divide_(std::move(at.problems[0]));
            at.is = task::state::divided;
        } else {
            solved(at, all(std::move(at.problems[0])));
        }
        return at;
    }

private:
    Solution all(Problem problem) {
        if (small_(std::as_const(problem))) return solve_(std::move(problem));
        std::vector<Solution> solutions;
        for (Problem& part : divide_(std::move(problem))) solutions.push_back(all(std::move(part)));
        return combine_(std::move(solutions));
    }
    static void solved(task& at, Solution solution) {
        at.is = task::state::solved;
        at.problems.clear();
        at.solutions.clear();
        at.solutions.push_back(std::move(solution));
    }

    Small small_;
    Solve solve_;
    Divide divide_;
    Combine combine_;
    std::size_t levels_;
};

// The tree of what was divided and is not solved yet. Lives where the loop begins.
template <class Problem, class Solution>
class divide_tree {
    using task = divide_task<Problem, Solution>;
    using state = typename task::state;

public:
    void operator()(task at, croft::out<task>& back, croft::out<Solution>& out) {
        if (at.is == state::divided)
            divided(at, back);
        else if (at.node == no_node)
            out.send(std::move(at.solutions[0]));
        else
            solved(at, back);
    }

private:
    struct node {
        std::uint32_t above, part, level, missing;
        std::vector<std::optional<Solution>> solutions;
    };

    void divided(task& at, croft::out<task>& back) {
        const auto parts = static_cast<std::uint32_t>(at.problems.size());
        std::uint32_t here;
        if (free_.empty()) {
            here = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        } else {
            here = free_.back();
            free_.pop_back();
        }
        nodes_[here] = {at.node, at.part, at.level, parts, {}};
        nodes_[here].solutions.resize(parts);
        if (parts == 0) return combine(here, back);
        for (std::uint32_t i = 0; i < parts; ++i) {
            task next;
            next.node = here;
            next.part = i;
            next.level = at.level + 1;
            next.problems.push_back(std::move(at.problems[i]));
            back.send(std::move(next));
        }
    }
    void solved(task& at, croft::out<task>& back) {
        node& above = nodes_[at.node];
        above.solutions[at.part] = std::move(at.solutions[0]);
        if (--above.missing == 0) combine(at.node, back);
    }
    void combine(std::uint32_t here, croft::out<task>& back) {
        node& done = nodes_[here];
        task next;
        next.is = state::to_combine;
        next.node = done.above;
        next.part = done.part;
        next.level = done.level;
        for (auto& solution : done.solutions) next.solutions.push_back(std::move(*solution));
        done.solutions.clear();
        free_.push_back(here);
        back.send(std::move(next));
    }

    std::vector<node> nodes_;
    std::vector<std::uint32_t> free_;
};

}  // namespace detail

template <class Small, class Solve, class Divide, class Combine>
class divide_pattern {
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
            return std::type_identity<detail::none_of<divide_pattern, In>>{};
    }

    // A problem as a task. No work, so no thread of its own.
    template <class Problem, class Solution>
    struct begin {
        detail::divide_task<Problem, Solution> operator()(Problem problem) {
            detail::divide_task<Problem, Solution> first;
            first.problems.push_back(std::move(problem));
            return first;
        }
    };

public:
    divide_pattern(Small small, Solve solve, Divide divide, Combine combine, divide_options options)
        : small_(std::move(small)),
          solve_(std::move(solve)),
          divide_(std::move(divide)),
          combine_(std::move(combine)),
          options_(options) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = typename decltype(find<In>())::type;

    // Which type the problems have is not known yet; but the roles are the same for any.
    void describe(detail::role_list& roles) {
        roles.within("divide_and_conquer.", false, [&] {
            auto same = made_of([](int n) { return n; }, [](int n) { return n; }, [](const int&) { return false; });
            same.describe(roles);
            workers_ = same.role_count() - 4;
        });
    }
    std::size_t role_count() const { return workers_ + 4; }  // the beginning, the loop, emitter and collector
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first + 1; }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context around,
                                                            std::size_t first, Next& next) {
        using solution = output<In>;
        using worker = detail::divide_worker<In, solution, Small, Solve, Divide, Combine>;
        using whole =
            decltype(made_of(begin<In, solution>(), std::declval<worker>(), detail::divide_tree<In, solution>()));
        auto& all = make.template make<whole>(
            first, made_of(begin<In, solution>(), worker(small_, solve_, divide_, combine_, options_.levels),
                           detail::divide_tree<In, solution>()));
        detail::role_list known(workers_);
        all.describe(known);
        return all.template build<In, Shape>(make, around, first, next);
    }

private:
    template <class Begin, class Worker, class Tree>
    auto made_of(Begin first, Worker worker, Tree tree) {
        return pipeline(
            detail::light_stage<Begin>(std::move(first)),
            feedback(farm(std::move(worker), {.workers = workers_ ? workers_ : options_.workers}), std::move(tree)));
    }

    Small small_;
    Solve solve_;
    Divide divide_;
    Combine combine_;
    divide_options options_;
    std::size_t workers_ = 0;
};

// small(const Problem&) -> bool, solve(Problem) -> Solution, divide(Problem) -> std::vector<Problem>,
// combine(std::vector<Solution>) -> Solution. Every worker has copies of the four.
template <class Small, class Solve, class Divide, class Combine>
auto divide_and_conquer(Small small, Solve solve, Divide divide, Combine combine, divide_options options = {}) {
    return divide_pattern<Small, Solve, Divide, Combine>(std::move(small), std::move(solve), std::move(divide),
                                                         std::move(combine), options);
}

}  // namespace croft
