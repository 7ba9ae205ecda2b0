#pragma once
// The keys of a tile's L2 as the home of lines, and what any home takes.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, HomeTimes& times) {
    in.number("service", times.service, any_cycles, "for the home to read a line, or to find that it is not there");
    in.number("directory", times.directory, any_cycles,
              "from another tile's store to the first invalidation that it causes");
    in.number("invalidate", times.invalidate, any_cycles, "between two invalidations, or two recalls");
    in.number("drop", times.drop, any_cycles, "from an invalidation's or a recall's arrival to its answer");
    in.number("occupancy", times.occupancy, any_cycles, "for how long a request for a line keeps the home's port");
    in.number("occupancy_word", times.occupancy_word, any_cycles, "the same for a request that only writes words");
    in.number("fill", times.fill, any_cycles, "from a reply's arrival to the use of its data");
}

template <class Keys>
void keys(Keys& in, HomeDescription& home) {
    using Policy = HomeDescription::Policy;
    static const Words<Policy> policies{
        {"hashed", Policy::hashed}, {"round_robin", Policy::round_robin}, {"fixed", Policy::fixed}};
    in.word("policy", home.policy, policies,
            "home of a page for which the program names none: by a hash of the line's address, by the line's number "
            "modulo the tiles, or fixed_tile");
    in.number("fixed_tile", home.fixed_tile, {0, 1023}, "the home tile if policy = \"fixed\"");
    keys(in, static_cast<HomeTimes&>(home));
    in.number("allocate", home.allocate, any_cycles,
              "further, if another tile's store brings the line into the home's L2");
}

}  // namespace croftsim
