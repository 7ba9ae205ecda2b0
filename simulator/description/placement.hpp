#pragma once
// The rules by which what is attached to routers is placed on chips of any size.

#include <vector>

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

const Words<Placement>& placements();

// For sentences: "'top', 'corners' or" that.
std::string placements_or(const std::string& list, const char* quote = "'");

Attachment place_of(std::uint32_t tile, const NetworkDescription& network);

// Those that the rule places on each chip, one chip's behind another's, in their order. A place may come twice where a
// chip is too small for more.
std::vector<Attachment> placed_by(Placement rule, const NetworkDescription& network);

}  // namespace croftsim
