#pragma once
// Square matrices of int, and their product.

#include <cstddef>
#include <cstdint>

#include <croft/port/port.hpp>

namespace programs {

template <std::size_t Size>
struct square_matrix {
    using rows = std::int32_t[Size][Size];
    alignas(croft::port::cache_line) rows at;
};

// Row by column, as in the definition, so that all of B is gone through once for each row of A. Paper 003's reckoning
// assumes that, too: three whole matrices are the working set.
template <std::size_t Size>
[[gnu::always_inline]] inline void multiply(const std::int32_t (&a)[Size][Size], const std::int32_t (&b)[Size][Size],
                                            std::int32_t (&__restrict c)[Size][Size]) {
    for (std::size_t i = 0; i < Size; ++i)
        for (std::size_t j = 0; j < Size; ++j) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < Size; ++k) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

}  // namespace programs
