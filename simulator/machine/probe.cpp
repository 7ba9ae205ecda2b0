#include "machine/probe.hpp"

#include "machine/machine.hpp"

namespace croftsim {

MachineDescription HartProbe::small_machine() {
    MachineDescription machine;
    machine.name = "probe";
    machine.clock_mhz = 1000;
    machine.cores = 1;
    CoreKind& kind = machine.kinds.emplace_back(CoreKind{"", 1, Protocol::ddc, {}, {1024, 16, 2, 2}});
    kind.core.cost.fill(1);
    kind.core.outstanding_stores = 4;
    kind.core.store_buffer_drain = 4;
    kind.l2 = {4096, 64, 4, 8};
    machine.network = {1, 1, 1, 1, 1, 4, 1};
    machine.home = {{4, 0, 2, 2, 2, 1, 0}, HomeDescription::Policy::hashed, 0, 2};
    machine.memory = {{{0, 0}}, 8192, 20, 20, 4};
    machine.kernel = {10, 10, 10};
    return machine;
}

HartProbe::HartProbe(const MachineDescription& machine)
    : machine_(std::make_unique<Machine>(machine, memory_, 0, 0, 64)) {}
HartProbe::~HartProbe() = default;

void HartProbe::map(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t page = AddressSpace::page_bytes;
    const std::uint64_t first = address / page * page, end = (address + bytes + page - 1) / page * page;
    if (!memory_.map(first, end - first, Permission::read | Permission::write | Permission::execute))
        throw std::invalid_argument("that range is outside the address space");
}

void HartProbe::write(std::uint64_t address, std::span<const std::uint8_t> from) {
    machine_->write(address, from);
    machine_->synchronise_instructions();
}

void HartProbe::read(std::uint64_t address, std::span<std::uint8_t> to) { machine_->read(address, to); }

std::string HartProbe::run(std::uint64_t max_cycles) {
    machine_->rearm();
    machine_->start(0, hart_);
    std::string ending = "ended";
    try {
        const Machine::Stop stop = machine_->run(machine_->now() + max_cycles, {});
        if (stop == Machine::Stop::trapped) ending = "ebreak";
        if (stop == Machine::Stop::cycle_limit) ending = "cycle limit";
        if (stop == Machine::Stop::deadlock) ending = "waits for ever";
    } catch (const GuestFault& fault) {
        ending = fault.what();
    }
    machine_->let_arrive();
    hart_ = machine_->hart(0);
    return ending;
}

std::uint64_t HartProbe::cycles() const { return machine_->now(); }

}  // namespace croftsim
