#pragma once
// A stream of matrices to be computed on: what a farm, or a loop, needs to know of it. Numbered from 0.
//
// Elements are std::int32_t or float; whoever passes a matrix on need not know which, so it is bytes to them.

#include <cstddef>
#include <cstdint>

namespace programs {

// Its form on the way, in a slot of `Bytes`. A smaller matrix fills only the beginning, and the rest is never touched.
template <std::size_t Bytes>
struct matrix {
    std::uint32_t number;
    alignas(8) std::byte cells[Bytes];
};

class matrix_stream {
public:
    virtual ~matrix_stream() = default;

    virtual std::size_t count() const = 0;
    // The size of a task; a result takes no more.
    virtual std::size_t bytes() const = 0;
    // These two may be called by many threads at once.
    virtual void make(std::size_t number, std::byte* task) const = 0;
    virtual void compute(const std::byte* task, std::byte* result) const = 0;
    // In any order of the numbers. Several collectors may call it at once, each with its own number.
    virtual void take(std::size_t number, const std::byte* result, std::size_t collector) = 0;
    // After the last; `early`: not all were taken. Throws if a check was asked for and fails.
    virtual void finish(bool early) = 0;
};

// The elements of a matrix that lies there.
template <class Element>
Element* elements(std::byte* cells) {
    return reinterpret_cast<Element*>(cells);
}
template <class Element>
const Element* elements(const std::byte* cells) {
    return reinterpret_cast<const Element*>(cells);
}

}  // namespace programs
