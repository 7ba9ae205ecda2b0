#pragma once
// Whether a machine can be built whose description did not come from a file.

#include "contract/description.hpp"

namespace croftsim {

// Throws std::invalid_argument if not, with a sentence for each mistake.
void check(const MachineDescription& machine);

}  // namespace croftsim
