#pragma once
// The keys of the network.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, ChipLinkDescription& link) {
    in.number("column", link.column, {0, 63}, "the column of the router that they lead from and to, on each chip");
    in.number("row", link.row, {0, 63}, "its row");
    in.number("latency", link.latency, some_cycles, "from router to router");
    in.number("cycles_per_flit", link.cycles_per_flit, {1, 1000, "cycles"}, "for which a flit keeps such a link");
}

// "mesh" and the others.
const Words<std::string>& topology_names();

template <class Keys>
void keys(Keys& in, NetworkDescription& network) {
    in.number("columns", network.columns, {1, 64}, "routers in a row of a chip");
    in.number("rows", network.rows, {1, 64}, "routers in a column of a chip");
    in.number("hop", network.hop, some_cycles, "from router to router");
    in.number("inject", network.inject, any_cycles, "from a tile into its router");
    in.number("eject", network.eject, any_cycles, "from the last router into a tile");
    in.number("flit", network.flit, bytes(1, 256), "payload that a flit carries, and that a link moves in a cycle");
    in.number("header_flits", network.header_flits, {1, 64}, "flits of a message beside those of its payload");
    in.optional_word(
        "topology", network.topology, topology_names(),
        "which routers of a chip have links to each other: those beside and below each other, and a message "
        "goes along the row first, then along the column (mesh, and if nothing is said); those with the "
        "next number, and the last with the first, and a message goes the shorter way, or to higher numbers "
        "if both are equally long (ring); all of them (crossbar)");
    in.optional_number("tiles_per_router", network.tiles_per_router, {1, 64},
                       "tiles of each router. If they are several, each has a link of its own each way, as memory "
                       "controllers have. Nothing: one, which is at its router");
    in.optional_number("chips", network.chips, {1, 64}, "so many chips like that. Nothing: one");
    in.optional_part("chip_link", network.chip_link,
                     "The links between chips: from each chip to each other, as `chips` needs if it is more than 1.");
}

void check(const NetworkDescription& network, Problems& problems);

// For sentences: "the 8 x 8 mesh", "the 8 x 8 ring of each chip".
std::string text_of(const NetworkDescription& network);
// Whether a chip has such a router.
bool has_router(const NetworkDescription& network, std::uint32_t column, std::uint32_t row);

}  // namespace croftsim
