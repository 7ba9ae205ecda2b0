#pragma once
// The keys of the memory controllers.

#include "cache/line_cache.hpp"
#include "contract/description.hpp"
#include "description/attachment.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, MemoryDescription& memory) {
    in.places("controllers", memory.controllers, memory.placement, {1, 64}, "where the controllers are");
    in.number("stripe", memory.stripe, multiple_of(line_bytes, bytes(line_bytes, 1 << 30)),
              "consecutive bytes served by one controller");
    in.number("latency", memory.latency, any_cycles, "from a request's arrival at a controller to its first data");
    in.number("write_latency", memory.write_latency, any_cycles,
              "from a write's arrival at a controller to its acknowledgement");
    in.number("occupancy", memory.occupancy, any_cycles, "for how long a line keeps the controller");
}

}  // namespace croftsim
