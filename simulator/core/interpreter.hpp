#pragma once
// Executes blocks on a core: threaded code (a computed goto from each operation to the next).

#include "core/block.hpp"

namespace croftsim {

class Core;

// Operations that no instruction stands for.
enum class Terminator : std::uint8_t { fall_through, count };

// Of the interpreter for cores whose L1 has lines of that size, and that have an L1 instruction cache or not.
const void* handler_of(Opcode opcode, std::uint32_t l1_line, bool fetches);
const void* handler_of(Terminator terminator, std::uint32_t l1_line, bool fetches);

// Runs the core until it would access memory at or after core.stop, or leaves a block at or after it, or blocks.
// Everything it needs and leaves is in the core.
void interpret(Core& core);

}  // namespace croftsim
