#pragma once
// Runs a pattern on a stream, with the help of other processes, as croft::run does within one.
//
//     croft::mpi::run(source, croft::mpi::across(croft::mpi::world(), croft::farm(simulate)), sink);
//
// The pattern is croft::mpi::across, or a pipeline with such stages. All processes of the group call it, with the same
// pattern. Source, sink and other stages are the root's; at the others they are not called, and the call returns when
// the root's stream has ended. A process of which a node has several gets its share of the cores, unless
// options.threads says otherwise.
//
// One thread of each process calls MPI for each stage that is across processes. If there is one such stage and it comes
// first, that is the calling thread, and MPI_THREAD_FUNNELED suffices. MPI_THREAD_SERIALIZED suffices for one that does
// not come first, and several take MPI_THREAD_MULTIPLE.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <croft/mpi/across.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/between_processes.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi {

namespace detail {

// The share of the cores that this process may use, those of its node's other processes counted as well.
inline std::size_t share_of_cores(const processes& group) {
    const std::size_t cores = port::core_count();
    // A launcher that gives each process cores of its own leaves it fewer than the node has.
    if (cores < port::between_processes::core_count_of_node()) return cores;
    return std::max<std::size_t>(1, cores / static_cast<std::size_t>(group.size_of_node()));
}

// Patterns that are across processes say so (across_pattern.hpp, divided.hpp); a pipeline may have stages that are.
template <class Pattern>
inline constexpr bool has_across = false;
template <class Pattern>
    requires(Pattern::is_across_processes)
inline constexpr bool has_across<Pattern> = true;
template <class... Stages>
inline constexpr bool has_across<croft::pipeline_pattern<Stages...>> = (has_across<Stages> || ...);

// Calls visit.template operator()<In>(part) for each part that is across processes.
template <class In, class Pattern, class Visit>
void for_each_across(Pattern& pattern, const Visit& visit) {
    if constexpr (requires { pattern.template for_each_across<In>(visit); })
        pattern.template for_each_across<In>(visit);
    else if constexpr (has_across<Pattern>)
        pattern.template for_each_stage<In>(
            [&]<class StageIn>(auto& stage) { for_each_across<StageIn>(stage, visit); });
}

// The state that all parts share.
struct parties {
    const processes* group = nullptr;
    int root = no_rank;
};
template <class In, class Pattern>
parties begin_all(Pattern& pattern) {
    parties all;
    int level = MPI_THREAD_SINGLE;
    int parts = 0;
    for_each_across<In>(pattern, [&]<class>(auto& part) {
        if (all.group && (all.group != &part.group() || all.root != part.root()))
            throw error("croft::mpi::run: all stages across processes have the same group and the same root");
        all = {&part.group(), part.root()};
        part.begin();
        ++parts;
    });
    check(MPI_Query_thread(&level), "asking for the level of thread support");
    if (parts > 1 && level < MPI_THREAD_MULTIPLE)
        throw error("croft::mpi::run: rank " + std::to_string(all.group->rank()) +
                        " has initialised MPI with less than MPI_THREAD_MULTIPLE, which several stages across "
                        "processes take",
                    all.group->rank());
    return all;
}

template <class In, class Pattern>
void work_for_root(Pattern& whole, int rank, const run_options& options) {
    // Its parts of it; a stage may be at one of the others alone.
    const auto for_each_own = [&](const auto& visit) {
        for_each_across<In>(whole, [&]<class PartIn>(auto& part) {
            if (part.has_member(rank)) visit.template operator()<PartIn>(part);
        });
    };
    bool any = false;
    for_each_own([&]<class>(auto&) { any = true; });
    if (!any) return;
    croft::detail::core_share cores(options.threads, croft::detail::caller::works);
    croft::detail::network<policies> made(
        croft::detail::make_plan(
            options,
            [&](croft::detail::role_list& roles) { for_each_own([&]<class>(auto& part) { part.describe(roles); }); },
            cores),
        options.stops ? &options.stops->request() : nullptr, options.slots);
    std::size_t first = 0;
    for_each_own([&]<class PartIn>(auto& part) {
        part.template build_member<PartIn>(made.make(), first, made.stop());
        first += part.role_count();
    });
    try {
        made.run();
    } catch (...) {
        // If a worker threw, the root has been told, and its run() throws.
        bool lost = false;
        for_each_own([&]<class>(auto& part) { lost |= part.has_lost_root(); });
        if (lost) throw;
    }
}

}  // namespace detail

// Throws what croft::run does; remote_failure; and `error` if MPI refuses, a process cannot be gone on without, or
// ranks are about different patterns.
template <class Source, class Pattern, class Sink>
void run(Source&& source, Pattern&& pattern, Sink&& sink, run_options options = {}) {
    using in = typename croft::detail::source_traits<Source>::type;
    static_assert(!std::is_void_v<in>, "croft::mpi::run: a source is std::optional<T> () or bool (T&)");
    static_assert(detail::has_across<std::decay_t<Pattern>>,
                  "croft::mpi::run: the pattern is croft::mpi::across or at, or a pipeline with such a stage");
    const auto [group, root] = detail::begin_all<in>(pattern);
    if (options.threads == 0) options.threads = detail::share_of_cores(*group);
    struct finishing {
        ~finishing() {
            detail::for_each_across<in>(all, []<class>(auto& part) { part.finish(); });
        }
        std::decay_t<Pattern>& all;
    } const finish{pattern};
    if (group->rank() == root)
        croft::run<policies>(std::forward<Source>(source), pattern, std::forward<Sink>(sink), options);
    else
        detail::work_for_root<in>(pattern, group->rank(), options);
}

}  // namespace croft::mpi
