#pragma once
// The results of the AMO instructions (chapter "A", section on Zaamo).

#include <cstdint>

#include "isa/instruction.hpp"

namespace croftsim {

// `size` is 4 or 8 bytes; only the low half of a 4-byte operation counts. `is_unsigned` matters to minimum and maximum.
inline std::uint64_t apply(AtomicOperation operation, std::uint64_t old, std::uint64_t operand, unsigned size,
                           bool is_unsigned) {
    const auto less = [=](std::uint64_t a, std::uint64_t b) {
        if (size == 4) {  // into the upper half, so that 64-bit comparisons order words
            a <<= 32;
            b <<= 32;
        }
        return is_unsigned ? a < b : as_signed(a) < as_signed(b);
    };
    switch (operation) {
        case AtomicOperation::swap:
            return operand;
        case AtomicOperation::add:
            return old + operand;
        case AtomicOperation::exclusive_or:
            return old ^ operand;
        case AtomicOperation::conjunction:
            return old & operand;
        case AtomicOperation::disjunction:
            return old | operand;
        case AtomicOperation::minimum:
            return less(old, operand) ? old : operand;
        case AtomicOperation::maximum:
            return less(operand, old) ? old : operand;
    }
    return old;
}

}  // namespace croftsim
