#pragma once
// The keys of home-forwarding between levels of caches.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, ForwardingDescription& forwarding) {
    in.number("collects", forwarding.collects, {1, 64},
              "lines of stores that do not allocate (`ntl.pall`) which a core collects before it sends them");
    in.number("drain", forwarding.drain, some_cycles,
              "after which such a line is sent if neither `croft.forward` nor a fence sends it");
}

inline void check(const ForwardingDescription&, Problems&) {}

}  // namespace croftsim
