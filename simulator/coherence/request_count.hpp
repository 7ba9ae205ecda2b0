#pragma once
// Requests between L2 caches for lines that the program has named: its messages and their events, say. The L2 that gets
// them counts them: reads, writes and invalidations (paper 000, figures 11 and 15). A burst of stores to one line
// counts as one write. A store is part of it if the same tile's last store was at most `burst_gap` cycles ago. No other
// tile may have asked for the line since.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "cache/line_cache.hpp"
#include "contract/message.hpp"

namespace croftsim {

class RequestCount {
public:
    struct Counts {
        static constexpr bool is_plain = true;
        std::uint64_t reads = 0, writes = 0, invalidations = 0;
    };

    explicit RequestCount(std::size_t tiles) : counts_(tiles) {}

    // All lines that hold a byte of the range.
    void name(std::uint64_t address, std::uint64_t bytes) {
        for (std::uint64_t line = address / line_bytes * line_bytes; line < address + bytes; line += line_bytes)
            last_write_.try_emplace(line);
    }

    // To be told of every message that leaves a tile, in the order of time.
    void sent(const Message& message) {
        if (last_write_.empty() || message.source == message.destination) return;
        if (message.destination >= counts_.size()) return;  // to a home that is no tile
        switch (message.kind) {
            case MessageKind::read:
                if (Write* last = last_write_of(message.line)) {
                    last->tile = nobody;
                    ++counts_[message.destination].reads;
                }
                break;
            case MessageKind::write_through:
                if (Write* last = last_write_of(message.line)) {
                    if (last->tile != message.source || message.time > last->time + burst_gap)
                        ++counts_[message.destination].writes;
                    *last = {message.source, message.time};
                }
                break;
            case MessageKind::invalidate:
                if (last_write_of(message.line)) ++counts_[message.destination].invalidations;
                break;
            default:
                break;
        }
    }

    const Counts& at(std::size_t tile) const { return counts_[tile]; }

    void serialise(Archive& archive) {
        archive(last_write_);
        archive.each(counts_);
    }

private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};
    static constexpr std::uint64_t burst_gap = 200;

    struct Write {
        static constexpr bool is_plain = true;
        std::uint32_t tile = nobody;
        std::uint64_t time = 0;
    };
    Write* last_write_of(std::uint64_t line) {
        const auto found = last_write_.find(line);
        return found == last_write_.end() ? nullptr : &found->second;
    }

    std::unordered_map<std::uint64_t, Write> last_write_;
    std::vector<Counts> counts_;
};
static_assert(is_listed<RequestCount, 80>);

}  // namespace croftsim
