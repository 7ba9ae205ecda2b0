#pragma once
// The keys of a level of caches behind the L1s.

#include "cache/line_cache.hpp"
#include "contract/description.hpp"
#include "description/attachment.hpp"
#include "description/cache.hpp"

namespace croftsim {

template <class Keys>
void key_of_answers(Keys& in, LevelDescription& level) {
    using Answers = LevelDescription::Answers;
    static const Words<Answers> answers{{"home", Answers::home}, {"owner", Answers::owner}};
    in.defaulted_word("answers", level.answers, answers,
                      "who answers a request for a line that another L1 or level before it owns as a whole. home: it "
                      "has the bytes brought first; owner: that one does at once, unless the requester could never own "
                      "the line, and the requester tells the home so; without, home");
}

template <class Keys>
void keys(Keys& in, LevelDescription& level) {
    in.label("name", level.name, "what its statistics are called: l2, say");
    in.number_or_all("shared_by", level.shared_by, {1, 1024},
                     "how many tiles in a row share one of its caches. 1: each tile has its own, which it reaches "
                     "without the network; all, for the last level alone");
    in.number("size", level.size, bytes(64, 1 << 28),
              "data of one of its caches, or of one slice; size / (64 x ways) must be a power of two");
    in.number("ways", level.ways, {1, 64}, "lines a set holds");
    key_of_replacement(in, level.replacement);
    in.optional_number("slices", level.slices, {1, 1024},
                       "of the last level: caches among which a hash of the line's address chooses; without, 1");
    in.optional_places("at", level.places, level.placement, {1, 1024},
                       "where the last level's slices are attached; without, they are spread over the tiles. A cache "
                       "that some tiles share is at the first of them");
    static const Words<Protocol> protocols{{"mesi", Protocol::mesi}, {"moesi", Protocol::moesi}};
    in.defaulted_word("protocol", level.protocol, protocols,
                      "how it shares a line that is dirty here with others that ask its own home. Under moesi it stays "
                      "the owner; without, mesi");
    key_of_answers(in, level);
    using Inclusion = LevelDescription::Inclusion;
    static const Words<Inclusion> inclusions{{"inclusive", Inclusion::inclusive}, {"filter", Inclusion::filter}};
    in.defaulted_word(
        "inclusion", level.inclusion, inclusions,
        "of the last level: whether it has the lines that it knows others to have, or, as a snoop filter, "
        "knows who has them and no more; without, inclusive");
    in.number("service", level.service, any_cycles,
              "to read a line, or to find that it is not there, beside the way there and back");
    in.optional_number("store", level.store, any_cycles, "until a store whose line is here is done; without, 0");
    in.optional_number("directory", level.directory, any_cycles,
                       "from a store to the first invalidation that it causes; without, 1");
    in.optional_number("invalidate", level.invalidate, any_cycles,
                       "between two invalidations, or two recalls; without, 1");
    in.optional_number("drop", level.drop, any_cycles,
                       "before it: from an invalidation's or a recall's arrival to its answer; without, 1");
    in.optional_number("occupancy", level.occupancy, any_cycles,
                       "for how long a request for a line keeps the port; without, 1");
    in.optional_number("occupancy_word", level.occupancy_word, any_cycles,
                       "the same for a request that only writes words; without, 1");
    in.optional_number("fill", level.fill, any_cycles,
                       "before it: from a reply's arrival to the use of its data; without, 1");
}

inline void check(const LevelDescription& level, Problems& problems) {
    check_sets(level.size, line_bytes, level.ways, problems);
    check_replacement(level.replacement, level.ways, problems);
    const bool placed = !level.places.empty() || level.placement != Placement::listed;
    if (level.slices > 1 && placed)
        problems.impossible("slices", "has no meaning beside `at`, which lists the slices' places");
    if (level.shared_by == LevelDescription::all) {
        if (level.protocol != Protocol::mesi)
            problems.impossible("protocol", "has no meaning for the last level: it asks memory, which has no protocol");
        return;
    }
    if (level.inclusion == LevelDescription::Inclusion::filter)
        problems.impossible("inclusion", "= \"filter\" needs shared_by = \"all\": only the last level may be one");
    if (level.slices > 1)
        problems.impossible("slices", "(", level.slices, ") needs shared_by = \"all\": slices are the last level's");
    if (placed)
        problems.impossible("at", "needs shared_by = \"all\": a cache that some tiles share is at the first of them");
}

}  // namespace croftsim
