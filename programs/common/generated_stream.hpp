#pragma once
// A generated stream of size x size matrices, for measurements. A row repeats one of sixteen lines of numbers, so that
// making a matrix costs little but writing it. Taking one costs what reading it costs: it is folded, by words of 64
// bits, into a sum; unless it is to be ignored.
//
// Each element is followed by a padding (padding.hpp) that makes the sequential time on a simulated TILEPro64 that of
// paper 000, table 6.

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "convolution.hpp"
#include "matrix_stream.hpp"
#include "padding.hpp"

namespace programs {

template <class Element>
class generated_stream final : public matrix_stream {
public:
    static constexpr std::size_t padding = 3;  // rounds an element

    // `reads`: whether what is taken is looked at. `checks`: every matrix is compared with a sequential computation.
    generated_stream(std::size_t count, std::size_t size, const filter<Element>& by, bool reads, bool checks,
                     std::size_t collectors = 1)
        : count_(count), size_(size), by_(by), reads_(reads), checks_(checks), taken_(collectors) {
        std::uint32_t noise = 1;
        for (line& row : table_)
            for (std::uint64_t& word : row) {
                Element pair[2];
                for (Element& element : pair)
                    element = static_cast<Element>((noise = noise * 1664525 + 1013904223) >> 24);
                std::memcpy(&word, pair, 8);
            }
    }

    std::size_t count() const override { return count_; }
    std::size_t bytes() const override { return size_ * size_ * sizeof(Element); }

    void make(std::size_t number, std::byte* task) const override {
        const std::size_t lines = size_ * sizeof(Element) / sizeof(line);
        std::byte* to = task;
        for (std::size_t y = 0; y < size_; ++y) {
            const line row = table_[(number + y) % table_.size()];  // stays in registers
            for (std::size_t i = 0; i < lines; ++i, to += sizeof(line))
                for (std::size_t word = 0; word < row.size(); ++word)
                    std::memcpy(std::assume_aligned<8>(to + 8 * word), &row[word], 8);
        }
    }
    void compute(const std::byte* task, std::byte* result) const override {
        convolve_alone(by_, elements<Element>(task), elements<Element>(result), size_);
        pad(padding * size_ * size_);
    }
    void take(std::size_t number, const std::byte* result, std::size_t collector) override {
        taken& own = taken_[collector];
        if (reads_) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < bytes(); i += 8) {
                std::uint64_t word;
                std::memcpy(&word, std::assume_aligned<8>(result + i), 8);
                sum += word;
            }
            own.fold += sum;
        }
        if (checks_) {
            compare(number, result);
            ++own.checked;
        }
    }
    void finish(bool early) override {
        taken all;
        for (const taken& each : taken_) {
            all.fold += each.fold;
            all.checked += each.checked;
        }
        if (checks_ && !early && all.checked != count_) throw std::runtime_error("a matrix was lost or repeated");
        if (checks_) std::printf("check: %zu matrices are those of a sequential computation\n", all.checked);
        if (reads_) std::printf("fold 0x%016" PRIx64 "\n", all.fold);
    }

private:
    using line = std::array<std::uint64_t, 8>;
    // By one collector.
    struct alignas(64) taken {
        std::uint64_t fold = 0;
        std::size_t checked = 0;
    };
    static_assert(sizeof(Element) == 4);

    void compare(std::size_t number, const std::byte* result) {
        std::vector<Element> again(size_ * size_), expected(size_ * size_);
        std::byte* const task = std::as_writable_bytes(std::span(again)).data();
        std::byte* const right = std::as_writable_bytes(std::span(expected)).data();
        make(number, task);
        compute(task, right);
        if (std::memcmp(right, result, bytes()) != 0)
            throw std::runtime_error("matrix " + std::to_string(number) + " is not what it should be");
    }

    std::size_t count_, size_;
    filter<Element> by_;
    bool reads_, checks_;
    std::array<line, 16> table_;
    std::vector<taken> taken_;
};

}  // namespace programs
