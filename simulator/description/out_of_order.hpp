#pragma once
// The keys of a core that issues out of order. core/ counts in few bits, which limits the values. issue_slots.hpp
// counts in four bits, in a ring that is longer than the usual chains of results in a window of 512.
// branch_predictor.hpp has eight bits for the place in the stack of return addresses, and sixteen of 64 for each target
// of its path.

#include <iterator>

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

constexpr Range issued_in_a_cycle{1, 15};

constexpr NamedNumber unit_names[] = {{"alu", "integer arithmetic and logic"},
                                      {"branch", "control transfers"},
                                      {"memory", "addresses of loads and stores"},
                                      {"multiply", "multiplication and division"},
                                      {"floating", "floating point, all of it"},
                                      {"float_multiply", "of that: moves, multiplication, division, square roots"}};
static_assert(std::size(unit_names) == unit_count);

template <class Keys>
void keys(Keys& in, OutOfOrderDescription& window) {
    constexpr Range table = power_of_two({1, 1 << 20}), at_most_100{0, 100, "cycles"};
    constexpr Range reuse{1, 15, "cycles"};
    in.number("width", window.width, issued_in_a_cycle, "instructions retired a cycle");
    in.number("fetch_width", window.fetch_width, issued_in_a_cycle, "instructions fetched a cycle");
    in.number("issue_width", window.issue_width, issued_in_a_cycle, "instructions issued a cycle, in all");
    in.number("reorder_buffer", window.reorder_buffer, {1, 512}, "instructions in flight");
    in.number("entry_reuse", window.entry_reuse, reuse,
              "from an instruction's retirement to the first dispatch of one that takes its entry there");
    in.number("issue_queue", window.issue_queue, {0, 512},
              "instructions in flight that have not issued, no more than reorder_buffer; 0: any number");
    in.number("load_store_queue", window.load_store_queue, {0, 512},
              "loads and stores in flight in one queue, no more than reorder_buffer; 0: they have a queue each");
    in.number("load_queue", window.load_queue, {1, 512},
              "loads in flight if they have a queue of their own, no more than reorder_buffer");
    in.number("store_queue", window.store_queue, {1, 512},
              "the same of stores, which stay until the L1 has taken them");
    in.number("load_reuse", window.load_reuse, reuse,
              "from a load's retirement to the first dispatch of one that takes its entry");
    in.number("store_delay", window.store_delay, at_most_100, "from a store's retirement to its turn at the L1");
    in.number("l1_accesses", window.l1_accesses, {0, 15},
              "loads and stores that the L1 takes a cycle, loads first; a load beyond them is issued again, two cycles "
              "later at the earliest, a store waits for the next cycle; 0: any number of loads, and one store");
    in.number("registers", window.registers, {33, 1024},
              "physical registers of each of the two files; 32 of them hold the program's");
    in.number("register_reuse", window.register_reuse, reuse,
              "from an instruction's retirement to the first dispatch of one that takes the register of its result's "
              "predecessor");
    in.number("mispredict", window.mispredict, at_most_100,
              "from a control transfer's resolution to the first instruction behind it");
    in.number("redirect", window.redirect, at_most_100,
              "lost by a taken control transfer whose target only decoding tells");
    in.number("squash", window.squash, {0, 512},
              "entries of the reorder buffer that are undone a cycle after a misprediction, while which nothing is "
              "dispatched or retires; 0: all at once");
    using SameLine = OutOfOrderDescription::SameLine;
    static const Words<SameLine> same_line{{"joins", SameLine::joins}, {"blocks", SameLine::blocks}};
    in.word("same_line", window.same_line, same_line,
            "what a load or store does whose line is on its way already: it waits for the line, or all loads and "
            "stores of the core wait for the L1's next answer");
    in.number("local_histories", window.local_histories, table, "of the tournament predictor: local histories");
    in.number("local_history_bits", window.local_history_bits, {1, 16}, "bits of a local history");
    in.number("global_counters", window.global_counters, table, "global counters, and as many that choose");
    in.number("branch_targets", window.branch_targets, table, "entries of the branch target buffer");
    in.number("return_addresses", window.return_addresses, {0, 256},
              "entries of the return-address stack; 0: a return is predicted as any other indirect jump");
    in.number("indirect_sets", window.indirect_sets, {0, 1 << 16},
              "sets of the predictor of indirect jumps, a power of two, found by the jump, the global history and the "
              "targets before it; what is not in it is predicted not to jump; 0: the target is the branch target "
              "buffer's");
    in.number("indirect_ways", window.indirect_ways, {1, 16}, "targets a set holds");
    in.number("indirect_path", window.indirect_path, {1, 4}, "how many targets of indirect jumps before it count");
    in.numbers("units", window.units, unit_names, issued_in_a_cycle,
               "How many instructions each kind of unit of an out-of-order core takes in a cycle.");
}

inline void check(const OutOfOrderDescription& window, Problems& problems) {
    const auto check_queue = [&](const char* name, std::uint32_t entries) {
        if (entries > window.reorder_buffer)
            problems.impossible(name, "(", entries, ") must not be larger than reorder_buffer (", window.reorder_buffer,
                                ")");
    };
    check_queue("issue_queue", window.issue_queue);
    check_queue("load_store_queue", window.load_store_queue);
    if (window.load_store_queue == 0) {
        check_queue("load_queue", window.load_queue);
        check_queue("store_queue", window.store_queue);
    }
    if (window.indirect_sets & (window.indirect_sets - 1))
        problems.impossible("indirect_sets", "(", window.indirect_sets, ") must be a power of two, or 0");
    if (window.return_addresses == 0 && window.indirect_sets == 0)
        problems.impossible("return_addresses", "can be 0 only if indirect_sets is not");
}

}  // namespace croftsim
