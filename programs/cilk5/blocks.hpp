#pragma once
// The operations of LU decomposition on square blocks of `Edge` rows, stored one row after the other.

#include <cstddef>

namespace programs {

// By name, so that the size of blocks is an option.
struct block_operations {
    void (*decompose)(double* block);                         // L and U in its place; L's diagonal is 1
    void (*solve_lower)(double* block, const double* lower);  // block := L^-1 block
    void (*solve_upper)(double* block, const double* upper);  // block := block U^-1
    void (*subtract_product)(double* from, const double* a, const double* b);  // from -= a b
};

template <std::size_t Edge>
class blocks_of {
    // to -= factor * from, from column `first` on.
    static void subtract_row(double* to, const double* from, double factor, std::size_t first = 0) {
        for (std::size_t j = first; j < Edge; ++j) to[j] -= factor * from[j];
    }
    static void decompose_block(double* block) {
        for (std::size_t k = 0; k < Edge; ++k)
            for (std::size_t i = k + 1; i < Edge; ++i) {
                double& factor = block[i * Edge + k];
                factor /= block[k * Edge + k];
                subtract_row(block + i * Edge, block + k * Edge, factor, k + 1);
            }
    }
    static void solve_lower(double* block, const double* lower) {
        for (std::size_t i = 1; i < Edge; ++i)
            for (std::size_t k = 0; k < i; ++k) subtract_row(block + i * Edge, block + k * Edge, lower[i * Edge + k]);
    }
    static void solve_upper(double* block, const double* upper) {
        for (std::size_t i = 0; i < Edge; ++i)
            for (std::size_t k = 0; k < Edge; ++k) {
                double& factor = block[i * Edge + k];
                factor /= upper[k * Edge + k];
                subtract_row(block + i * Edge, upper + k * Edge, factor, k + 1);
            }
    }
    static void subtract_product(double* from, const double* a, const double* b) {
        for (std::size_t i = 0; i < Edge; ++i)
            for (std::size_t k = 0; k < Edge; ++k) subtract_row(from + i * Edge, b + k * Edge, a[i * Edge + k]);
    }

public:
    static constexpr block_operations operations{&decompose_block, &solve_lower, &solve_upper, &subtract_product};
};

}  // namespace programs
