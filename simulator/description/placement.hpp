#pragma once
// The rules by which what is attached to tiles is placed on a mesh of any size.

#include <vector>

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

const Words<Placement>& placements();

// For sentences: "'top', 'corners' or" that.
std::string placements_or(const std::string& list, const char* quote = "'");

// Those that the rule places on the mesh, in their order; a place may come twice where a mesh is too small for more.
std::vector<Attachment> placed_by(Placement rule, const NetworkDescription& mesh);

}  // namespace croftsim
