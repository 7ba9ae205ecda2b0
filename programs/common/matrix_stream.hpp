#pragma once
// A stream of matrices to be filtered: what a farm, or a loop, needs to know of it. Numbered from 0.

#include <cstddef>
#include <cstdint>

#include "convolution.hpp"

namespace programs {

inline constexpr std::size_t largest_matrix = 128;

// As they travel. A smaller matrix fills only the beginning, and the rest is never touched.
template <class Element>
struct task_matrix {
    std::uint32_t number;
    alignas(8) Element cells[(largest_matrix + 2) * (largest_matrix + 2)];
};
template <class Element>
struct result_matrix {
    std::uint32_t number;
    alignas(8) Element cells[largest_matrix * largest_matrix];
};

template <class Element>
class matrix_stream {
public:
    virtual ~matrix_stream() = default;

    virtual std::size_t count() const = 0;
    virtual void make(std::size_t number, task_matrix<Element>& into) const = 0;
    // May be called by many threads at once.
    virtual void compute(const filter<Element>& by, const task_matrix<Element>& from,
                         result_matrix<Element>& into) const = 0;
    // In any order of the numbers.
    virtual void take(const result_matrix<Element>& made) = 0;
    // After the last. Throws if a check was asked for and fails.
    virtual void finish() = 0;
};

}  // namespace programs
