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
}

}  // namespace croftsim
