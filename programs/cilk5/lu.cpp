// cilk5-lu of paper 002, table III: a matrix decomposed into L U, without pivoting, by divide and conquer on blocks (as
// Cilk-5's lu). Elements are doubles; a block's are one after the other.
//
// The table prints 128 as the input, but for that its 155M instructions are a hundred times too many. 512 in blocks of
// 16 fits them, and the number of its tasks.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../common/forks.hpp"
#include "../common/kernel.hpp"
#include "../common/random.hpp"
#include "blocks.hpp"

namespace {

using namespace programs;

// A square part of a matrix of blocks.
struct part {
    double* first;       // of its upper left block
    std::size_t count;   // of its blocks, in a row and in a column
    std::size_t stride;  // elements between rows of blocks
    std::size_t block;   // elements of a block

    part quarter(std::size_t row, std::size_t column) const {
        const std::size_t half = count / 2;
        return {first + row * half * stride + column * half * block, half, stride, block};
    }
};

template <class Forks>
struct decomposition {
    const block_operations& of_block;
    std::size_t grain;  // blocks in a row of what is one task

    // Goes on in sequence below the grain.
    template <class Step>
    bool is_one_task(const part& p, Step step) const {
        if (p.count > grain || p.count == 1 || std::is_same_v<Forks, in_sequence>) return false;
        step(decomposition<in_sequence>{of_block, grain});
        return true;
    }

    void decompose(part m) const {
        if (is_one_task(m, [&](auto here) { here.decompose(m); })) return;
        if (m.count == 1) return of_block.decompose(m.first);
        const part m00 = m.quarter(0, 0), m01 = m.quarter(0, 1), m10 = m.quarter(1, 0), m11 = m.quarter(1, 1);
        decompose(m00);
        Forks::invoke([=, this] { solve_lower(m01, m00); }, [=, this] { solve_upper(m10, m00); });
        subtract_product(m11, m10, m01);
        decompose(m11);
    }
    // m := L^-1 m
    void solve_lower(part m, part lower) const {
        if (is_one_task(m, [&](auto here) { here.solve_lower(m, lower); })) return;
        if (m.count == 1) return of_block.solve_lower(m.first, lower.first);
        const auto columns = [=, this](std::size_t i) {
            solve_lower(m.quarter(0, i), lower.quarter(0, 0));
            subtract_product(m.quarter(1, i), lower.quarter(1, 0), m.quarter(0, i));
            solve_lower(m.quarter(1, i), lower.quarter(1, 1));
        };
        Forks::invoke([=] { columns(0); }, [=] { columns(1); });
    }
    // m := m U^-1
    void solve_upper(part m, part upper) const {
        if (is_one_task(m, [&](auto here) { here.solve_upper(m, upper); })) return;
        if (m.count == 1) return of_block.solve_upper(m.first, upper.first);
        const auto rows = [=, this](std::size_t i) {
            solve_upper(m.quarter(i, 0), upper.quarter(0, 0));
            subtract_product(m.quarter(i, 1), m.quarter(i, 0), upper.quarter(0, 1));
            solve_upper(m.quarter(i, 1), upper.quarter(1, 1));
        };
        Forks::invoke([=] { rows(0); }, [=] { rows(1); });
    }
    // m -= a b
    void subtract_product(part m, part a, part b) const {
        if (is_one_task(m, [&](auto here) { here.subtract_product(m, a, b); })) return;
        if (m.count == 1) return of_block.subtract_product(m.first, a.first, b.first);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto quarter = [=, this](std::size_t i, std::size_t j) {
                subtract_product(m.quarter(i, j), a.quarter(i, k), b.quarter(k, j));
            };
            Forks::invoke([=] { quarter(0, 0); }, [=] { quarter(0, 1); }, [=] { quarter(1, 0); },
                          [=] { quarter(1, 1); });
        }
    }
};

class kernel {
public:
    static constexpr const char* name = "cilk5-lu";
    static constexpr const char* purpose = "Decomposes a matrix into L U (paper 002, table III).";

    void declare(options& line) {
        line.number<std::size_t>("--size", size_, 4, 8192, "rows, columns: the block's, times a power of two");
        line.choice("--block", block_, {"4", "8", "16", "32"}, "rows, columns of a block");
        line.number<std::size_t>("--grain", grain_, 1, 2048, "blocks in a row of what is one task");
        line.number<std::uint64_t>("--seed", seed_, 0, 1'000'000, "of the elements");
    }
    void prepare() {
        edge_ = std::stoul(block_);
        operations_ = edge_ == 4    ? &blocks_of<4>::operations
                      : edge_ == 8  ? &blocks_of<8>::operations
                      : edge_ == 16 ? &blocks_of<16>::operations
                                    : &blocks_of<32>::operations;
        if (size_ % edge_ != 0 || !std::has_single_bit(size_ / edge_))
            throw usage_error("--size has to be --block (" + block_ + ") times a power of two, not " +
                              std::to_string(size_));
        elements_ = input();
    }
    template <class Runtime>
    void parallel() {
        decomposition<by_tasks<Runtime>>{*operations_, grain_}.decompose(whole(elements_));
    }
    void serial() { decompose_in_sequence(elements_); }

    void check(verification how) const {
        const std::vector<double> before = input();
        check_product(before);
        if (how != verification::full) return;
        // Every element is changed by the same operations in the same order, so it is the same to the last bit.
        std::vector<double> expected = before;
        decompose_in_sequence(expected);
        if (elements_ != expected) throw std::runtime_error("L U is not that of the sequential program");
    }
    std::string numbers() const {
        return "size=" + std::to_string(size_) + " block=" + block_ + " grain=" + std::to_string(grain_) + " ";
    }

private:
    std::size_t at(std::size_t row, std::size_t column) const {
        const std::size_t count = size_ / edge_;
        return ((row / edge_ * count + column / edge_) * edge_ + row % edge_) * edge_ + column % edge_;
    }
    // Its diagonal outweighs the rest of a row, so that no pivot is small.
    std::vector<double> input() const {
        std::vector<double> matrix(size_ * size_);
        for (std::size_t i = 0; i < size_ * size_; ++i)
            matrix[i] = static_cast<double>(random_number(seed_, i) >> 11) * 0x1p-53;
        for (std::size_t i = 0; i < size_; ++i) matrix[at(i, i)] += static_cast<double>(size_);
        return matrix;
    }
    part whole(std::vector<double>& matrix) const {
        return {matrix.data(), size_ / edge_, size_ * edge_, edge_ * edge_};
    }
    void decompose_in_sequence(std::vector<double>& matrix) const {
        decomposition<in_sequence>{*operations_, grain_}.decompose(whole(matrix));
    }
    // L (U x) = A x for one x.
    void check_product(const std::vector<double>& before) const {
        std::vector<double> ax(size_), ux(size_);
        const auto x = [&](std::size_t i) { return 1 + static_cast<double>(i % 7); };
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t j = 0; j < size_; ++j) {
                ax[i] += before[at(i, j)] * x(j);
                if (j >= i) ux[i] += elements_[at(i, j)] * x(j);
            }
        for (std::size_t i = 0; i < size_; ++i) {
            double lux = ux[i];
            for (std::size_t j = 0; j < i; ++j) lux += elements_[at(i, j)] * ux[j];
            if (!(std::abs(lux - ax[i]) <= 1e-9 * std::abs(ax[i])))
                throw std::runtime_error("row " + std::to_string(i) + " of L U is not the matrix's");
        }
    }

    std::size_t size_ = 512, grain_ = 1, edge_ = 16;
    std::string block_ = "16";
    std::uint64_t seed_ = 1;
    const block_operations* operations_ = nullptr;
    std::vector<double> elements_;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
