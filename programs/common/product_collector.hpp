#pragma once
// The end of the vectors that a stream of products yields: they are dropped, read, or compared with those of a
// sequential computation. It also says how far the emitter may be ahead: a matrix comes again, and its vector is
// written again, when the vector was collected.

#include <atomic>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <croft/channel/wait.hpp>
#include <croft/memory/home.hpp>
#include <croft/pattern/map_options.hpp>

#include "matrix_set.hpp"

namespace programs {

template <class Element>
class product_collector {
public:
    product_collector(const matrix_set<Element>& matrices, std::size_t size, std::size_t workers, bool reads)
        : matrices_(matrices), reads_(reads) {
        for (std::size_t i = 0; i < workers; ++i) rows_.push_back(croft::share{i, 1, workers}.of(size));
    }

    // ---- the emitter's side ----

    // Item `number` of the stream, once its place is free.
    Element* next(std::uint32_t number) {
        const auto size = static_cast<std::uint32_t>(matrices_.count());
        // Acquire: what was done with the vector's earlier content was done before it is written again.
        while (number - seen_ >= size && number - (seen_ = collected_.load(std::memory_order_acquire)) >= size)
            waiter_.wait([&](auto load) { return number - load(collected_, croft::detail::plain_lines()) < size; });
        return matrices_.matrix(number % size);
    }

    // ---- the collector's side ----

    // A worker's entries of a vector have come.
    void take(const Element* entries, std::size_t worker) {
        if (!reads_) return;
        for (std::size_t i = 0; i < rows_[worker].size(); ++i) {
            std::uint32_t word;
            std::memcpy(&word, entries + i, sizeof(word));
            fold_ += word;
        }
    }
    // All of them have.
    void take_all(std::size_t item) {
        Element* const matrix = matrices_.matrix(item % matrices_.count());
        for (std::size_t worker = 0; reads_ && worker < rows_.size(); ++worker)
            take(matrices_.result_of(matrix, worker, rows_[worker].begin), worker);
    }
    // Now the vector is complete. `expected`: what it should be, or null.
    void complete(std::uint32_t number, const Element* expected) {
        if (expected && !is(matrices_.matrix(number % matrices_.count()), expected)) ++wrong_;
        // Release: see next().
        collected_.store(number + 1, std::memory_order_release);
        waiter_.notify();
    }

    // After the last of `count`. Throws if a vector was not what it should be.
    void finish(std::size_t count, bool checked) const {
        if (wrong_ != 0) throw std::runtime_error(std::to_string(wrong_) + " vectors are not what they should be");
        if (collected_.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(count))
            throw std::runtime_error("a vector was lost or repeated");
        if (checked) std::printf("check: %zu vectors are those of a sequential computation\n", count);
        if (reads_) std::printf("fold 0x%016" PRIx64 "\n", fold_);
    }

private:
    bool is(Element* matrix, const Element* expected) const {
        for (std::size_t worker = 0; worker < rows_.size(); ++worker)
            if (std::memcmp(expected + rows_[worker].begin, matrices_.result_of(matrix, worker, rows_[worker].begin),
                            rows_[worker].size() * sizeof(Element)) != 0)
                return false;
        return true;
    }

    const matrix_set<Element>& matrices_;
    bool reads_;
    std::vector<croft::slice> rows_;
    std::uint64_t fold_ = 0;
    std::size_t wrong_ = 0;
    alignas(croft::port::cache_line) std::uint32_t seen_ = 0;  // the emitter's
    croft::waits::best waiter_;                                // with which it waits
    alignas(croft::port::cache_line) std::atomic<std::uint32_t> collected_{0};
};

}  // namespace programs
