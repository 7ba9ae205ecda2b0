#pragma once
// MOESI: MESI whose owner stays the owner when others read what it has written. It answers them, and neither it nor the
// home writes the line back. The states, in the masks of cache/private_l1.hpp:
//
//     I  not here     S  valid     E  valid and owned     M  valid, owned and dirty
//     O  valid and dirty: others have copies, so that a store has to ask the home

#include "coherence/mesi.hpp"

namespace croftsim {

class Moesi final : public Mesi {
public:
    using Mesi::Mesi;
};
static_assert(is_listed<Moesi, sizeof(Mesi)>);

}  // namespace croftsim
