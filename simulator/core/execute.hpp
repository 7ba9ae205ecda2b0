#pragma once
// The result of one instruction that takes its operands from registers alone. It follows the tables (isa/*.inc), with
// operands given instead of registers named. Loads, stores and whatever else concerns more than registers are not among
// them.

#include <cstdint>

#include "core/decoded_code.hpp"

namespace croftsim {

struct Computed {
    std::uint64_t value = 0;   // of rd
    std::uint64_t target = 0;  // of a control transfer that is taken
    bool taken = false;
    std::uint8_t flags = 0;  // floating-point exceptions, those it was given included
};

// `operands`: of rs1, rs2 and rs3. `rounding`: never the dynamic mode. `flags`: exceptions that are known to be raised
// already; whoever raises them again need not look closely (isa/floating_point.hpp).
Computed execute(const Decoded& instruction, const std::uint64_t* operands, std::uint64_t pc, std::uint8_t rounding,
                 std::uint8_t flags);

}  // namespace croftsim
