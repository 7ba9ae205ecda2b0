#pragma once
// The keys of the memory controllers.

#include "cache/line_cache.hpp"
#include "contract/description.hpp"
#include "description/attachment.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, DramDescription& dram) {
    Words<DramStandard> names;
    for (const DramTraits& one : dram_standards()) names.push_back({one.name, one.standard});
    in.word("standard", dram.standard, names,
            "whose timing a controller keeps to; it has one rank, 64 bits wide (HBM2: 128)");
    in.number(
        "queue", dram.queue, {1, 1024},
        "requests of which the controller may choose: the oldest whose row is open, else the oldest; 1: in order");
    static const Words<DramMapping> mappings{{"rows", DramMapping::rows}, {"groups", DramMapping::groups}};
    in.optional_word("mapping", dram.mapping, mappings,
                     "where a controller's consecutive lines are: in one row, and rows go round the banks; or in one "
                     "row of each bank group, and lines go round the groups. Nothing: `groups` under DDR4-2400, whose "
                     "bursts of one group are further apart than a burst is long, else `rows`");
}

constexpr std::uint32_t most_controllers = 64;  // a page has its controller's number in a byte

template <class Keys>
void keys(Keys& in, MemoryDescription& memory) {
    in.places("controllers", memory.controllers, memory.placement, {1, most_controllers}, "where the controllers are");
    in.number("stripe", memory.stripe, multiple_of(line_bytes, bytes(line_bytes, 1 << 30)),
              "consecutive bytes served by one controller");
    in.number("latency", memory.latency, any_cycles, "from a request's arrival at a controller to its first data");
    in.number("write_latency", memory.write_latency, any_cycles,
              "from a write's arrival at a controller to its acknowledgement");
    in.number("occupancy", memory.occupancy, any_cycles, "for how long a line keeps the controller's port");
    in.optional_part(
        "dram", memory.dram,
        "The DRAM: banks, rows and refresh. `latency` and `write_latency` are then those of an idle controller "
        "whose banks are closed.");
}

}  // namespace croftsim
