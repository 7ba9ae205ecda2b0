#pragma once
// The keys of an L1's prefetcher.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, PrefetchDescription& prefetch) {
    using Policy = PrefetchDescription::Policy;
    static const Words<Policy> policies{{"next_line", Policy::next_line}, {"stride", Policy::stride}};
    in.word("policy", prefetch.policy, policies,
            "which lines it asks for when a load misses one, or an in-order core first uses one that it has asked for: "
            "those behind, or those at the distance that lines of the same 4 KiB have had twice");
    in.optional_number("degree", prefetch.degree, {1, 8}, "how many lines ahead; without, 1");
    in.optional_number("pages", prefetch.pages, {1, 256}, "of which `stride` remembers distances; without, 16");
}

}  // namespace croftsim
