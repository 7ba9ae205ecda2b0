// The rules of a TILEPro64's caches whenever no message is under way and no store is buffered.

#include "coherence/ddc_system.hpp"

namespace croftsim {

//   - a line is homed at no tile but its home, and every other copy is listed in the home's directory (inclusion);
//   - every copy has the home's bytes (so there is a single value, whoever wrote last);
//   - a line that its core may store to at once has no other copy (single writer);
//   - what the L1 holds is in the L2 (inclusion), and no line is busy, and no transaction open.
std::string DdcSystem::violated_invariant() {
    std::string found;
    for (std::size_t id = 0; id < tiles_.size() && found.empty(); ++id) {
        const std::string where = "tile " + std::to_string(id);
        const auto say = [&](const char* what, std::uint64_t line) { found = violation(what, where, line); };
        PrivateCaches& caches = tiles_[id]->caches;
        if (!tiles_[id]->home.idle()) found = "a home has a transaction: " + where;
        caches.l2.for_each([&](Line& line) {
            const std::uint32_t home = home_of(line.address, static_cast<std::uint32_t>(id));
            if (line.homed && home != id) say("a line is homed at a tile that is not its home", line.address);
            if (line.busy) say("a line is busy without a transaction", line.address);
            if (line.homed) {
                if (caches.writable.permits(line.address) && !caches.l2.sharers(line).empty())
                    say("a line with other copies may be stored to at once", line.address);
                return;
            }
            const Line* source = tiles_[home]->caches.l2.find(line.address);
            if (!source || !source->homed)
                say("a copy whose home has no directory entry", line.address);
            else if (!tiles_[home]->caches.l2.sharers(*source).contains(static_cast<std::uint32_t>(id)))
                say("a copy that the directory does not list", line.address);
            else if (source->bytes != line.bytes)
                say("a copy that differs from its home's", line.address);
        });
        caches.l1.for_each([&](std::uint64_t line, std::uintptr_t addend) {
            Line* below = caches.l2.find(line_of(line));
            if (!below || below->addend() != addend) say("an L1 line that the L2 does not hold", line);
        });
    }
    return found;
}

}  // namespace croftsim
