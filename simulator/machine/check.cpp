#include <bit>
#include <stdexcept>
#include <string>

#include "cache/instruction_l1.hpp"
#include "cache/line_cache.hpp"
#include "contract/description.hpp"
#include "memory/address_space.hpp"

namespace croftsim {
namespace {

constexpr std::uint32_t most_slot_bytes = 16u << 20;

void require(bool holds, const MachineDescription& machine, const std::string& otherwise) {
    if (!holds) throw std::invalid_argument("machine " + machine.name + ": " + otherwise);
}

void check_cache(const MachineDescription& machine, const std::string& name, const CacheDescription& cache) {
    const std::string prefix = name + ".";
    require(std::has_single_bit(cache.line), machine, prefix + "line is not a power of two");
    require(cache.ways > 0 && cache.size > 0 && cache.size % (cache.line * cache.ways) == 0 &&
                std::has_single_bit(cache.size / (cache.line * cache.ways)),
            machine, prefix + "size is not a power-of-two number of sets of ways x line bytes");
    require(cache.hit > 0, machine, prefix + "hit takes at least one cycle");
}

void check_core(const MachineDescription& machine, const std::string& name, const CoreDescription& core,
                std::uint32_t least_stores) {
    const std::string prefix = name + ".";
    require(core.issue_width >= 1 && core.issue_width <= widest_in_order, machine,
            prefix + "issue_width is from 1 to 3");
    require(core.outstanding_stores >= least_stores, machine,
            prefix + "outstanding_stores is less than " + std::to_string(least_stores));
    for (const std::uint32_t cost : core.cost)
        require(cost > 0 && cost <= 2000, machine, prefix + "cost: every cost is from 1 to 2000 cycles");
}

// Of a machine of one kind, whose file says at its top what the kind is like: nothing.
std::string prefix_of(const CoreKind& kind) { return kind.name.empty() ? "" : kind.name + "."; }

void check_out_of_order(const MachineDescription& machine, const CoreKind& kind) {
    const OutOfOrderDescription& shape = *kind.out_of_order;
    const std::string prefix = prefix_of(kind) + "out_of_order.";
    require(kind.protocol == Protocol::mesi || kind.protocol == Protocol::ddc, machine,
            prefix_of(kind) + "protocol: an out-of-order core needs mesi or ddc");
    require(kind.l1d.line == line_bytes, machine, prefix_of(kind) + "l1d.line: an out-of-order core's are 64 bytes");
    require(shape.width >= 1 && shape.width <= 8 && shape.issue_width >= 1 && shape.issue_width <= 8, machine,
            prefix + "width and issue_width are from 1 to 8");
    for (const std::uint32_t units : shape.units)
        require(units >= 1 && units <= 8, machine, prefix + "units: there are from 1 to 8 of each");
    require(shape.reorder_buffer >= 1 && shape.reorder_buffer <= 512, machine,
            prefix + "reorder_buffer is from 1 to 512");
    require(shape.load_store_queue >= 1 && shape.load_store_queue <= shape.reorder_buffer, machine,
            prefix + "load_store_queue is from 1 to reorder_buffer");
    require(shape.registers > 32 && shape.registers <= 1024, machine, prefix + "registers is from 33 to 1024");
    require(shape.mispredict <= 100 && shape.redirect <= 100, machine,
            prefix + "mispredict and redirect are at most 100 cycles");
    require(std::has_single_bit(shape.local_histories) && std::has_single_bit(shape.global_counters) &&
                std::has_single_bit(shape.branch_targets) && shape.local_history_bits <= 16,
            machine, prefix + "the branch predictor's tables are powers of two, and 16 bits of history at most");
    require(shape.return_addresses >= 1 && shape.return_addresses <= 256, machine,
            prefix + "return_addresses is from 1 to 256");
}

bool is_inside(const MachineDescription& machine, const Attachment& at) {
    return at.column >= 0 && at.row >= 0 && at.column < static_cast<std::int32_t>(machine.network.columns) &&
           at.row < static_cast<std::int32_t>(machine.network.rows);
}

void check_shared(const MachineDescription& machine) {
    require(!machine.shared->banks.empty(), machine, "shared.banks is empty");
    for (const Attachment& bank : machine.shared->banks)
        require(is_inside(machine, bank), machine, "a bank of the shared cache is outside the mesh");
    check_cache(machine, "shared", {machine.shared->size, line_bytes, machine.shared->ways, 1, 0});
}

// What the protocol asks of the caches and of the home.
void check_caches(const MachineDescription& machine, const CoreKind& kind) {
    const std::string prefix = prefix_of(kind);
    check_cache(machine, prefix + "l1d", kind.l1d);
    if (kind.protocol != Protocol::ddc) {
        require(machine.shared.has_value(), machine, prefix + "protocol: only ddc does without a shared L2");
        require(!kind.l2, machine, prefix + "l2: only ddc has private L2s");
        require(kind.l1d.line == line_bytes, machine, prefix + "l1d.line: lines beside a shared cache are 64 bytes");
        return check_core(machine, prefix + "core", kind.core, 1);
    }
    require(!machine.shared, machine,
            prefix + "protocol: under ddc the tiles' own L2s are the homes, not a shared one");
    require(kind.l2.has_value(), machine, prefix + "protocol: ddc needs an L2 in every tile");
    check_cache(machine, prefix + "l2", *kind.l2);
    require(kind.l2->line == line_bytes, machine, prefix + "l2.line: lines of an L2 are 64 bytes in this simulator");
    require(kind.l1d.line == 16 || kind.l1d.line == 64, machine,
            prefix + "l1d.line: lines of an L1 are 16 or 64 bytes in this simulator");
    require(kind.l2->hit >= kind.l1d.hit, machine, prefix + "l2.hit is less than l1d.hit");
    check_core(machine, prefix + "core", kind.core, 3);  // one store makes up to three messages
}

void check_instructions(const MachineDescription& machine, const CoreKind& kind) {
    const std::string prefix = prefix_of(kind) + "l1i";
    require(kind.protocol != Protocol::ddc, machine, prefix + ": under ddc instructions have no cache of their own");
    check_cache(machine, prefix, *kind.l1i);
    require(kind.l1i->line == line_bytes, machine, prefix + ".line: lines beside a shared cache are 64 bytes");
    // A block of instructions lies in up to four lines, which are there together.
    require(kind.l1i->ways <= InstructionL1::most_ways && kind.l1i->size >= 4 * line_bytes * kind.l1i->ways, machine,
            prefix + " has at least 4 sets, of 8 ways at most");
}

void check_kinds(const MachineDescription& machine) {
    std::uint32_t tiles = 0;
    for (const CoreKind& kind : machine.kinds) {
        tiles += kind.count;
        check_caches(machine, kind);
        if (kind.l1i) check_instructions(machine, kind);
        if (kind.out_of_order) check_out_of_order(machine, kind);
    }
    require(tiles >= machine.cores, machine,
            "there are " + std::to_string(tiles) +
                " cores of all kinds together, but cores = " + std::to_string(machine.cores));
}

}  // namespace

void check(const MachineDescription& machine) {
    const auto& network = machine.network;
    require(network.columns > 0 && network.rows > 0, machine, "network.columns and network.rows are at least 1");
    require(machine.tiles() <= SharerSet::capacity, machine, "more than 1024 tiles");
    require(
        machine.cores > 0 && machine.cores <= machine.tiles(), machine,
        "cores = " + std::to_string(machine.cores) + " but the mesh has " + std::to_string(machine.tiles()) + " tiles");
    require(machine.clock_mhz > 0, machine, "clock_mhz is not positive");
    if (machine.shared) check_shared(machine);
    check_kinds(machine);
    require(network.flit > 0 && network.header_flits > 0, machine,
            "network.flit and network.header_flits are at least 1");
    require(network.hop > 0, machine, "network.hop is at least 1");
    require(machine.home.policy != HomeDescription::Policy::fixed || machine.home.fixed_tile < machine.tiles(), machine,
            "home.fixed_tile is not a tile");
    require(!machine.memory.controllers.empty(), machine, "memory.controllers is empty");
    for (const Attachment& controller : machine.memory.controllers)
        require(is_inside(machine, controller), machine, "a memory controller is outside the mesh");
    require(machine.memory.stripe >= line_bytes && machine.memory.stripe % line_bytes == 0, machine,
            "memory.stripe is not a multiple of 64 bytes");
    require(machine.kernel.entry > 0 && machine.kernel.exit > 0, machine,
            "kernel.entry and kernel.exit are at least 1");
    if (const auto& link = machine.host_link) {
        require(link->latency >= 1, machine, "host_link.latency is at least 1");
        require(link->bytes_per_1000_cycles > 0, machine, "host_link.bytes_per_1000_cycles is not positive");
        require(link->slot > 0 && link->slot % AddressSpace::page_bytes == 0 && link->slot <= most_slot_bytes, machine,
                "host_link.slot is not a number of whole pages of 4096 bytes up to 16 MiB");
    }
}

}  // namespace croftsim
