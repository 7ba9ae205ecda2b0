#pragma once
// The rules of the caches of a coherent machine whenever no message is under way and no store is buffered.

#include <string>
#include <vector>

#include "coherence/ddc_system.hpp"

namespace croftsim {

// One sentence about the first violation found, or nothing:
//   - a line is homed at no tile but its home, and every other copy is listed in the home's directory (inclusion);
//   - every copy has the home's bytes (so there is a single value, whoever wrote last);
//   - a line that its core may store to at once has no other copy (single writer);
//   - what the L1 holds is in the L2 (inclusion), and no line is busy, and no transaction open.
// `home_of` is the machine's homing function.
template <class HomeOf>
std::string violated_invariant(const std::vector<DdcTile*>& tiles, HomeOf home_of) {
    const auto at = [](const char* what, std::size_t tile, std::uint64_t line) {
        char text[120];
        std::snprintf(text, sizeof text, "%s: tile %zu, line 0x%llx", what, tile,
                      static_cast<unsigned long long>(line));
        return std::string(text);
    };
    std::string found;
    for (std::size_t id = 0; id < tiles.size() && found.empty(); ++id) {
        PrivateCaches& caches = tiles[id]->caches;
        if (!tiles[id]->home.idle()) found = "a home has a transaction: tile " + std::to_string(id);
        caches.l2.for_each([&](Line& line) {
            const std::uint32_t home = home_of(line.address, static_cast<std::uint32_t>(id));
            if (line.homed && home != id)
                found = at("a line is homed at a tile that is not its home", id, line.address);
            if (line.busy) found = at("a line is busy without a transaction", id, line.address);
            if (line.homed) {
                if (caches.writable.at(line.address).line == line.address && !caches.l2.sharers(line).empty())
                    found = at("a line with other copies may be stored to at once", id, line.address);
                return;
            }
            const Line* source = tiles[home]->caches.l2.find(line.address);
            if (!source || !source->homed)
                found = at("a copy whose home has no directory entry", id, line.address);
            else if (!tiles[home]->caches.l2.sharers(*source).contains(static_cast<std::uint32_t>(id)))
                found = at("a copy that the directory does not list", id, line.address);
            else if (source->bytes != line.bytes)
                found = at("a copy that differs from its home's", id, line.address);
        });
        caches.l1.for_each([&](std::uint64_t line, std::uintptr_t addend) {
            Line* below = caches.l2.find(line_of(line));
            if (!below || below->addend() != addend) found = at("an L1 line that the L2 does not hold", id, line);
        });
    }
    return found;
}

}  // namespace croftsim
