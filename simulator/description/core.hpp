#pragma once
// The keys of a core.

#include <iterator>

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

constexpr NamedNumber cost_names[] = {
    {"alu", "integer arithmetic and logic"},
    {"multiply", "integer multiplication; pipelined if issue_width is above 1"},
    {"divide", "integer division and remainder"},
    {"branch", "a conditional branch, not taken"},
    {"jump", "jal and jalr, beside taken_branch"},
    {"load", "a load, beside what the memory system adds"},
    {"store", "a store, beside what the memory system adds"},
    {"atomic", "lr, sc and amo, beside what the memory system adds"},
    {"fence", "a fence, beside its wait for outstanding stores"},
    {"csr", "reading or writing a control register"},
    {"system", "ecall and ebreak, beside what the kernel adds"},
    {"float_move", "moving or changing the sign of a floating-point number"},
    {"float_compare", "comparing, minimum, maximum, classifying"},
    {"float_add", "addition and subtraction"},
    {"float_multiply", "multiplication"},
    {"float_fused", "fused multiply and add"},
    {"float_divide", "division"},
    {"float_sqrt", "square root"},
    {"float_convert", "conversion between formats"},
    {"send", "a message of one word into the user network: its header and the word"},
    {"push", "a header or a word of a longer message (croft.open, croft.push)"},
    {"receive", "a word out of a queue of the user network (croft.receive)"},
};
static_assert(std::size(cost_names) == static_cast<std::size_t>(Cost::count));

template <class Keys>
void keys(Keys& in, CoreDescription& core) {
    in.number("issue_width", core.issue_width, {1, 3},
              "instructions a cycle at most, none needing another's result; of memory operations one, and one of all "
              "that multiply, divide, compute with floating-point numbers, or are csr or system instructions");
    in.number("taken_branch", core.taken_branch, any_cycles, "further cycles of a taken branch or a jump");
    in.number("split_fetch", core.split_fetch, any_cycles,
              "further cycles of an instruction of 4 bytes at an address that is no multiple of 4, in an in-order core "
              "that fetches 4 bytes at a time");
    in.number("store_buffer_drain", core.store_buffer_drain, any_cycles,
              "how long the store buffer waits for another store to its line");
    in.number("fence_least", core.fence_least, any_cycles, "what a fence takes at least if it has to wait");
    using Fence = CoreDescription::Fence;
    static const Words<Fence> ways_to_cost{{"behind", Fence::behind}, {"beside", Fence::beside}};
    in.defaulted_word("fence_cost", core.fence_cost, ways_to_cost,
                      "under other protocols than ddc: whether a fence's own cycles (core.cost.fence) come behind its "
                      "wait for stores, or pass while it waits; without, behind");
    in.number("outstanding_stores", core.outstanding_stores, {0, 1024},
              "store messages without acknowledgement before the next store stalls; at least 3 under ddc, where a "
              "store makes up to three; 0, under mesi, denovo and denovo_line: an in-order core waits for each store "
              "that misses");
    using Loads = CoreDescription::Loads;
    static const Words<Loads> kinds_of_loads{{"at_use", Loads::at_use}, {"at_once", Loads::at_once}};
    in.word("loads_block", core.loads_block, kinds_of_loads,
            "when an in-order core waits for a load that misses: at the first use of its result, or at once");
    using Stores = CoreDescription::Stores;
    static const Words<Stores> orders_of_stores{{"any", Stores::any}, {"in_order", Stores::in_order}};
    in.defaulted_word("stores", core.stores, orders_of_stores,
                      "in which order they become visible. in_order: as in the program (with loads in order, total "
                      "store order), under mesi or moesi; those that wait have asked for their lines, and an "
                      "out-of-order core waits at a fence only if that orders stores before loads; without, any that "
                      "RISC-V allows");
    in.numbers(
        "cost", core.cost, cost_names, some_cycles,
        "Cycles until the next instruction may issue, by kind. An instruction that costs 1 may share its cycle if "
        "issue_width allows. For an out-of-order core, cycles from issue to result.");
}

}  // namespace croftsim
