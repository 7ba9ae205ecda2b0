#pragma once
// A machine from what its file says.

#include "contract/description.hpp"
#include "description/problems.hpp"
#include "description/value.hpp"

namespace croftsim {

struct Reading {
    MachineDescription machine;  // to be used only if there are no problems
    Table values;                // the file's, all keys in their order; nothing for a key that may be missing and is
    Problems problems;
};
Reading read(const Table& file);

}  // namespace croftsim
