#pragma once
// The bodies of placement.hpp.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <croft/pattern/placement.hpp>
#include <croft/thread/core_claims.hpp>

namespace croft {

CROFT_INLINE plan detail::placed(std::vector<plan::role> roles, std::size_t threads, const placement& place) {
    plan made;
    made.roles = std::move(roles);
    place(made, threads);
    made.check();
    return made;
}

namespace placements {

namespace detail {

inline bool works(const plan::role& role) { return role.works(); }
inline bool ends_a_pattern(const plan::role& role) {
    return role.kind == plan::role_kind::collector || role.kind == plan::role_kind::sink;
}

// Source, emitter, workers, collector, sink. On few threads the first one makes the items and takes their results, so
// that items that it works on itself go nowhere.
inline bool is_one_farm(const std::vector<plan::role>& roles) {
    const auto between = [](const plan::role& role) { return !works(role) && !role.inner; };
    return std::count_if(roles.begin(), roles.end(), between) == 4 && roles.size() > 4 &&
           roles[1].kind == plan::role_kind::emitter && roles[roles.size() - 2].kind == plan::role_kind::collector;
}
// Runs of roles between workers that should have a thread of their own if there is one, the most wanting first. An
// emitter after a stage, or a collector before one, is none: it is best where that stage is.
inline std::vector<std::pair<std::size_t, std::size_t>> runs_to_part(const std::vector<plan::role>& roles) {
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
// Groups of roles first, then threads, numbered in the order in which items come to them.
inline void place_on_threads(plan& made, std::size_t threads) {
    std::vector<plan::role>& roles = made.roles;
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

}  // namespace detail

CROFT_INLINE void neighbours::operator()(plan& made, std::size_t threads) const {
    detail::place_on_threads(made, std::max<std::size_t>(threads, 1));
    if (pinned && port::core_count() >= made.threads + spare) made.cores = near_each_other(made.threads, spare);
}

CROFT_INLINE std::vector<int> neighbours::near_each_other(std::size_t threads, std::size_t spare) {
    std::vector<int> cores = croft::detail::cores_to_pin();
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

CROFT_INLINE void thread_a_role::operator()(plan& made, std::size_t) const {
    std::size_t threads = 0;
    bool shared = false;  // whether the last thread is one of roles between workers
    for (plan::role& each : made.roles) {
        if (each.works() || !shared) ++threads;
        shared = !each.works();
        each.thread = threads - 1;
    }
    made.threads = threads;
    if (!cores.empty()) {
        made.cores = cores;
    } else if (pinned) {
        std::vector<int> allowed = croft::detail::cores_to_pin();
        if (allowed.size() < threads) return;
        allowed.resize(threads);
        made.cores = std::move(allowed);
    }
}

}  // namespace placements
}  // namespace croft
