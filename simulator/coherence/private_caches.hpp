#pragma once
// A tile's private caches, which its requester and its home share. One L2 has both the copies of lines homed elsewhere
// and the lines homed here, under an inclusive L1.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "cache/l1_filter.hpp"
#include "cache/line_cache.hpp"
#include "cache/port.hpp"
#include "cache/write_filter.hpp"
#include "core/core.hpp"
#include "core/core_model.hpp"

namespace croftsim {

struct CacheStatistics {
    static constexpr bool is_plain = true;
    std::uint64_t looks = 0;      // that CoreModel::looks() leaves to it
    std::uint64_t l1_misses = 0;  // of all looks
    std::uint64_t l2_hits = 0, l2_misses = 0;
    std::uint64_t l2_evictions = 0;
    std::uint64_t invalidated = 0;     // copies that another core's write took away
    std::uint64_t store_messages = 0;  // write-through messages sent, after merging
    std::uint64_t stores_sent = 0;     // stores in them
};

struct PrivateCaches {
    PrivateCaches(const CoreKind& kind, std::uint32_t tiles) : l1(kind.l1d), l2(*kind.l2, 1, tiles) {}

    L1Filter l1;
    LineCache l2;
    WriteFilter writable;
    Port port;                      // of the L2
    std::uint32_t write_backs = 0;  // under way to memory for a store of this core: its fences wait for them
    CacheStatistics statistics;

    void serialise(Archive& archive) {
        archive(l2, port, write_backs, statistics);
        const auto addend_of = [this](std::uint64_t line) {
            Line* const found = l2.find(line_of(line));
            if (!found) Archive::damaged();
            return found->addend();
        };
        l1.serialise(archive, addend_of);
        writable.serialise(archive, addend_of);
    }

    // The core has to ask before it uses anything of these again.
    void ask_again(std::uint64_t first, std::uint64_t bytes) {
        const auto inside = [&](std::uint64_t line) { return line - first < bytes; };
        std::vector<std::uint64_t> lines;
        l1.for_each([&](std::uint64_t line, std::uintptr_t) {
            if (inside(line)) lines.push_back(line);
        });
        for (const std::uint64_t line : lines) l1.drop(line, l1.line_bytes);
        writable.revoke_if(inside);
    }

    // Whether the core may have read or written the line without asking anyone.
    bool uses(std::uint64_t line) const { return writable.permits(line) || l1.holds(line, line_bytes); }
    void drop(Line& line) {
        l1.drop(line.address, line_bytes);
        writable.revoke(line.address);
        l2.free(line);
    }
};
static_assert(is_listed<PrivateCaches, 4344>);

inline void end_reservation(Core& core, std::uint64_t time) {
    core.reservation.lose();
    if (core.state == CoreState::waits_line) core.wake(time + 1, Stall::line);
}
// Another core's write to the line has reached this core.
inline void lose_reservation(Core& core, std::uint64_t line, std::uint64_t time) {
    core.model->line_lost(line, time);
    if (core.reservation.covers(line)) end_reservation(core, time);
}

}  // namespace croftsim
