#pragma once
// Makes the L1s of all protocols at a shared L2 (contract/protocol.hpp has every protocol's name and traits).

#include <memory>

#include "coherence/l1_requester.hpp"

namespace croftsim {

// The L1 of a core of that kind, under the kind's protocol. `home`: the times of those that it asks.
std::unique_ptr<L1Requester> make_l1(const MachineDescription& machine, const CoreKind& kind, const HomeTimes& home,
                                     Core& core, Post& post);

}  // namespace croftsim
