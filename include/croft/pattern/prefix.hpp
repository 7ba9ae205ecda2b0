#pragma once
// Parallel prefix: every element of a range becomes what it and all before it combine to (an inclusive scan).
//
//     croft::prefix(std::plus<>())           // {1, 2, 3} becomes {1, 3, 6}
//     croft::prefix(std::plus<>(), {.workers = 8})
//
// A pattern that takes ranges with operator[] and size(), a std::vector say, and hands each of them on, changed in
// place. `combine` has to be associative, and need not be commutative. Two passes over parts: the first finds each
// part's total; the second scans the part, from the total of all before it. (parallel_scan wants a neutral element,
// which nobody gives here. With an optional in its place it takes twenty times as long.)

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/loop_stage.hpp>
#include <croft/pattern/map_options.hpp>

namespace croft {

namespace detail {

template <class Combine>
class prefix_pattern : public loop_stage<prefix_pattern<Combine>> {
    template <class In>
    static auto find() {
        if constexpr (requires(In& in, Combine& both) {
                          in[0] = both(in[0], in[0]);
                          { in.size() } -> std::convertible_to<std::size_t>;
                      })
            return std::type_identity<In>{};
        else
            return std::type_identity<none_of<prefix_pattern, In>>{};
    }

public:
    prefix_pattern(Combine combine, team_options options)
        : loop_stage<prefix_pattern>(options), combine_(std::move(combine)) {}

    static constexpr const char* name() { return "prefix"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    template <class In>
    In work(In& range, const role_state& state) {
        using T = std::decay_t<decltype(range[0])>;
        const std::size_t size = range.size(), parts = this->parts_of(size);
        if (size == 0) return std::move(range);
        std::vector<std::optional<T>> up_to(parts);  // each part's total, then that of all up to its end
        // The first part has nothing before it, and is done with the first pass; the last part's total is nobody's.
        this->for_each_part(0, parts > 1 ? parts - 1 : 1, parts, size, state, [&](std::size_t i, slice own) {
            up_to[i] = i == 0 ? scan(range, own, static_cast<T*>(nullptr)) : total(range, own);
        });
        for (std::size_t i = 1; i + 1 < parts; ++i) up_to[i] = combine_(*up_to[i - 1], *up_to[i]);
        this->for_each_part(1, parts, parts, size, state,
                            [&](std::size_t i, slice own) { scan(range, own, &*up_to[i - 1]); });
        return std::move(range);
    }

private:
    template <class In>
    auto total(In& range, slice own) {
        using T = std::decay_t<decltype(range[0])>;
        shared_or_copied<Combine, T&, T&> combine = combine_;
        T sum = range[own.begin];
        for (std::size_t k = own.begin + 1; k < own.end; ++k) sum = combine(sum, range[k]);
        return sum;
    }
    template <class In, class T>
    T scan(In& range, slice own, T* before) {
        shared_or_copied<Combine, T&, T&> combine = combine_;
        T sum = before ? combine(*before, range[own.begin]) : range[own.begin];
        range[own.begin] = sum;
        for (std::size_t k = own.begin + 1; k < own.end; ++k) range[k] = sum = combine(sum, range[k]);
        return sum;
    }

    Combine combine_;
};

}  // namespace detail

template <class Combine>
auto prefix(Combine combine, team_options options = {}) {
    return detail::prefix_pattern<Combine>(std::move(combine), options);
}

}  // namespace croft
