#pragma once
// Executes blocks on a core: threaded code (a computed goto from each operation to the next).

#include <cstddef>
#include <cstdint>
#include <span>

#include "contract/block.hpp"

namespace croftsim {

class Core;

// Operations that no instruction stands for. (A landmark does not end a block, but goes on with the instruction there.)
enum class Terminator : std::uint8_t { fall_through, landmark, count };

// There is an interpreter for each kind of cores. Kinds differ in whether the L1's lines have 16 bytes, whether there
// is an L1 instruction cache, and whether cores tell a log (execution_log.hpp).
struct InterpreterKind {
    bool short_lines = false, fetches = false, logs = false;
};

// In the interpreter of that kind: first of each Opcode, then of each Terminator.
std::span<const void* const> handlers(InterpreterKind kind);
inline const void* handler_of(Opcode opcode, InterpreterKind kind) {
    return handlers(kind)[static_cast<std::size_t>(opcode)];
}
inline const void* handler_of(Terminator terminator, InterpreterKind kind) {
    return handlers(kind)[static_cast<std::size_t>(Opcode::count) + static_cast<std::size_t>(terminator)];
}

// Runs the core until it would access memory at or after core.stop, or leaves a block at or after it, or blocks.
// Everything it needs and leaves is in the core.
void interpret(Core& core);

}  // namespace croftsim
