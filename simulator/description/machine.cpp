#include "description/machine.hpp"

#include <algorithm>

#include "description/placement.hpp"

namespace croftsim {
namespace {

void check_places(const char* key, const std::vector<Attachment>& places, const NetworkDescription& network,
                  Problems& problems) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [column, row, chip] = places[i];
        if (!has_router(network, column, row))
            problems.impossible(joined(key, "[", i, "]"), "(column ", column, ", row ", row, ") is outside ",
                                text_of(network));
        if (chip >= network.chips)
            problems.impossible(joined(key, "[", i, "]"), "(chip ", chip, ") is not there: the last chip is ",
                                network.chips - 1);
    }
}

// A controller's latency is what its DRAM takes, and something beside that.
void check_dram(const MachineDescription& machine, Problems& problems) {
    if (!machine.memory.dram) return;
    const DramTraits& dram = traits_of(machine.memory.dram->standard);
    const DramTimes times = in_cycles(dram.times, machine.clock_mhz);
    const auto require = [&](const char* key, std::uint32_t latency, std::uint32_t least, const char* what) {
        if (latency < least)
            problems.impossible(key, "(", latency, ") is less than the ", least, " cycles that ", dram.name,
                                " takes to ", what, " a row of a closed bank");
    };
    require("memory.latency", machine.memory.latency, times.rcd + times.cl, "read");
    require("memory.write_latency", machine.memory.write_latency, times.rcd + times.cwl, "write");
}

// All protocols of a machine want the same home, and it has that one only.
void check_homes(const MachineDescription& machine, Problems& problems) {
    const CoreKind& first = machine.kinds.front();
    for (const CoreKind& kind : machine.kinds)
        if (traits_of(kind.protocol).home != traits_of(first.protocol).home)
            return problems.impossible(kind.name + ".protocol", "('", name_of(kind.protocol), "') and ", first.name,
                                       ".protocol ('", name_of(first.protocol),
                                       "') keep lines in different homes, and a machine has one sort");
    const bool in_tiles = traits_of(first.protocol).home == HomeIn::tiles;
    const std::string of = joined("'", name_of(first.protocol), "'");
    const auto require = [&](const char* key, bool is_there, bool wanted) {
        if (wanted && !is_there) problems.impossible(key, "is missing, which protocol ", of, " needs");
        if (!wanted && is_there) problems.impossible(key, "has no meaning beside protocol ", of);
    };
    require("home", machine.home.has_value(), in_tiles);
    if (!machine.levels.empty() && (in_tiles || !machine.shared)) {
        if (in_tiles)
            problems.impossible("level", "has no meaning beside protocol ", of);
        else
            problems.impossible("level", "needs a last one with shared_by = \"all\", or `shared` behind it");
        return;
    }
    require("shared", machine.shared.has_value(), !in_tiles);
}

// From the cores on, caches are shared by more and more tiles, so that each has one parent.
void check_levels(const MachineDescription& machine, Problems& problems) {
    std::uint32_t before = 1;
    for (std::size_t i = 0; i < machine.levels.size(); ++i) {
        const LevelDescription& level = machine.levels[i];
        const auto impossible = [&](const char* key, const auto&... words) {
            problems.impossible(joined("level[", i, "].", key), words...);
        };
        if (level.shared_by == LevelDescription::all)
            return impossible("shared_by", "= \"all\" is for the last level alone",
                              machine.shared && machine.shared->name == "bank" ? ", which is `shared`" : "");
        if (level.shared_by % before != 0)
            impossible("shared_by", "(", level.shared_by, ") must be a multiple of the ", before,
                       " of the level before it, so that each cache has one parent");
        if (machine.tiles() % level.shared_by != 0)
            impossible("shared_by", "(", level.shared_by, ") must divide the ", machine.tiles(), " tiles");
        before = level.shared_by;
    }
    for (const CoreKind& kind : machine.kinds)
        if (machine.shared && machine.shared->is_filter() && machine.levels.empty() && !kind.l2 &&
            !(traits_of(kind.protocol).writers_invalidate && traits_of(kind.protocol).owns))
            problems.impossible(joined("level[", machine.levels.size(), "].inclusion"),
                                "= \"filter\" needs a level before it, or L1s of mesi or moesi: those of ",
                                name_of(kind.protocol), " leave words with their home, and a filter has no bytes");
    // Some L1s own what they write, and every level does.
    const bool have_owners = std::ranges::any_of(
        machine.kinds, [](const CoreKind& kind) { return kind.l2 || traits_of(kind.protocol).owns; });
    const LevelDescription* const nearest = !machine.levels.empty() ? &machine.levels.front()
                                            : machine.shared        ? &*machine.shared
                                                                    : nullptr;
    if (nearest && nearest->answers == LevelDescription::Answers::owner && !have_owners)
        problems.impossible(nearest->name == "bank" ? "shared.answers" : "level[0].answers",
                            "= \"owner\" has no meaning: none of the L1s before it owns what it writes");
    // Statistics are told apart by these names.
    std::vector<std::string> names{"bank",        "coherence_mesh", "core",      "dma",      "dtlb", "home",
                                   "host_link",   "itlb",           "l1d",       "l1i",      "link", "memory",
                                   "memory_mesh", "messages",       "region",    "requests", "time", "traffic",
                                   "uli",         "user_mesh",      "user_port", "window"};
    if (std::ranges::any_of(machine.kinds, [](const CoreKind& kind) { return kind.l2.has_value(); }))
        names.push_back("l2");
    const auto take = [&](const std::string& key, const std::string& name) {
        if (std::ranges::find(names, name) != names.end())
            problems.impossible(key, "('", name, "') is taken: its statistics could not be told from others");
        names.push_back(name);
    };
    for (std::size_t i = 0; i < machine.levels.size(); ++i) take(joined("level[", i, "].name"), machine.levels[i].name);
    if (machine.shared && machine.shared->name != "bank")
        take(joined("level[", machine.levels.size(), "].name"), machine.shared->name);
}

// Lines go only to L1s that own what they write and hear of others' writes, and only those forward.
void check_forwarding(const MachineDescription& machine, Problems& problems) {
    if (!machine.forwarding) return;
    if (!machine.shared)
        problems.impossible("forwarding", "has no meaning beside protocol 'ddc', under which every core forwards");
    else if (std::ranges::none_of(machine.kinds, [](const CoreKind& kind) {
                 return traits_of(kind.protocol).owns && traits_of(kind.protocol).writers_invalidate;
             }))
        problems.impossible("forwarding", "needs cores whose protocol is 'mesi' or 'moesi'");
}

void check_kinds(const MachineDescription& machine, Problems& problems) {
    std::uint32_t cores = 0;
    for (const CoreKind& kind : machine.kinds) {
        cores += kind.count;
        if (machine.uli && kind.interrupt == 0)
            problems.impossible(kind.name.empty() ? "interrupt" : kind.name + ".interrupt",
                                "is missing, which `uli` needs");
    }
    if (cores != machine.cores)
        problems.impossible("cores", "(", machine.cores, ") must be those of all kinds together (", cores, ")");
}

}  // namespace

void settle(MachineDescription& machine) {
    for_each_attached(machine, [&](const char*, std::vector<Attachment>& places, Placement rule) {
        if (rule != Placement::listed) places = placed_by(rule, machine.network);
    });
    if (machine.shared || machine.levels.empty() || machine.levels.back().shared_by != LevelDescription::all) return;
    LevelDescription last = machine.levels.back();
    machine.levels.pop_back();
    if (last.placement != Placement::listed) last.places = placed_by(last.placement, machine.network);
    if (last.sliced_by == LevelDescription::SlicedBy::controller) last.places = machine.memory.controllers;
    if (last.places.empty())
        for (std::uint32_t i = 0; i < last.slices; ++i)
            last.places.push_back(place_of(i * machine.tiles() / last.slices, machine.network));
    machine.shared = SharedCacheDescription(last);
}

void check(const MachineDescription& machine, Problems& problems) {
    if (machine.cores > machine.tiles())
        problems.impossible("cores", "(", machine.cores, ") are more than the machine has tiles (", machine.tiles(),
                            ")");
    for_each_attached(machine, [&](const char* key, const std::vector<Attachment>& places, Placement) {
        check_places(key, places, machine.network, problems);
    });
    if (const std::size_t count = machine.memory.controllers.size(); count > most_controllers)
        problems.impossible("memory.controllers", "are ", count, " on ", machine.network.chips,
                            " chips by their rule, and there may be ", most_controllers, " at most");
    if (machine.home && machine.home->policy == HomeDescription::Policy::fixed &&
        machine.home->fixed_tile >= machine.tiles())
        problems.impossible("home.fixed_tile", "(", machine.home->fixed_tile, ") is outside ",
                            text_of(machine.network));
    check_dram(machine, problems);
    check_homes(machine, problems);
    check_levels(machine, problems);
    check_forwarding(machine, problems);
    check_kinds(machine, problems);
}

}  // namespace croftsim
