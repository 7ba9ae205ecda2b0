#pragma once
// Puts the parts together that a collector receives from N workers, each of whose streams is in order: which item a
// part belongs to, and whether it completes it. No message needs a number for that, so one that is a word stays one.
//
// The workers are not in step: between the first and the last of them may be as many items as all slots hold. So the
// parts that are missing are counted for each item under way, in a ring that grows when it must.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <croft/memory/home.hpp>
#include <croft/memory/packed_array.hpp>
#include <croft/pattern/map_options.hpp>

namespace croft::detail {

class map_gather {
    using counts = packed_array<std::uint32_t, plain_lines>;

public:
    // Used by one thread, the one on `core`.
    map_gather(std::size_t workers, int core)
        : workers_(workers), core_(core), received_(workers, plain_lines(core)), missing_(make_ring(first_size)) {
        for (std::size_t i = 0; i < workers; ++i) received_[i] = 0;
        for (std::size_t i = 0; i < first_size; ++i) (*missing_)[i] = part_count();
    }

    // A part has come from this worker.
    map_part arrived(std::size_t worker) {
        const std::uint32_t item = received_[worker]++;
        if (item - complete_ >= size_) [[unlikely]]
            grow();
        std::uint32_t& missing = (*missing_)[item & (size_ - 1)];
        if (--missing != 0) return {item, worker, false};
        missing = part_count();
        ++complete_;
        return {item, worker, true};
    }
    // How many items are complete. They become so in their order, as every worker's parts come in theirs. (Modulo 2^32,
    // as all numbers of items are.)
    std::uint32_t complete() const { return complete_; }

private:
    static constexpr std::uint32_t first_size = 16;
    std::uint32_t part_count() const { return static_cast<std::uint32_t>(workers_); }
    std::unique_ptr<counts> make_ring(std::size_t size) const {
        return std::make_unique<counts>(size, plain_lines(core_));
    }
    void grow() {
        auto larger = make_ring(2 * size_);
        for (std::uint32_t i = 0; i < 2 * size_; ++i) (*larger)[i] = part_count();
        for (std::uint32_t i = complete_; i != complete_ + size_; ++i)
            (*larger)[i & (2 * size_ - 1)] = (*missing_)[i & (size_ - 1)];
        missing_ = std::move(larger);
        size_ *= 2;
    }

    std::size_t workers_;
    int core_;
    counts received_;
    std::unique_ptr<counts> missing_;
    std::uint32_t size_ = first_size;
    std::uint32_t complete_ = 0;
};

}  // namespace croft::detail
