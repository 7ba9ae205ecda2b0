#pragma once
// The keys of the mesh.

#include "cache/sharer_set.hpp"
#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, NetworkDescription& network) {
    in.number("columns", network.columns, {1, 64}, "tiles in a row of the mesh");
    in.number("rows", network.rows, {1, 64}, "tiles in a column of the mesh");
    in.number("hop", network.hop, some_cycles, "from router to router");
    in.number("inject", network.inject, any_cycles, "from a tile into its router");
    in.number("eject", network.eject, any_cycles, "from the last router into a tile");
    in.number("flit", network.flit, bytes(1, 256), "payload that a flit carries, and that a link moves in a cycle");
    in.number("header_flits", network.header_flits, {1, 64}, "flits of a message beside those of its payload");
}

inline void check(const NetworkDescription& network, Problems& problems) {
    if (network.columns * network.rows > SharerSet::capacity)
        problems.impossible("columns", "x rows (", network.columns, " x ", network.rows, ") make more than ",
                            SharerSet::capacity, " tiles");
}

}  // namespace croftsim
