#pragma once
// Which processes get the items of a pattern across processes.

#include <cstdint>

namespace croft::mpi::detail {

enum class sharing : std::uint8_t {
    on_demand,  // all, each as it gives others back
    in_turn,    // all, one after the other, the root last: so the same share of each item is always the same process's
    one         // a single one, which no other can stand in for
};

}  // namespace croft::mpi::detail
