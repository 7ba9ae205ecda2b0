#pragma once
// The keys of user-level interrupts between cores.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, UliDescription& network) {
    in.number("inject", network.inject, any_cycles, "from a core into its router");
    in.number("eject", network.eject, any_cycles, "from the last router into a core");
}

}  // namespace croftsim
