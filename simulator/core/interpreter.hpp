#pragma once
// Executes blocks on a core: threaded code (a computed goto from each operation to the next).

#include "core/block.hpp"

namespace croftsim {

class Core;

// Operations that no instruction stands for.
enum class Terminator : std::uint8_t { fall_through, count };

const void* handler_of(Opcode opcode);
const void* handler_of(Terminator terminator);

// Runs the core until it would access memory at or after core.stop, or leaves a block at or after it, or blocks.
// Everything it needs and leaves is in the core.
void interpret(Core& core);

}  // namespace croftsim
