#pragma once
// Mapping roles to threads and threads to cores (paper 000, section 5). A placement is anything that takes a plan whose
// roles are named, on a machine of so many cores, and fills in the rest.
//
//     croft::run(source, pattern, sink, {.place = croft::placements::neighbours{}});   // the default
//     croft::run(source, pattern, sink, {.place = croft::placements::thread_a_role{}});
//     croft::run(source, pattern, sink, {.place = [](croft::plan& plan, std::size_t threads) { ... }});
//
// The homes of lines follow, if the policies have such homes. The channels on both sides of a worker are homed at the
// worker, those between stages at their reader (docs/patterns/README.md).

#include <cstddef>
#include <functional>
#include <vector>

#include <croft/pattern/plan.hpp>
#include <croft/port/count_option.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace detail {

// `threads`: how many there may be.
using placement = std::function<void(plan&, std::size_t threads)>;

// The plan that a placement makes of these roles. Throws std::invalid_argument if no network can be made so.
plan placed(std::vector<plan::role> roles, std::size_t threads, const placement& place);
}  // namespace detail

namespace placements {

// Roles that follow each other share a thread if there are too few, or get neighbouring cores.
//
// Workers come first: one to a thread, or, with fewer threads, so many neighbours to each. Threads that are left get
// the source with what follows it, then the sink, then the emitters and collectors between two farms. Without such a
// thread each of these joins the worker beside it. So with few threads the emitter and the collector work as well.
struct neighbours {
    // False: leave the cores to the operating system, which natively knows better what else runs there.
    // Pinned, threads get cores that no other pinned threads of this process have, as far as there are such.
    bool pinned = port::waits_on_lines;
    count_option spare = 0;  // so many cores are left alone, the first ones

    void operator()(plan& made, std::size_t threads) const;

    // So many of the cores allowed, along a line that winds over the mesh, each beside the next. Else they are in their
    // order, one node of memory after the other.
    static std::vector<int> near_each_other(std::size_t threads, std::size_t spare = 0);
};

// A thread for each worker, and one for the roles between two workers, the ends included. A machine with a core for
// every role wants this, and the papers measured it.
struct thread_a_role {
    bool pinned = port::waits_on_lines;
    std::vector<int> cores = {};  // of each thread, in the order of the items' way. Empty: the first of those allowed,
                                  // one node of memory after the other, or none pinned if these do not suffice

    void operator()(plan& made, std::size_t) const;
};

}  // namespace placements
}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/pattern/placement_body.hpp>
#endif
