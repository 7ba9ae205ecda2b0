#pragma once
// The control and status registers that a user program may see (chapters "F", "Zicntr" and "Zihpm").

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "core/core.hpp"
#include "device/uli_port.hpp"
#include "device/user_port.hpp"

namespace croftsim {

enum class CsrChange : std::uint8_t { write, set, clear };

// Whether an instruction on the CSR of that number sees or changes what interrupts depend on.
inline bool concerns_interrupts(std::int32_t number) { return number == 0x000 || number == 0x004 || number == 0x044; }

// Whether that may make one due at once. If not, a core may do it ahead of its exact time: whatever another core's
// request depends on is taken back when one arrives (UliPort::disturbs_core).
inline bool may_interrupt(const Core& core) {
    return core.machine->user_network || !core.machine->uli || core.uli_port->pending() != 0;
}

// Those that are a number of the hart's, and nothing but that.
struct PlainCsr {
    std::uint32_t number;
    std::uint64_t Hart::Interrupts::* value;
};
inline constexpr PlainCsr plain_csrs[] = {
    {0x004, &Hart::Interrupts::sources},         // uie
    {0x005, &Hart::Interrupts::handler},         // utvec
    {0x040, &Hart::Interrupts::scratch},         // uscratch
    {0x041, &Hart::Interrupts::interrupted_pc},  // uepc
    {0x042, &Hart::Interrupts::cause},           // ucause
};

// The old value; nothing if there is no such register or it may not be written. The register is numbered core.op->imm.
inline std::optional<std::uint64_t> access_csr(Core& core, CsrChange change, std::uint64_t operand) {
    enum : std::uint32_t {
        ustatus = 0x000,
        fflags = 0x001,
        frm = 0x002,
        fcsr = 0x003,
        utval = 0x043,
        uip = 0x044,
        cycle = 0xc00,
        time = 0xc01,
        instret = 0xc02,
        hpmcounter3 = 0xc03,
        hpmcounter31 = 0xc1f,
        croft_features = 0xcc0,
        croft_columns = 0xcc1,
        croft_tiles = 0xcc2,
        croft_core = 0xcc3,
    };
    Hart& hart = core.hart;
    Hart::Interrupts& interrupts = hart.interrupts;
    const auto number = static_cast<std::uint32_t>(core.op->imm);
    const auto plain = std::ranges::find(plain_csrs, number, &PlainCsr::number);
    const auto read = [&]() -> std::optional<std::uint64_t> {
        switch (number) {
            case fflags:
                return hart.fflags;
            case frm:
                return hart.frm;
            case fcsr:
                return static_cast<std::uint64_t>(hart.frm) << 5 | hart.fflags;
            case cycle:
            case time:
                return core.time() - core.skipped;  // one tick of time a cycle
            case instret:
                return core.statistics.instructions + static_cast<std::uint64_t>(core.op - core.block->ops.data());
            case ustatus:
                return (interrupts.enabled ? 1 : 0) | (interrupts.enabled_before ? 16 : 0);
            case uip:
                return core.user_port->pending() | core.uli_port->pending();
            case utval:
                return core.uli_port->request_value();
            case croft_features:
                return (core.machine->user_network ? 1 : 0) | (core.machine->shared ? 0 : 2 | 4) |
                       (core.machine->forwarding ? 2 : 0) | (core.machine->uli ? 8 : 0) |
                       (core.machine->has_software_coherence() ? 16 : 0);
            case croft_columns:
                return core.machine->network.columns;
            case croft_tiles:
                return core.machine->tiles();
            case croft_core:
                return core.machine->order.number_of(core.id);
            default:
                if (number >= hpmcounter3 && number <= hpmcounter31) return 0;  // Zihpm: they count nothing
                if (plain == std::end(plain_csrs)) return std::nullopt;
                return interrupts.*plain->value;
        }
    };
    const std::optional<std::uint64_t> old = read();
    // Setting or clearing with x0, or with the immediate 0, does not write.
    if (!old || (change != CsrChange::write && core.op->rs1 == 0)) return old;
    const std::uint64_t value = change == CsrChange::write ? operand
                                : change == CsrChange::set ? *old | operand
                                                           : *old & ~operand;
    switch (number) {
        case fcsr:
            hart.frm = (value >> 5) & 7;
            [[fallthrough]];
        case fflags:
            hart.fflags = value & 31;
            return old;
        case frm:
            hart.frm = value & 7;
            return old;
        case ustatus:
            interrupts.enabled = value & 1;
            interrupts.enabled_before = value & 16;
            return old;
        default:
            if (plain == std::end(plain_csrs)) return std::nullopt;  // read-only
            interrupts.*plain->value = value;
            return old;
    }
}

}  // namespace croftsim
