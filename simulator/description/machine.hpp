#pragma once
// The keys of a whole machine.

#include "cache/sharer_set.hpp"
#include "contract/description.hpp"
#include "description/forwarding.hpp"
#include "description/home.hpp"
#include "description/host_link.hpp"
#include "description/kernel.hpp"
#include "description/keys.hpp"
#include "description/kind.hpp"
#include "description/level.hpp"
#include "description/memory.hpp"
#include "description/network.hpp"
#include "description/shared.hpp"
#include "description/uli.hpp"
#include "description/user_network.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, MachineDescription& machine) {
    in.label("name", machine.name, "what it is called");
    in.real("clock_mhz", machine.clock_mhz, 0, 100'000, "MHz", "its clock");
    in.number("cores", machine.cores, {1, SharerSet::capacity},
              "cores that may hold a thread: tiles 0 to cores - 1; with `[big]` or `[tiny]`, as many as these have");
    in.part("network", machine.network,
            "The network that joins the tiles: routers with links between them, on one chip or several.");
    in.part("memory", machine.memory, "The memory controllers and what is behind them.");
    in.part("kernel", machine.kernel, "The costs of the operating system.");
    in.optional_part("user_network", machine.user_network,
                     "The network on which programs send messages themselves: one of its own, with network's links and "
                     "hops.");
    in.optional_part("uli", machine.uli,
                     "User-level interrupts between cores, on the links that the user network has, if there is one, or "
                     "else alone.");
    in.optional_part("host_link", machine.host_link,
                     "The link to a host; each direction is one of its own, and the messages in it follow each other.");
    in.optional_part("forwarding", machine.forwarding,
                     "Home-forwarding (paper 000, definition 5.1) where L1s of mesi or moesi stand before levels of "
                     "caches. A line goes to the core at which its page has its home. Under ddc every machine has it.");
    in.kinds(machine.kinds, machine.cores);
    in.optional_part("home", machine.home, "The tile whose L2 answers for a line, and what that takes.");
    in.optional_list("level", machine.levels, {1, 16},
                     "Levels of caches behind the L1s, from the cores on. All cores share the last one, unless "
                     "`[shared]` is that. A line is coherent by MESI between them.");
    in.optional_part("shared", machine.shared,
                     "The L2 that all cores share, in banks; it is the home of every line, and lines go round the "
                     "banks.");
}

// Places what is placed by a rule, and takes a last level that all share for `shared`.
void settle(MachineDescription& machine);
void check(const MachineDescription& machine, Problems& problems);

}  // namespace croftsim
