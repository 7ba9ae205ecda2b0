#pragma once
// The keys of the link to a host.

#include "contract/description.hpp"
#include "description/keys.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, HostLinkDescription& link) {
    constexpr std::uint32_t page = AddressSpace::page_bytes;
    in.number("latency", link.latency, some_cycles,
              "from the end of a message's transfer to its arrival at the other end");
    in.number("overhead", link.overhead, any_cycles, "for which each message keeps its direction, beside its bytes");
    in.number("bytes_per_1000_cycles", link.bytes_per_1000_cycles, {1, 1'000'000, "bytes per 1000 cycles"},
              "the bandwidth of a direction");
    in.number("slot", link.slot, multiple_of(page, bytes(page, 1 << 24)),
              "what a slot holds, and so the longest message: whole pages");
}

}  // namespace croftsim
