#pragma once
// The protocols of L1s at a shared L2.

#include <vector>

#include "contract/protocol.hpp"

namespace croftsim {

inline std::vector<Protocol> l1_protocols() {
    std::vector<Protocol> found;
    for (const ProtocolTraits& one : protocols())
        if (one.home == HomeIn::shared) found.push_back(one.protocol);
    return found;
}

}  // namespace croftsim
