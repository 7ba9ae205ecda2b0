#pragma once
// The reasons for which a core waits.

#include <cstdint>

namespace croftsim {

// Every cycle of a thread's life is in at most one of them; in the others its core executed.
enum class Stall : std::uint8_t {
    l2,
    home,
    memory,
    atomic,
    fence,
    store_buffer,
    line,
    network,
    interrupt,
    kernel,
    fetch,
    translation,
    count
};

}  // namespace croftsim
