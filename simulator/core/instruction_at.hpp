#pragma once
// The instruction in memory at an address.

#include <cstdint>

#include "isa/instruction.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

// Opcode::illegal if there is none, or only a part of one that may be executed. `pc` is even.
inline Instruction instruction_at(const AddressSpace& memory, std::uint64_t pc) {
    if (!memory.allows(pc, 2, Permission::execute)) return {};
    std::uint32_t bits = 0;
    memory.read_dram(pc, &bits, 2);
    if ((bits & 3) == 3) {
        if (!memory.allows(pc + 2, 2, Permission::execute)) return {};
        memory.read_dram(pc + 2, reinterpret_cast<char*>(&bits) + 2, 2);
    }
    return decode(bits);
}

}  // namespace croftsim
