#pragma once
// Reduce: N workers combine the elements of a range to one value.
//
//     croft::reduce(0.0, std::plus<>())                                              // a vector's sum
//     croft::reduce(0.0, [](const body& b) { return b.mass; }, std::plus<>(), {.workers = 8})
//
// A pattern that takes ranges with operator[] and size(), a std::vector say, and makes a value of each. `combine` has
// to be associative, and need not be commutative; `identity` is neutral, and what an empty range yields. Workers
// combine the elements of parts; then the parts' values are combined in their order. The parts depend on the number of
// workers alone, so a sum of floating-point numbers is the same in every run with as many.

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/loop_stage.hpp>
#include <croft/pattern/map_options.hpp>

namespace croft {

namespace detail {

template <class T, class Transform, class Combine>
class reduce_pattern : public loop_stage<reduce_pattern<T, Transform, Combine>> {
    template <class In>
    static auto find() {
        if constexpr (requires(In& in, Transform& of, Combine& both, T value) {
                          { both(std::move(value), T(of(std::as_const(in)[0]))) } -> std::convertible_to<T>;
                          { in.size() } -> std::convertible_to<std::size_t>;
                      })
            return std::type_identity<T>{};
        else
            return std::type_identity<none_of<reduce_pattern, In>>{};
    }

public:
    reduce_pattern(T identity, Transform transform, Combine combine, team_options options)
        : loop_stage<reduce_pattern>(options),
          identity_(std::move(identity)),
          transform_(std::move(transform)),
          combine_(std::move(combine)) {}

    static constexpr const char* name() { return "reduce"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    const Combine& combiner() const { return combine_; }

    template <class In>
    T work(In& range, const role_state& state) {
        const std::size_t size = range.size(), parts = this->parts_of(size);
        std::vector<std::optional<T>> values(parts);
        this->for_each_part(0, parts, parts, size, state, [&](std::size_t i, slice own) {
            shared_or_copied<Transform, decltype(std::as_const(range)[0])> transform = transform_;
            shared_or_copied<Combine, T, T> combine = combine_;
            T value = identity_;
            for (std::size_t k = own.begin; k < own.end; ++k)
                value = combine(std::move(value), T(transform(std::as_const(range)[k])));
            values[i] = std::move(value);
        });
        T all = identity_;
        for (std::optional<T>& each : values) all = combine_(std::move(all), std::move(*each));
        return all;
    }

private:
    T identity_;
    Transform transform_;
    Combine combine_;
};

}  // namespace detail

template <class T, class Combine>
auto reduce(T identity, Combine combine, team_options options = {}) {
    return detail::reduce_pattern<T, std::identity, Combine>(std::move(identity), {}, std::move(combine), options);
}
// Reduces what `transform` makes of the elements.
template <class T, class Transform, class Combine>
    requires(!std::convertible_to<Combine, team_options>)
auto reduce(T identity, Transform transform, Combine combine, team_options options = {}) {
    return detail::reduce_pattern<T, Transform, Combine>(std::move(identity), std::move(transform), std::move(combine),
                                                         options);
}

}  // namespace croft
