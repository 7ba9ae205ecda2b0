#pragma once
// Runs a pattern on a stream, with the help of other processes: what croft::run is within one.
//
//     int main(int argc, char** argv) {
//         return croft::mpi::program(argc, argv, [](const croft::mpi::processes& world) {
//             croft::mpi::run(source, croft::mpi::across(world, croft::farm(simulate)), sink);
//         });
//     }
//
// All processes of the group call it, with the same pattern. Source and sink are the root's; at the others they are not
// called, and the call returns when the root's stream has ended. A process of which a node has several gets its share
// of the cores, unless options.threads says otherwise.

#include <croft/mpi/across.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/pattern/run.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace croft::mpi {

namespace detail {

// Of the cores that this process may use, those of its node's other ones counted as well.
inline std::size_t share_of_cores(const processes& group) {
    const std::size_t cores = port::core_count();
    // A launcher that gives each process cores of its own leaves fewer than the node has.
    const auto all = static_cast<std::size_t>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
    if (cores < all) return cores;
    return std::max<std::size_t>(1, cores / static_cast<std::size_t>(group.size_of_node()));
}

template <class In, class Body>
void work_for_root(across_pattern<Body>& pattern, const run_options& options) {
    croft::detail::network<policies> made(
        croft::detail::make_plan(options, [&](croft::detail::role_list& roles) { pattern.describe(roles); }),
        options.stops ? &options.stops->request() : nullptr, options.slots);
    pattern.template build_member<In>(made.make(), 0, made.stop());
    try {
        made.run();
    } catch (...) {
        // What a worker threw the root has been told, and it is the root's to say so.
        if (pattern.has_lost_root()) throw;
    }
}

}  // namespace detail

// Throws what croft::run does; remote_failure; and `error` if MPI refuses, a process cannot be gone on without, or
// ranks are about different patterns.
template <class Source, class Body, class Sink>
void run(Source&& source, across_pattern<Body> pattern, Sink&& sink, run_options options = {}) {
    using in = typename croft::detail::source_traits<Source>::type;
    static_assert(!std::is_void_v<in>, "croft::mpi::run: a source is std::optional<T> () or bool (T&)");
    if (options.threads == 0) options.threads = detail::share_of_cores(pattern.group());
    if (pattern.is_root())
        croft::run<policies>(std::forward<Source>(source), pattern, std::forward<Sink>(sink), options);
    else
        detail::work_for_root<in>(pattern, options);
}

}  // namespace croft::mpi
