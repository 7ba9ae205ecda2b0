#pragma once
// The same farm and the same pipeline with other libraries. An item is a number, and its work a function of it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct stream_work {
    int items;
    std::uint64_t (*of)(std::uint64_t item, int part);  // part 0: all of it; 1, 2, 3: a third
    std::uint64_t sum = 0;                              // of what came out
};

struct stream_peer {
    std::string name;
    std::function<void(stream_work&, int threads)> farm;
    std::function<void(stream_work&, int threads)> pipeline;  // of three stages; empty: it has none
};

std::vector<stream_peer> stream_peers();

}  // namespace bench
