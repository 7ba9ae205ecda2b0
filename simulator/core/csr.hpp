#pragma once
// The control and status registers that a user program may see (chapters "F" and "Zicntr").

#include <cstdint>
#include <optional>

#include "core/core.hpp"

namespace croftsim {

enum class CsrChange : std::uint8_t { write, set, clear };

// The old value; nothing if there is no such register or it may not be written. The register is numbered core.op->imm.
inline std::optional<std::uint64_t> access_csr(Core& core, CsrChange change, std::uint64_t operand) {
    enum : std::uint32_t { fflags = 0x001, frm = 0x002, fcsr = 0x003, cycle = 0xc00, time = 0xc01, instret = 0xc02 };
    Hart& hart = core.hart;
    const auto number = static_cast<std::uint32_t>(core.op->imm);
    std::uint64_t old = 0;
    switch (number) {
        case fflags: old = hart.fflags; break;
        case frm: old = hart.frm; break;
        case fcsr: old = static_cast<std::uint64_t>(hart.frm) << 5 | hart.fflags; break;
        case cycle:
        case time: old = core.time(); break;  // one tick of time a cycle
        case instret: old = core.statistics.instructions + static_cast<std::uint64_t>(core.op - core.block->ops.data()); break;
        default: return std::nullopt;
    }
    // Setting or clearing with x0, or with the immediate 0, does not write.
    if (change != CsrChange::write && core.op->rs1 == 0) return old;
    std::uint64_t value = operand;
    if (change == CsrChange::set) value = old | operand;
    if (change == CsrChange::clear) value = old & ~operand;
    switch (number) {
        case fflags: hart.fflags = value & 31; break;
        case frm: hart.frm = value & 7; break;
        case fcsr:
            hart.fflags = value & 31;
            hart.frm = (value >> 5) & 7;
            break;
        default: return std::nullopt;  // read-only
    }
    return old;
}

}  // namespace croftsim
