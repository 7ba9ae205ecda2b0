#pragma once
// The keys of a core that issues out of order. Its largest values are what core/ can count: issue_slots.hpp in four
// bits, of a ring that is longer than the usual chains of results in a window of 512; branch_predictor.hpp the place in
// the stack of return addresses in eight.

#include <iterator>

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

constexpr Range issued_in_a_cycle{1, 15};

constexpr NamedNumber unit_names[] = {{"alu", "integer arithmetic and logic"},
                                      {"branch", "control transfers"},
                                      {"memory", "addresses of loads and stores"},
                                      {"multiply", "multiplication and division"},
                                      {"floating", "floating point"}};
static_assert(std::size(unit_names) == unit_count);

template <class Keys>
void keys(Keys& in, OutOfOrderDescription& window) {
    constexpr Range table = power_of_two({1, 1 << 20}), at_most_100{0, 100, "cycles"};
    in.number("width", window.width, issued_in_a_cycle, "instructions fetched, and retired, a cycle");
    in.number("issue_width", window.issue_width, issued_in_a_cycle, "instructions issued a cycle, in all");
    in.number("reorder_buffer", window.reorder_buffer, {1, 512}, "instructions in flight");
    in.number("load_store_queue", window.load_store_queue, {1, 512},
              "loads and stores in flight, no more than reorder_buffer");
    in.number("registers", window.registers, {33, 1024},
              "physical registers of each of the two files; 32 of them hold the program's");
    in.number("mispredict", window.mispredict, at_most_100,
              "from a control transfer's resolution to the first instruction behind it");
    in.number("redirect", window.redirect, at_most_100,
              "lost by a taken control transfer whose target only decoding tells");
    in.number("local_histories", window.local_histories, table, "of the tournament predictor: local histories");
    in.number("local_history_bits", window.local_history_bits, {1, 16}, "bits of a local history");
    in.number("global_counters", window.global_counters, table, "global counters, and as many that choose");
    in.number("branch_targets", window.branch_targets, table, "entries of the branch target buffer");
    in.number("return_addresses", window.return_addresses, {1, 256}, "entries of the return-address stack");
    in.numbers("units", window.units, unit_names, issued_in_a_cycle,
               "Of the instructions that an out-of-order core issues in a cycle, how many each kind of unit takes.");
}

inline void check(const OutOfOrderDescription& window, Problems& problems) {
    if (window.load_store_queue > window.reorder_buffer)
        problems.impossible("load_store_queue", "(", window.load_store_queue,
                            ") must not be larger than reorder_buffer (", window.reorder_buffer, ")");
}

}  // namespace croftsim
