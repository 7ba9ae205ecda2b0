#pragma once
// Folds a function's results on the elements of a range, like std::transform_reduce.
//
//     double length2 = croft::transform_reduce(v.begin(), v.end(), 0.0, std::plus<>(), [](double x) { return x * x; });
//     long all = croft::transform_reduce(words.begin(), words.end(), 0L, std::plus<>(), &std::string::size);
//
// `init` is taken once, and need not be neutral (parallel_reduce.hpp wants that, and takes numbers for ends as well).
// `reduce` has to be associative; it joins adjacent results, in order, with `init` in front. Exceptions and where it
// runs: as for parallel_for.

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <croft/task/parallel_reduce.hpp>

namespace croft {

template <class Runtime = detail::default_task_runtime, std::random_access_iterator Iterator, class Value, class Reduce,
          class Transform>
Value transform_reduce(Iterator first, Iterator last, Value init, Reduce reduce, Transform transform,
                       loop_options options = {}) {
    // Nothing is neutral, so a part that has no value yet has none.
    using some = std::optional<Value>;
    const auto fold = [&](Iterator from, Iterator to, some so_far) {
        Value value = so_far ? std::move(*so_far) : Value(std::invoke(transform, *from++));
        for (; from < to; ++from) value = reduce(std::move(value), std::invoke(transform, *from));
        return some(std::move(value));
    };
    const auto join = [&](some left, some right) {
        if (!left) return right;
        if (!right) return left;
        return some(reduce(std::move(*left), std::move(*right)));
    };
    some all = parallel_reduce_intervals<Runtime>(first, last, some(), fold, join, options);
    return all ? Value(reduce(std::move(init), std::move(*all))) : init;
}

}  // namespace croft
