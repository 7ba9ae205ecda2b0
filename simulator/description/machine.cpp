#include "description/machine.hpp"

#include "description/placement.hpp"

namespace croftsim {
namespace {

std::string mesh_of(const MachineDescription& machine) {
    return joined("the ", machine.network.columns, " x ", machine.network.rows, " mesh");
}

void check_places(const char* key, const std::vector<Attachment>& places, const MachineDescription& machine,
                  Problems& problems) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto column = static_cast<std::uint32_t>(places[i].column),
                   row = static_cast<std::uint32_t>(places[i].row);
        if (column >= machine.network.columns || row >= machine.network.rows)
            problems.impossible(joined(key, "[", i, "]"), "(column ", column, ", row ", row, ") is outside ",
                                mesh_of(machine));
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
    require("shared", machine.shared.has_value(), !in_tiles);
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
    const auto settle_places = [&](std::vector<Attachment>& places, Placement rule) {
        if (rule != Placement::listed) places = placed_by(rule, machine.network);
    };
    settle_places(machine.memory.controllers, machine.memory.placement);
    if (machine.shared) settle_places(machine.shared->banks, machine.shared->placement);
}

void check(const MachineDescription& machine, Problems& problems) {
    if (machine.cores > machine.tiles())
        problems.impossible("cores", "(", machine.cores, ") are more than ", mesh_of(machine), " holds (",
                            machine.tiles(), ")");
    check_places("memory.controllers", machine.memory.controllers, machine, problems);
    if (machine.shared) check_places("shared.banks", machine.shared->banks, machine, problems);
    if (machine.home && machine.home->policy == HomeDescription::Policy::fixed &&
        machine.home->fixed_tile >= machine.tiles())
        problems.impossible("home.fixed_tile", "(", machine.home->fixed_tile, ") is outside ", mesh_of(machine));
    check_dram(machine, problems);
    check_homes(machine, problems);
    check_kinds(machine, problems);
}

}  // namespace croftsim
