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
                       "caches of which each of it consists; a hash of the line's address chooses among them; without, "
                       "1");
    using SlicedBy = LevelDescription::SlicedBy;
    static const Words<SlicedBy> ways_to_slice{{"address", SlicedBy::address}, {"controller", SlicedBy::controller}};
    in.defaulted_word("sliced_by", level.sliced_by, ways_to_slice,
                      "of the last level. controller: each memory controller has a slice beside it, which answers for "
                      "the controller's lines; without, address");
    in.optional_places(
        "at", level.places, level.placement, {1, 1024},
        "where the last level's slices are attached; without, they are spread over the tiles. Those of a "
        "cache that some tiles share are spread over these, from the first on");
    static const Words<Protocol> protocols{
        {"mesi", Protocol::mesi}, {"moesi", Protocol::moesi}, {"mesif", Protocol::mesif}};
    in.defaulted_word("protocol", level.protocol, protocols,
                      "how it shares its lines with others that ask its own home. Under moesi it stays the owner of a "
                      "dirty one; under mesif the latest reader of a clean one gives it to the next, if the home is a "
                      "filter; without, mesi");
    key_of_answers(in, level);
    static const Words<bool> ways_to_leave{{"silent", false}, {"told", true}};
    in.defaulted_word(
        "clean_evictions", level.told, ways_to_leave,
        "whether caches before it tell it that an exclusive line has left which is clean, so that it asks "
        "them no more; without, silent");
    using Inclusion = LevelDescription::Inclusion;
    static const Words<Inclusion> inclusions{{"inclusive", Inclusion::inclusive}, {"filter", Inclusion::filter}};
    in.defaulted_word(
        "inclusion", level.inclusion, inclusions,
        "of the last level: whether it has the lines that it knows others to have, or, as a snoop filter, "
        "knows who has them and no more; without, inclusive");
    using Memory = LevelDescription::Memory;
    static const Words<Memory> memories{{"behind", Memory::behind}, {"first", Memory::first}};
    in.defaulted_word("memory", level.memory, memories,
                      "of a filter: whether memory has got dirty bytes before their reader does, or gets them behind; "
                      "without, behind");
    in.number("service", level.service, any_cycles,
              "to read a line, or to find that it is not there, beside the way there and back");
    in.optional_number("store", level.store, any_cycles, "until a store whose line is here is done; without, 0");
    in.optional_number("directory", level.directory, any_cycles,
                       "from a store to the first invalidation that it causes; without, 1");
    in.optional_number("invalidate", level.invalidate, any_cycles,
                       "between two invalidations, or two recalls; without, 1");
    in.optional_number("drop", level.drop, any_cycles,
                       "before it: from an invalidation's or a recall's arrival to its answer; without, 1");
    in.optional_number("resume", level.resume, any_cycles,
                       "from the last answer of those who had to be asked until the request goes on, before `service`; "
                       "without, 0");
    in.optional_number("write", level.write, any_cycles, "further, if they have answered with newer bytes; without, 0");
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
    const bool by_controller = level.sliced_by == LevelDescription::SlicedBy::controller;
    if (by_controller && (level.slices > 1 || placed))
        problems.impossible("sliced_by", "= \"controller\" says how many slices there are and where: `",
                            placed ? "at" : "slices", "` has no meaning beside it");
    if (level.memory == LevelDescription::Memory::first && !level.is_filter())
        problems.impossible("memory", "= \"first\" needs inclusion = \"filter\": another level keeps the bytes");
    if (level.shared_by == LevelDescription::all) {
        if (level.protocol != Protocol::mesi)
            problems.impossible("protocol", "has no meaning for the last level: it asks memory, which has no protocol");
        return;
    }
    if (level.inclusion == LevelDescription::Inclusion::filter)
        problems.impossible("inclusion", "= \"filter\" needs shared_by = \"all\": only the last level may be one");
    if (level.slices > level.shared_by)
        problems.impossible("slices", "(", level.slices, ") are more than the ", level.shared_by,
                            " tiles at which they are");
    if (by_controller)
        problems.impossible("sliced_by", "= \"controller\" needs shared_by = \"all\": memory is behind the last level");
    if (placed) problems.impossible("at", "needs shared_by = \"all\": a cache that some tiles share is at these tiles");
}

}  // namespace croftsim
