#pragma once
// The keys of what the operating system costs.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, KernelDescription& kernel) {
    in.number("entry", kernel.entry, some_cycles, "from a system call to the kernel's action");
    in.number("exit", kernel.exit, some_cycles, "from the action, or a wake-up, to the next user instruction");
    in.number("thread_start", kernel.thread_start, any_cycles,
              "from clone's action to the new thread's first instruction");
    using Scheduler = KernelDescription::Scheduler;
    static const Words<Scheduler> schedulers{{"own", Scheduler::own}, {"share", Scheduler::share}};
    in.defaulted_word(
        "scheduler", kernel.scheduler, schedulers,
        "what becomes of more threads than cores. \"own\": a thread has a core of its own while it runs or "
        "sleeps. One that waits for another lends its core to one that has none; if nobody lends one for "
        "a millisecond, the run ends with an error. \"share\": threads take turns. Nothing: \"own\"");
    in.optional_number("quantum", kernel.quantum, {1'000, 1'000'000'000},
                       "how long a thread runs, in cycles, while another waits for its core. Nothing: 1,000,000");
    in.optional_number(
        "switch", kernel.switching, any_cycles,
        "from the kernel's action to the first instruction of a thread that had no core. Nothing: 2,000");
}

}  // namespace croftsim
