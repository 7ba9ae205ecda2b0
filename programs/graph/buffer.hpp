#pragma once
// Elements that nobody has set yet: a vector would set them all, on one core.

#include <cstddef>
#include <memory>

namespace programs::graph {

template <class T>
using buffer = std::unique_ptr<T[]>;

template <class T>
buffer<T> make_buffer(std::size_t size) {
    return std::make_unique_for_overwrite<T[]>(size);
}

}  // namespace programs::graph
