#pragma once
// The results of the AMO instructions (chapter "A", section on Zaamo; chapters "Zacas" and "Zabha").

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/instruction.hpp"

namespace croftsim {

// An operand of 16 bytes: the low half in an even register, the high one in the next (chapter "Zacas").
struct RegisterPair {
    static constexpr bool is_plain = true;
    std::uint64_t low = 0, high = 0;
};

// The operands of an AMO. The high halves count for a pair alone.
struct AtomicOperands {
    AtomicOperands(std::uint64_t value) : value{value} {}
    AtomicOperands(RegisterPair value, RegisterPair expected) : value(value), expected(expected) {}

    RegisterPair value;
    RegisterPair expected;  // of a compare-and-swap
};

// `size` is 1, 2, 4 or 8 bytes; only the low ones of an operand count. `is_unsigned` matters to minimum and maximum.
inline std::uint64_t apply(AtomicOperation operation, std::uint64_t old, std::uint64_t operand, unsigned size,
                           bool is_unsigned) {
    const auto less = [=](std::uint64_t a, std::uint64_t b) {
        const unsigned above = 64 - 8 * size;  // to the top, so that 64-bit comparisons order shorter ones
        a <<= above;
        b <<= above;
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
        case AtomicOperation::compare_and_swap:
            break;  // below: it may store nothing
    }
    return old;
}

// Whether a compare-and-swap that finds `old` stores.
inline bool is_expected(RegisterPair old, RegisterPair expected, unsigned size) {
    const unsigned above = size < 8 ? 64 - 8 * size : 0;
    return (old.low ^ expected.low) << above == 0 && (size <= 8 || old.high == expected.high);
}

// The result of one that has been carried out on bytes of memory.
struct AtomicOutcome {
    RegisterPair old;    // what was there
    bool stored = true;  // not by a compare-and-swap that has found something else
};

inline AtomicOutcome carry_out(std::uint8_t* at, AtomicOperation operation, const AtomicOperands& operands,
                               unsigned size, bool is_unsigned) {
    const auto each_size = [](unsigned bytes, auto do_with) {  // as a constant: without a call of memcpy
        switch (bytes) {
            case 1:
                return do_with(std::integral_constant<unsigned, 1>());
            case 2:
                return do_with(std::integral_constant<unsigned, 2>());
            case 4:
                return do_with(std::integral_constant<unsigned, 4>());
            case 8:
                return do_with(std::integral_constant<unsigned, 8>());
            default:
                return do_with(std::integral_constant<unsigned, 16>());
        }
    };
    AtomicOutcome outcome;
    each_size(size, [&](auto bytes) { std::memcpy(&outcome.old, at, bytes); });
    RegisterPair changed = operands.value;
    if (operation == AtomicOperation::compare_and_swap)
        outcome.stored = is_expected(outcome.old, operands.expected, size);
    else
        changed.low = apply(operation, outcome.old.low, operands.value.low, size, is_unsigned);
    if (outcome.stored) each_size(size, [&](auto bytes) { std::memcpy(at, &changed, bytes); });
    return outcome;
}

}  // namespace croftsim
