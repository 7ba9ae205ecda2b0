#pragma once
// A generated stream of size x size matrices, for measurements. Their elements come from one table, read from another
// place for every row, so that making a matrix costs what writing it costs. Taking one costs what reading it costs: it
// is folded, by words of 64 bits, into a sum.

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "matrix_stream.hpp"

namespace programs {

template <class Element>
class generated_stream final : public matrix_stream<Element> {
public:
    // Checks every matrix against a sequential computation, by `check`, when it is taken.
    generated_stream(std::size_t count, std::size_t size, const filter<Element>* check)
        : count_(count), size_(size), check_(check), table_(size + 64) {
        std::uint32_t noise = 1;
        for (Element& element : table_) element = static_cast<Element>((noise = noise * 1664525 + 1013904223) >> 24);
    }

    std::size_t count() const override { return count_; }

    void make(std::size_t number, task_matrix<Element>& into) const override {
        into.number = static_cast<std::uint32_t>(number);
        // From even places only, so that whole words are copied.
        for (std::size_t y = 0; y < size_; ++y)
            std::memcpy(into.cells + y * size_, table_.data() + (number + y) % 32 * 2, size_ * sizeof(Element));
    }
    void compute(const filter<Element>& by, const task_matrix<Element>& from,
                 result_matrix<Element>& into) const override {
        into.number = from.number;
        convolve_alone(by, from.cells, into.cells, size_);
    }
    void take(const result_matrix<Element>& made) override {
        const char* bytes = reinterpret_cast<const char*>(made.cells);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < size_ * size_ * sizeof(Element); i += 8) {
            std::uint64_t word;
            std::memcpy(&word, bytes + i, 8);
            sum += word;
        }
        fold_ += sum;
        if (check_) compare(made);
    }
    void finish() override {
        if (check_ && checked_ != count_) throw std::runtime_error("a matrix was lost or repeated");
        if (check_) std::printf("check: %zu matrices are those of a sequential computation\n", checked_);
        std::printf("fold 0x%016" PRIx64 "\n", fold_);
    }

private:
    void compare(const result_matrix<Element>& made) {
        const auto again = std::make_unique<task_matrix<Element>>();
        const auto expected = std::make_unique<result_matrix<Element>>();
        make(made.number, *again);
        compute(*check_, *again, *expected);
        if (std::memcmp(expected->cells, made.cells, size_ * size_ * sizeof(Element)) != 0)
            throw std::runtime_error("matrix " + std::to_string(made.number) + " is not what it should be");
        ++checked_;
    }

    std::size_t count_, size_;
    const filter<Element>* check_;
    std::vector<Element> table_;
    std::uint64_t fold_ = 0;
    std::size_t checked_ = 0;
};

}  // namespace programs
