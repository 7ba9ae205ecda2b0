#pragma once
// The instructions in flight on an out-of-order core, and where each register's value comes from.

#include <array>
#include <cstdint>

#include "core/branch_predictor.hpp"
#include "core/decoded_code.hpp"

namespace croftsim {

// A register's latest value on the path that is being fetched, or who will make it.
struct RegisterValue {
    static constexpr bool is_plain = true;
    std::uint64_t value = 0;
    std::uint64_t ready = 0;     // the first cycle in which an instruction that reads it may issue
    std::uint64_t producer = 0;  // its sequence number plus one; 0: the value is known
};

// Aligned, so that its size is a power of two: it is found by its number several times an instruction.
struct alignas(64) InFlight {
    static constexpr bool is_plain = true;
    Decoded instruction;
    std::uint64_t pc = 0, sequence = 0;
    std::uint64_t age = 0;  // never used twice, so whoever remembers it can tell an instruction from its successor here
    std::uint64_t value = 0, ready = 0;  // of rd, once known
    std::uint64_t dispatched = 0;
    std::uint64_t issues = 0;        // when; 0: not known yet
    std::uint64_t delayed_from = 0;  // before that: from when it waited for a store to leave the load/store queue
    Stall delayed_by = Stall::store_buffer;  // or to be fetched
    std::uint64_t earliest = 0;              // the first cycle in which it may issue, as far as is known
    std::array<std::uint64_t, 3> operands{};
    std::uint64_t predicted = 0;  // of a control transfer: the next pc; 0: fetching waits
    std::uint64_t target = 0;
    std::uint64_t place = 0;  // of a load or store, in the queue
    BranchPredictor::Prediction prediction;
    RegisterValue previous;  // of rd
    // Those who wait for the value: slot * 4 + operand of the youngest; each knows the next older one.
    std::int16_t waiters = -1;
    std::array<std::int16_t, 3> older{};
    std::array<std::uint16_t, 3> producers{};  // of each operand that it waits for itself: their slots
    std::uint8_t pending = 0;                  // these operands, as bits
    std::uint8_t flags = 0;
    bool queued = false;  // it is not known yet when it issues
    bool known = false;   // what there is to know: it may retire when it is the oldest
    bool faults = false;
    bool taken = false;
    bool mispredicted = false;
};
static_assert((sizeof(InFlight) & (sizeof(InFlight) - 1)) == 0);

}  // namespace croftsim
