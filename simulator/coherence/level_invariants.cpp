// The rules of L1s and the levels behind them whenever no message is under way and no store is buffered.

#include <array>

#include "cache/private_l1.hpp"
#include "coherence/level_system.hpp"
#include "coherence/protocols.hpp"

namespace croftsim {

//   - a word has one owner at most, and its home knows it (single writer);
//   - a line that MESI's L1s or levels hold is at their home (inclusion), which lists it;
//   - unless it is owned, it has the home's bytes;
//   - what its owner has not written is as it is at the home, or, where that has no bytes, in memory;
//   - nobody owns anything of a line of which the home has a copy only;
//   - no line is busy, and no transaction open;
//   - a cache's table of owners has a row for each line whose words have several, and no other.
std::string LevelSystem::violated_invariant() {
    std::string found;
    const auto say = [&](const std::string& what, const std::string& where, std::uint64_t line) {
        found = violation(what, where, line);
    };
    const auto look_at = [&](std::uint32_t node, const std::string& where, const auto& line, std::uint64_t owned,
                             std::uint64_t unwritten, bool tracked) {
        CacheLevel& home = caches_[home_of(line.address, node) - first_node_];
        const LevelLine* at_home = home.lines().find(line.address);
        const std::uint64_t known = at_home ? home.owners().owned_by(*at_home, node) : 0;
        if (owned & ~known) say("words are owned, and the home does not know", where, line.address);
        if (owned && at_home && !at_home->exclusive)
            say("words are owned of a line that their home only copies", where, line.address);
        if (unwritten && at_home) {
            std::array<std::uint8_t, line_bytes> bytes = at_home->bytes;
            if (home.is_filter()) post_.memory().read_dram(line.address, bytes.data(), line_bytes);
            put_masked(bytes.data(), line.bytes.data(), ~unwritten);
            if (bytes != line.bytes) say("words that nobody has written differ from their home's", where, line.address);
        }
        if (!tracked) return;
        if (!at_home)
            say("a copy whose home does not hold the line", where, line.address);
        else if (!owned && !home.lines().sharers(*at_home).contains(node))
            say("a copy that the directory does not list", where, line.address);
        else if (!owned && at_home->owned && !at_home->shown && !home.is_filter() && !home.has_owners_answer())
            say("a copy of a line that has an owner", where, line.address);
        else if (!owned && !home.is_filter() && (!at_home->owned || at_home->shown) && at_home->bytes != line.bytes)
            say("a copy that differs from its home's", where, line.address);
    };
    for (std::uint32_t id = 0; id < l1s_.size() && found.empty(); ++id) {
        const ProtocolTraits& traits = traits_of(machine_.kind_of(id).protocol);
        l1s_[id]->l1.for_each([&](L1Line& line) {
            look_at(id, "the L1 of tile " + std::to_string(id), line, line.owned | (traits.owns ? line.dirty : 0),
                    line.owned & ~line.dirty, traits.writers_invalidate);
        });
    }
    for (std::uint32_t index = 0; index < caches_.size() && found.empty(); ++index) {
        CacheLevel& cache = caches_[index];
        const std::string where = places_[index].level + " at node " + std::to_string(first_node_ + index);
        if (!cache.idle()) found = "a transaction without messages under way: " + where;
        std::size_t rows = 0;
        cache.lines().for_each([&](LevelLine& line) {
            if (line.busy) say("a line is busy without a transaction", where, line.address);
            rows += line.row != 0;
            if (places_[index].asks.count > 0)
                look_at(first_node_ + index, where, line, line.is_owned_above() ? whole_line : 0,
                        line.exclusive && !line.dirty && line.here ? ~line.owned : 0, true);
        });
        if (rows != cache.owners().rows_in_use()) found = "a row of owners is no line's, or two lines': " + where;
    }
    return found;
}

}  // namespace croftsim
