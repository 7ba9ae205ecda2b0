#pragma once
// Instructions as text, in the notation of the GNU and LLVM assemblers, without pseudo-instructions.

#include <cstdint>
#include <string>

namespace croftsim {

// The instruction that starts with the low half-word of `bits` and lies at `pc`. Examples: "addi a0, a1, -4",
// "beq a0, zero, 0x10074" (the target's address), "fadd.s fa0, fa1, fa2, dyn", "amoadd.w.aq a0, a2, (a1)". A compressed
// instruction is written as the one that it stands for, an unknown one as "illegal 0x0000ffff".
std::string disassemble(std::uint32_t bits, std::uint64_t pc);

}  // namespace croftsim
