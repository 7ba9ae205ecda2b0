#pragma once
// Puts a program and its first stack into memory, as execve does.

#include <cstdint>
#include <span>

#include "isa/hart.hpp"
#include "kernel/elf.hpp"
#include "kernel/system.hpp"

namespace croftsim {

// Maps the segments, the start of the heap, and a stack with the arguments and the environment. The result is the state
// in which the first thread starts. Throws BadProgram.
Hart load_program(System& system, const Elf& elf);

}  // namespace croftsim
