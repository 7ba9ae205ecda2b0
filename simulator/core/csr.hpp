#pragma once
// The control and status registers that a user program may see (chapters "F" and "Zicntr").

#include <cstdint>
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

// The old value; nothing if there is no such register or it may not be written. The register is numbered core.op->imm.
inline std::optional<std::uint64_t> access_csr(Core& core, CsrChange change, std::uint64_t operand) {
    enum : std::uint32_t {
        ustatus = 0x000,
        fflags = 0x001,
        frm = 0x002,
        fcsr = 0x003,
        uie = 0x004,
        utvec = 0x005,
        uscratch = 0x040,
        uepc = 0x041,
        ucause = 0x042,
        utval = 0x043,
        uip = 0x044,
        cycle = 0xc00,
        time = 0xc01,
        instret = 0xc02,
        croft_features = 0xcc0,
        croft_columns = 0xcc1,
        croft_tiles = 0xcc2,
        croft_core = 0xcc3,
    };
    Hart::Interrupts& interrupts = core.hart.interrupts;
    Hart& hart = core.hart;
    const auto number = static_cast<std::uint32_t>(core.op->imm);
    std::uint64_t old = 0;
    switch (number) {
        case fflags:
            old = hart.fflags;
            break;
        case frm:
            old = hart.frm;
            break;
        case fcsr:
            old = static_cast<std::uint64_t>(hart.frm) << 5 | hart.fflags;
            break;
        case cycle:
        case time:
            old = core.time() - core.skipped;
            break;  // one tick of time a cycle
        case instret:
            old = core.statistics.instructions + static_cast<std::uint64_t>(core.op - core.block->ops.data());
            break;
        case ustatus:
            old = (interrupts.enabled ? 1 : 0) | (interrupts.enabled_before ? 16 : 0);
            break;
        case uie:
            old = interrupts.sources;
            break;
        case utvec:
            old = interrupts.handler;
            break;
        case uscratch:
            old = interrupts.scratch;
            break;
        case uepc:
            old = interrupts.interrupted_pc;
            break;
        case ucause:
            old = interrupts.cause;
            break;
        case uip:
            old = core.user_port->pending() | core.uli_port->pending();
            break;
        case utval:
            old = core.uli_port->request_value();
            break;
        case croft_features:
            old = (core.machine->user_network ? 1 : 0) | (core.machine->shared ? 0 : 2 | 4) |
                  (core.machine->uli ? 8 : 0) | (core.machine->has_software_coherence() ? 16 : 0);
            break;
        case croft_columns:
            old = core.machine->network.columns;
            break;
        case croft_tiles:
            old = core.machine->tiles();
            break;
        case croft_core:
            old = core.id;
            break;
        default:
            return std::nullopt;
    }
    // Setting or clearing with x0, or with the immediate 0, does not write.
    if (change != CsrChange::write && core.op->rs1 == 0) return old;
    std::uint64_t value = operand;
    if (change == CsrChange::set) value = old | operand;
    if (change == CsrChange::clear) value = old & ~operand;
    switch (number) {
        case fflags:
            hart.fflags = value & 31;
            break;
        case frm:
            hart.frm = value & 7;
            break;
        case fcsr:
            hart.fflags = value & 31;
            hart.frm = (value >> 5) & 7;
            break;
        case ustatus:
            interrupts.enabled = value & 1;
            interrupts.enabled_before = value & 16;
            break;
        case uie:
            interrupts.sources = value;
            break;
        case utvec:
            interrupts.handler = value;
            break;
        case uscratch:
            interrupts.scratch = value;
            break;
        case uepc:
            interrupts.interrupted_pc = value;
            break;
        case ucause:
            interrupts.cause = value;
            break;
        default:
            return std::nullopt;  // read-only
    }
    return old;
}

}  // namespace croftsim
