#pragma once
// The keys of the network on which programs send messages themselves.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, UserNetworkDescription& network) {
    in.number("inject", network.inject, any_cycles, "from a core into its router");
    in.number("eject", network.eject, any_cycles, "from the last router into a queue");
    in.number("words", network.words, {2, 65536}, "words that each of a tile's queues holds");
    in.number("buffer", network.buffer, {1, 65536},
              "words of one sender that the network holds while their queue is full");
    in.number("interrupt", network.interrupt, some_cycles,
              "from a word's arrival to the first instruction of the handler");
}

}  // namespace croftsim
