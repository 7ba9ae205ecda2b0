#pragma once
// A plan: the roles of a network, the thread that each of them runs on, and the core of each thread. A placement
// (placement.hpp) writes a plan; plan_of (run.hpp) shows the one that a run would follow.
//
// Roles are not threads. Neighbours on one thread call each other; neighbours on two have a channel between them.

#include <cstddef>
#include <string>
#include <vector>

#include <croft/port/compiled.hpp>

namespace croft {

struct plan {
    enum class role_kind {
        source,     // makes the items
        sink,       // takes them
        worker,     // a stage, or a worker of a farm: what takes the time
        emitter,    // gives items to workers
        collector,  // takes theirs
    };

    struct role {
        std::string name;  // "farm.worker 2"
        role_kind kind;
        bool inner = false;  // of a pattern within a farm: an emitter or collector that is best beside its own workers
        std::size_t thread = 0;
        bool row = false;  // one of several emitters or collectors, which has work enough for a thread of its own

        // Whether it is to be placed as what takes the time.
        bool works() const { return kind == role_kind::worker || row; }
    };

    std::vector<role> roles;      // in the order in which items pass them
    std::size_t threads = 1;      // thread 0 is the caller's, and has the source
    std::vector<int> cores = {};  // of each thread; empty: the operating system's choice

    // A line for each thread: "thread 1, core 1: farm.worker 0, farm.worker 1".
    std::string to_string() const;

    // Throws std::invalid_argument if no network can be made so.
    void check() const;
};

namespace detail {
using role_kind = plan::role_kind;
}

}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/pattern/plan_body.hpp>
#endif
