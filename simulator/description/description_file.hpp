#pragma once
// A machine description as text, for programs without the lab: a key a line, "core.cost.alu = 1", as `croft machines
// NAME --flat` prints it. That is TOML with dotted keys. It does not read machine files as people write them.

#include <istream>
#include <string>

#include "contract/description.hpp"

namespace croftsim {

// Throws std::invalid_argument if there can be no such machine, with a sentence for each mistake; the second one also
// if the file cannot be read.
MachineDescription read_machine(std::istream& from);
MachineDescription read_machine_file(const std::string& path);

}  // namespace croftsim
