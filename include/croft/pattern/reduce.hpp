#pragma once
// Reduce: N workers combine the elements of a range to one value.
//
//     croft::reduce(0.0, std::plus<>())                                              // a vector's sum
//     croft::reduce(0.0, [](const body& b) { return b.mass; }, std::plus<>(), {.workers = 8})
//
// A pattern that takes ranges with operator[] and size(), a std::vector say, and makes a value of each. `combine` has
// to be associative, and need not be commutative; `identity` is neutral, and what an empty range yields. Each worker
// combines the part that is its own; then N values go up a tree.

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/team_pattern.hpp>

namespace croft {

template <class T, class Transform, class Combine>
class reduce_pattern : public detail::team_pattern<reduce_pattern<T, Transform, Combine>> {
    template <class In>
    static auto find() {
        if constexpr (requires(In& in, Transform& of, Combine& both, T value) {
                          { both(std::move(value), T(of(std::as_const(in)[0]))) } -> std::convertible_to<T>;
                          { in.size() } -> std::convertible_to<std::size_t>;
                      })
            return std::type_identity<detail::item_if_default<T>>{};
        else
            return std::type_identity<detail::none_of<reduce_pattern, In>>{};
    }

public:
    reduce_pattern(T identity, Transform transform, Combine combine, team_options options)
        : detail::team_pattern<reduce_pattern>(options),
          identity_(std::move(identity)),
          transform_(std::move(transform)),
          combine_(std::move(combine)) {}

    static constexpr const char* name() { return "reduce"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    const Combine& combiner() const { return combine_; }

    template <class In, class Policies>
    class kernel {
    public:
        struct down {
            const In* range;
        };
        struct up {
            T value;
        };
        static constexpr int phases = 1;

        kernel(const reduce_pattern& by, detail::role_state state, int, std::size_t i, std::size_t workers)
            : transform_(by.transform_),
              combine_(by.combine_),
              identity_(by.identity_),
              state_(state),
              i_(i),
              workers_(workers) {}

        down first(In& item) { return {&item}; }
        down next(int) { return {}; }
        void start(int, const down& message) { range_ = message.range; }
        down down_for(int, std::size_t, const down& message) { return message; }
        bool work(int) {
            value_ = identity_;
            if (state_.drops()) return true;
            T value = identity_;
            const slice own = share{i_, 1, workers_}.of(range_->size());
            for (std::size_t k = own.begin; k < own.end; ++k)
                value = combine_(std::move(value), T(transform_((*range_)[k])));
            value_ = std::move(value);
            return true;
        }
        bool may_work(const detail::look<Policies>&) { return true; }
        void combine(int, std::size_t, up&& found) { value_ = combine_(std::move(value_), std::move(found.value)); }
        up result(int) { return {std::move(value_)}; }
        T finish(In&) { return std::move(value_); }

    private:
        Transform transform_;
        Combine combine_;
        T identity_, value_{};
        detail::role_state state_;
        std::size_t i_, workers_;
        const In* range_ = nullptr;
    };

private:
    T identity_;
    Transform transform_;
    Combine combine_;
};

template <class T, class Combine>
auto reduce(T identity, Combine combine, team_options options = {}) {
    return reduce_pattern<T, std::identity, Combine>(std::move(identity), {}, std::move(combine), options);
}
// Reduces what `transform` makes of the elements.
template <class T, class Transform, class Combine>
    requires(!std::convertible_to<Combine, team_options>)
auto reduce(T identity, Transform transform, Combine combine, team_options options = {}) {
    return reduce_pattern<T, Transform, Combine>(std::move(identity), std::move(transform), std::move(combine),
                                                 options);
}

}  // namespace croft
