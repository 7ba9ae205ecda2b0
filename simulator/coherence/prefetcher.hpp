#pragma once
// A prefetcher of an L1: it says which lines a core will want, because of those that it has wanted so far. It is told
// of each line that a load has missed. It is also told of each line that it has named, at that line's first use. The L1
// asks for what it names, unless the line is here or on its way, or its page may not be read (l1_prefetch.cpp).
//
//     next_line.hpp   the lines behind
//     stride.hpp      those at the distance that accesses in the same page have had twice

#include <cstdint>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"

namespace croftsim {

class Prefetcher {
public:
    virtual ~Prefetcher() = default;
    // Adds the lines to bring to `wanted`, the soonest first.
    virtual void wants(std::uint64_t line, std::vector<std::uint64_t>& wanted) = 0;
    virtual void serialise(Archive&) {}
};

std::unique_ptr<Prefetcher> make_prefetcher(const PrefetchDescription& description);

}  // namespace croftsim
