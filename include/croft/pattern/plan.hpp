#pragma once
// Who does what where: the roles of a network, the thread that each of them runs on, and the core of each thread. A
// placement (placement.hpp) writes a plan; plan_of (run.hpp) shows the one that a run would follow.
//
// Roles are not threads. Neighbours on one thread call each other; neighbours on two have a channel between them.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <croft/memory/ends.hpp>

namespace croft {

enum class role_kind {
    source,     // makes the items
    sink,       // takes them
    worker,     // a stage, or a worker of a farm: what takes the time
    emitter,    // gives items to workers
    collector,  // takes theirs
};

struct planned_role {
    std::string name;  // "farm.worker 2"
    role_kind kind;
    bool inner = false;  // of a pattern within a farm: an emitter or collector that is best beside its own workers
    std::size_t thread = 0;
    bool row = false;  // one of several emitters or collectors, which has work enough for a thread of its own

    // Whether it is to be placed as what takes the time.
    bool works() const { return kind == role_kind::worker || row; }
};

struct plan {
    std::vector<planned_role> roles;  // in the order in which items pass them
    std::size_t threads = 1;          // thread 0 is the caller's, and has the source
    std::vector<int> cores = {};      // of each thread; empty: the operating system's choice

    // A line for each thread: "thread 1, core 1: farm.worker 0, farm.worker 1".
    std::string to_string() const {
        std::string text;
        for (std::size_t i = 0; i < threads; ++i) {
            text += "thread " + std::to_string(i);
            if (!cores.empty()) text += ", core " + std::to_string(cores[i]);
            const char* separator = ": ";
            for (const planned_role& role : roles)
                if (role.thread == i) {
                    text += separator + role.name;
                    separator = ", ";
                }
            text += '\n';
        }
        return text;
    }

    // Throws std::invalid_argument if no network can be made so.
    void check() const {
        if (threads == 0) throw std::invalid_argument("croft::plan: there has to be a thread");
        if (!cores.empty() && cores.size() != threads)
            throw std::invalid_argument("croft::plan: " + std::to_string(cores.size()) + " cores for " +
                                        std::to_string(threads) + " threads");
        for (const planned_role& role : roles)
            if (role.thread >= threads)
                throw std::invalid_argument("croft::plan: " + role.name + " is on thread " +
                                            std::to_string(role.thread) + " of " + std::to_string(threads));
        if (!roles.empty() && roles.front().kind == role_kind::source && roles.front().thread != 0)
            throw std::invalid_argument("croft::plan: the source runs on the calling thread, which is thread 0");
    }
};

}  // namespace croft
