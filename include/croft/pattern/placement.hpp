#pragma once
// Mapping roles to threads and threads to cores (paper 000, section 5): a placement is anything that takes a plan whose
// roles are named, on a machine of so many cores, and fills in the rest.
//
//     croft::run(source, pattern, sink, {.place = croft::placements::neighbours{}});   // the default
//     croft::run(source, pattern, sink, {.place = croft::placements::thread_a_role{}});
//     croft::run(source, pattern, sink, {.place = [](croft::plan& plan, std::size_t threads) { ... }});
//
// Where lines are homed follows: the channels on both sides of a worker at the worker, those between stages at their
// reader (docs/patterns/README.md), if the policies have such homes.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <croft/pattern/plan.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/core_claims.hpp>

namespace croft {

// `threads`: how many there may be.
using placement = std::function<void(plan&, std::size_t threads)>;

namespace placements {

// Roles that follow each other share a thread if there are too few, or get neighbouring cores.
//
// Workers come first: one to a thread, or, with fewer threads, so many neighbours to each. Threads that are left get
// the source with what follows it, then the sink, then the emitters and collectors between two farms; without such a
// thread each of these joins the worker beside it. So with few threads the emitter and the collector work as well.
struct neighbours {
    // False: leave the cores to the operating system, which natively knows better what else runs there.
    // Pinned, threads get cores that no other pinned threads of this process have, as far as there are such.
    bool pinned = port::waits_on_lines;
    std::size_t spare = 0;  // so many cores are left alone, the first ones

    void operator()(plan& made, std::size_t threads) const {
        place_on_threads(made, std::max<std::size_t>(threads, 1));
        if (pinned && port::core_count() >= made.threads + spare) made.cores = near_each_other(made.threads, spare);
    }

    // So many of the cores allowed, along a line that winds over the mesh, each beside the next; else in their order,
    // one node of memory after the other.
    static std::vector<int> near_each_other(std::size_t threads, std::size_t spare = 0) {
        std::vector<int> cores = detail::cores_to_pin();
        if (cores.size() < threads + spare) return {};
        if constexpr (port::is_many_core) {
            const int columns = static_cast<int>(port::mesh_columns());
            const auto on_line = [&](int core) {
                const int row = core / columns, column = core % columns;
                return row * columns + (row % 2 ? columns - 1 - column : column);
            };
            std::sort(cores.begin(), cores.end(), [&](int a, int b) { return on_line(a) < on_line(b); });
        }
        const auto first = cores.begin() + static_cast<std::ptrdiff_t>(spare);
        return {first, first + static_cast<std::ptrdiff_t>(threads)};
    }

private:
    static bool works(const planned_role& role) { return role.works(); }
    static bool ends_a_pattern(const planned_role& role) {
        return role.kind == role_kind::collector || role.kind == role_kind::sink;
    }

    // Groups of roles first, then threads, numbered in the order in which items come to them.
    static void place_on_threads(plan& made, std::size_t threads) {
        std::vector<planned_role>& roles = made.roles;
        const auto workers = static_cast<std::size_t>(std::count_if(roles.begin(), roles.end(), works));
        const std::size_t worker_groups = std::min(workers, threads);
        const auto group_of_worker = [&](std::size_t i) { return workers ? i * worker_groups / workers : 0; };
        std::size_t spare = threads - worker_groups;

        std::vector<std::size_t> group(roles.size(), 0);
        for (std::size_t i = 0, worker = 0; i < roles.size(); ++i) {
            if (works(roles[i])) {
                group[i] = group_of_worker(worker++);
            } else if (workers > 0) {
                const bool before = worker > 0 && (worker == workers || ends_a_pattern(roles[i]) == roles[i].inner);
                group[i] = group_of_worker(before ? worker - 1 : worker);
            }
        }
        if (threads < 4 && spare == 0 && is_one_farm(roles))
            for (std::size_t i = roles.size(); i-- > 0 && !works(roles[i]) && !roles[i].inner;) group[i] = 0;
        std::size_t groups = std::max<std::size_t>(worker_groups, 1);
        if (workers > 0)
            for (const auto& [first, last] : runs_to_part(roles)) {
                if (spare-- == 0) break;
                std::fill(group.begin() + static_cast<std::ptrdiff_t>(first),
                          group.begin() + static_cast<std::ptrdiff_t>(last), groups++);
            }

        std::vector<std::size_t> thread(groups, groups);
        made.threads = 0;
        for (std::size_t i = 0; i < roles.size(); ++i) {
            if (thread[group[i]] == groups) thread[group[i]] = made.threads++;
            roles[i].thread = thread[group[i]];
        }
    }
    // Source, emitter, workers, collector, sink. On few threads the first one makes the items and takes what comes of
    // them, so that what it works on itself goes nowhere.
    static bool is_one_farm(const std::vector<planned_role>& roles) {
        const auto between = [](const planned_role& role) { return !works(role) && !role.inner; };
        return std::count_if(roles.begin(), roles.end(), between) == 4 && roles.size() > 4 &&
               roles[1].kind == role_kind::emitter && roles[roles.size() - 2].kind == role_kind::collector;
    }
    // Runs of roles between workers that should have a thread of their own if there is one, the most wanting first. An
    // emitter after a stage, or a collector before one, is none: it is best where that stage is.
    static std::vector<std::pair<std::size_t, std::size_t>> runs_to_part(const std::vector<planned_role>& roles) {
        std::vector<std::pair<std::size_t, std::size_t>> inner, outer;
        for (std::size_t i = 0; i < roles.size(); ++i) {
            const std::size_t first = i;
            while (i < roles.size() && !works(roles[i]) && !roles[i].inner) ++i;
            if (first == 0 && i > 0)
                outer.insert(outer.begin(), {first, i});
            else if (i == roles.size() && i > first)
                outer.push_back({first, i});
            else if (i > first + 1)
                inner.push_back({first, i});
        }
        outer.insert(outer.end(), inner.begin(), inner.end());
        return outer;
    }
};

// A thread for each worker, and one for what is between two of them, the ends included: what a machine with a core for
// every role wants, and the papers measured.
struct thread_a_role {
    bool pinned = port::waits_on_lines;
    std::vector<int> cores = {};  // of each thread, in the order of the items' way; empty: the first of those allowed,
                                  // one node of memory after the other, or none pinned if these do not suffice

    void operator()(plan& made, std::size_t) const {
        std::size_t threads = 0;
        bool shared = false;  // whether the last thread is one of roles between workers
        for (planned_role& each : made.roles) {
            if (each.works() || !shared) ++threads;
            shared = !each.works();
            each.thread = threads - 1;
        }
        made.threads = threads;
        if (!cores.empty()) {
            made.cores = cores;
        } else if (pinned) {
            std::vector<int> allowed = detail::cores_to_pin();
            if (allowed.size() < threads) return;
            allowed.resize(threads);
            made.cores = std::move(allowed);
        }
    }
};

}  // namespace placements
}  // namespace croft
