#pragma once
// The same farm and the same pipeline with other libraries. An item is a number, and its work a function of it.

#include <cstdint>
#include <string>
#include <vector>

#include "registry.hpp"

namespace bench {

struct stream_work {
    int items;
    std::uint64_t (*of)(std::uint64_t item, int part);  // part 0: all of it; 1, 2, 3: a third
    std::uint64_t sum = 0;                              // of what came out
    void (*sink)(std::uint64_t made) = nullptr;         // what else is done with it, in the order of the items

    void take(std::uint64_t made) {
        sum += made;
        if (sink) sink(made);
    }
};

struct stream_peer {
    std::string name;
    void (*farm)(stream_work&, int threads);
    void (*pipeline)(stream_work&, int threads) = nullptr;  // of three stages; none: it has none
    bool ordered = false;                                   // whether its results are in the order of the items
    bool shares_cores = true;                               // whether more threads than cores come to an end soon
};

inline const std::vector<stream_peer>& stream_peers() { return registry<stream_peer>(); }

}  // namespace bench
