#pragma once
// Puts together the parts that a collector receives from N workers, each of whose streams is in order. It tells which
// item a part belongs to, and whether it completes the item. No message needs a number for that, so a message of one
// word stays one.
//
// The workers are not in step: between the first and the last of them may be as many items as all slots hold. So the
// parts that are missing are counted for each item under way, in a ring that grows when it must.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/memory/home.hpp>
#include <croft/memory/packed_array.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

class map_gather {
    // The type of items' numbers. (A simulated machine's programs are measured with the narrow one, and run for
    // seconds.)
    using number = std::conditional_t<port::waits_on_lines, std::uint32_t, std::uint64_t>;
    using numbers = packed_array<number, plain_lines>;
    using counts = packed_array<std::uint32_t, plain_lines>;

public:
    // Used by one thread, the one on `core`.
    map_gather(std::size_t workers, int core)
        : workers_(workers), core_(core), received_(workers, plain_lines(core)), side_(1, plain_lines(core)) {
        std::fill_n(&received_[0], workers, 0);
        side_[0].received = &received_[0];
        make_ring(first_size);
    }
    // From that item on.
    map_gather(std::size_t workers, int core, number first) : map_gather(workers, core) {
        std::fill_n(&received_[0], workers, first);
        side_[0].complete = first;
    }

    // A part has come from this worker.
    [[gnu::always_inline]] map_part arrived(std::size_t worker) {
        side& own = side_[0];
        const number item = own.received[worker]++;
        if (item - own.complete > own.mask) [[unlikely]]
            grow();
        std::uint32_t& missing = own.missing[item & own.mask];
        const std::uint32_t left = missing - 1;
        missing = left;
        if (left == 0) complete(own, missing);
        return {item, worker, left == 0};
    }
    // How many items are complete. They become so in their order, as every worker's parts come in theirs.
    number complete() const { return side_[0].complete; }

private:
    // In a line of its own, at its core: it is used for every part.
    struct side {
        number* received;        // from each worker
        std::uint32_t* missing;  // of each item under way, in a ring of mask + 1
        std::uint32_t mask;
        number complete = 0;
    };
    static constexpr std::uint32_t first_size = 16;

    void complete(side& own, std::uint32_t& missing) {
        missing = static_cast<std::uint32_t>(workers_);
        ++own.complete;
    }
    void make_ring(std::uint32_t size) {
        auto ring = std::make_unique<counts>(size, plain_lines(core_));
        std::fill_n(&(*ring)[0], size, static_cast<std::uint32_t>(workers_));
        ring_ = std::move(ring);
        side_[0].missing = &(*ring_)[0];
        side_[0].mask = size - 1;
    }
    [[gnu::noinline]] void grow() {
        const std::unique_ptr<counts> before = std::move(ring_);
        const std::uint32_t mask = side_[0].mask;
        const number first = side_[0].complete;
        make_ring(2 * (mask + 1));
        for (number i = first; i != first + mask + 1; ++i) (*ring_)[i & side_[0].mask] = (*before)[i & mask];
    }

    std::size_t workers_;
    int core_;
    numbers received_;  // packed_array: they fill its lines without gaps
    std::unique_ptr<counts> ring_;
    line_array<side, plain_lines> side_;
};

}  // namespace croft::detail
