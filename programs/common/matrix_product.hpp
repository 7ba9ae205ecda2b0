#pragma once
// C = A x B of square int matrices: a task with its result (paper 003, V.B).

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <croft/port/port.hpp>

#include "square_matrix.hpp"

namespace programs {

template <std::size_t Size>
struct matrix_product {
    using matrix = typename square_matrix<Size>::rows;
    alignas(croft::port::cache_line) matrix a;
    alignas(croft::port::cache_line) matrix b;
    alignas(croft::port::cache_line) matrix c;

    // The elements of A and B of the task of this number. Different rows and columns hold different numbers.
    static std::int32_t a_at(std::uint32_t number, std::size_t y, std::size_t x) {
        return static_cast<std::int32_t>(number % 64 + 3 * y + x);
    }
    static std::int32_t b_at(std::uint32_t number, std::size_t y, std::size_t x) {
        return static_cast<std::int32_t>(number % 32 + y + 5 * x);
    }

    // An addition and a store for each pair of elements: little but writing them.
    void make(std::uint32_t number) {
        for (std::size_t y = 0; y < Size; ++y) {
            make_row(a[y], a_at(number, y, 0), 1);
            make_row(b[y], b_at(number, y, 0), 5);
        }
    }

    // One of them alone.
    static void make_a(matrix& a, std::uint32_t number) {
        for (std::size_t y = 0; y < Size; ++y) make_row(a[y], a_at(number, y, 0), 1);
    }
    static void make_b(matrix& b, std::uint32_t number) {
        for (std::size_t y = 0; y < Size; ++y) make_row(b[y], b_at(number, y, 0), 5);
    }

    [[gnu::noinline]] void multiply() { programs::multiply(a, b, c); }

    // Whether C is what it should be, found in another order, from A and B as they were made.
    bool is_right(std::uint32_t number) const { return is_product(c, number, number); }
    static bool is_product(const matrix& c, std::uint32_t a_number, std::uint32_t b_number) {
        const auto row = std::make_unique<std::int32_t[]>(Size);
        for (std::size_t i = 0; i < Size; ++i) {
            std::memset(row.get(), 0, Size * sizeof(std::int32_t));
            for (std::size_t k = 0; k < Size; ++k)
                for (std::size_t j = 0; j < Size; ++j) row[j] += a_at(a_number, i, k) * b_at(b_number, k, j);
            if (std::memcmp(row.get(), c[i], Size * sizeof(std::int32_t)) != 0) return false;
        }
        return true;
    }

private:
    static void make_row(std::int32_t* to, std::int32_t first, std::int32_t step) {
        const auto pair = [](std::int32_t low, std::int32_t high) {
            return static_cast<std::uint64_t>(low) | static_cast<std::uint64_t>(high) << 32;  // neither is negative
        };
        std::uint64_t word = pair(first, first + step);
        for (std::size_t x = 0; x < Size; x += 2, word += pair(2 * step, 2 * step))
            std::memcpy(std::assume_aligned<8>(to + x), &word, sizeof(word));
    }
};

}  // namespace programs
