// cilk5-mm of paper 002, table III: C = A B by divide and conquer, the longest side of the product cut in halves (as
// Cilk-5's matmul). Halves of the rows or columns of C are made at the same time, halves of the sums one after the
// other. Elements are floats, small whole numbers, so that every order of additions gives the same.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/forks.hpp"
#include "../common/kernel.hpp"
#include "../common/random.hpp"

namespace {

using namespace programs;

// rows x depth times depth x columns, in square matrices with so many elements a row.
struct product {
    const float *a, *b;
    float* c;
    std::size_t rows, depth, columns, stride;
};

void multiply_here(const product& p) {
    for (std::size_t i = 0; i < p.rows; ++i)
        for (std::size_t j = 0; j < p.columns; ++j) {
            float sum = 0;
            for (std::size_t k = 0; k < p.depth; ++k) sum += p.a[i * p.stride + k] * p.b[k * p.stride + j];
            p.c[i * p.stride + j] += sum;
        }
}

template <class Forks>
void multiply(const product& p, std::size_t leaf) {
    if (p.rows + p.columns < leaf && p.depth < leaf) return multiply_here(p);
    product first = p, second = p;
    if (p.rows >= p.depth && p.rows >= p.columns) {
        first.rows = p.rows / 2;
        second.rows -= first.rows;
        second.a += first.rows * p.stride;
        second.c += first.rows * p.stride;
    } else if (p.depth >= p.columns) {
        first.depth = p.depth / 2;
        second.depth -= first.depth;
        second.a += first.depth;
        second.b += first.depth * p.stride;
        multiply<Forks>(first, leaf);
        return multiply<Forks>(second, leaf);
    } else {
        first.columns = p.columns / 2;
        second.columns -= first.columns;
        second.b += first.columns;
        second.c += first.columns;
    }
    Forks::invoke([&] { multiply<Forks>(first, leaf); }, [&] { multiply<Forks>(second, leaf); });
}

class kernel {
public:
    static constexpr const char* name = "cilk5-mm";
    static constexpr const char* purpose = "Multiplies matrices by divide and conquer (paper 002, table III).";

    void declare(options& line) {
        line.number<std::size_t>("--size", size_, 1, 8192, "rows, columns");
        line.number<std::size_t>("--grain", leaf_, 3, 8192,
                                 "what is multiplied by one task has fewer rows and columns together");
        line.number<std::uint64_t>("--seed", seed_, 0, 1'000'000, "of the elements");
    }
    void prepare() {
        a_.resize(size_ * size_);
        b_.resize(size_ * size_);
        c_.assign(size_ * size_, 0);
        for (std::size_t i = 0; i < size_ * size_; ++i) {
            const std::uint64_t random = random_number(seed_, i);
            a_[i] = static_cast<float>(random % 8);
            b_[i] = static_cast<float>(random / 8 % 8);
        }
    }
    template <class Runtime>
    void parallel() {
        multiply<by_tasks<Runtime>>(whole(), leaf_);
    }
    void serial() { multiply<in_sequence>(whole(), leaf_); }

    // Sums are below 2^24, where floats are exact.
    void check(verification how) const {
        // C x = A (B x), for x of random small numbers.
        std::vector<std::int64_t> x(size_);
        for (std::size_t i = 0; i < size_; ++i) x[i] = static_cast<std::int64_t>(random_number(seed_ + 1, i) % 1000);
        const auto cx = times(c_, x), abx = times(a_, times(b_, x));
        for (std::size_t i = 0; i < size_; ++i)
            if (cx[i] != abx[i]) throw std::runtime_error("row " + std::to_string(i) + " of the product is wrong");
        if (how != verification::full) return;
        for (std::size_t i = 0; i < size_; ++i) {
            std::vector<float> row(size_);
            for (std::size_t k = 0; k < size_; ++k)
                for (std::size_t j = 0; j < size_; ++j) row[j] += a_[i * size_ + k] * b_[k * size_ + j];
            for (std::size_t j = 0; j < size_; ++j)
                if (c_[i * size_ + j] != row[j])
                    throw std::runtime_error("element " + std::to_string(i) + ", " + std::to_string(j) +
                                             " of the product is wrong");
        }
    }
    std::string numbers() const { return "size=" + std::to_string(size_) + " grain=" + std::to_string(leaf_) + " "; }

private:
    product whole() { return {a_.data(), b_.data(), c_.data(), size_, size_, size_, size_}; }
    std::vector<std::int64_t> times(const std::vector<float>& matrix, const std::vector<std::int64_t>& x) const {
        std::vector<std::int64_t> y(size_);
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t j = 0; j < size_; ++j) y[i] += static_cast<std::int64_t>(matrix[i * size_ + j]) * x[j];
        return y;
    }

    std::size_t size_ = 256, leaf_ = 32;
    std::uint64_t seed_ = 1;
    std::vector<float> a_, b_, c_;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
