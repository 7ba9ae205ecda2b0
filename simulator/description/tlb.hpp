#pragma once
// The keys of a translation look-aside buffer.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, TlbDescription& tlb) {
    in.number("entries", tlb.entries, {1, 1024}, "pages it holds; the one that came first leaves");
    in.number("page", tlb.page, power_of_two(bytes(4096, 1 << 30)), "a page");
    in.number("miss", tlb.miss, some_cycles, "for which the software that handles a miss keeps the core");
}

}  // namespace croftsim
