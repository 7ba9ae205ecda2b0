#pragma once
// How a reduction's ranges are divided among processes (divided.hpp). Each gets so many elements that follow each
// other, as a std::vector, and reduces them on its own cores. Their values are combined in the order of the elements.

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/reduce.hpp>

namespace croft::mpi::detail {

template <class T, class Transform, class Combine>
class reduce_division {
    using pattern = croft::detail::reduce_pattern<T, Transform, Combine>;

public:
    explicit reduce_division(pattern of) : pattern_(std::move(of)), combine_(pattern_.combiner()) {}

    template <class In>
    using output = croft::detail::output_of<pattern, In>;
    template <class In>
    using part = std::vector<std::decay_t<decltype(std::declval<In&>()[0])>>;
    template <class In>
    using made = T;
    template <class In>
    static constexpr bool keeps_item = false;

    pattern body() const { return pattern_; }
    std::size_t workers(std::size_t) const { return 1; }
    template <class In>
    part<In> cut(const In& item, share whose) {
        part<In> elements;
        const slice own = whose.of(item.size());
        elements.reserve(own.size());
        for (std::size_t i = own.begin; i < own.end; ++i) elements.push_back(item[i]);
        return elements;
    }
    template <class In>
    T join(T a, T b) {
        return combine_(std::move(a), std::move(b));
    }

private:
    pattern pattern_;
    Combine combine_;
};

}  // namespace croft::mpi::detail
