#pragma once
// The same patterns across processes.
//
//     croft::mpi::across(croft::mpi::world(), croft::farm(simulate))                  // every core of every process
//     croft::mpi::across(world, croft::pipeline(parse, croft::farm(work)), {.ordered = true})
//     croft::mpi::across(world, croft::map(filter, paste, {}, cut))                   // each item divided among them
//     croft::mpi::across(world, croft::reduce(0.0, std::plus<>()))
//     croft::mpi::at(world, 2, look_up)                                               // this stage is in that process
//
// Each is a pattern like others, at the process that has the items, the root: alone, or a stage of a pipeline. All
// processes of the group call croft::mpi::run (run.hpp), with the same pattern. Those that are not the root work for it
// there until its stream has ended. Each process has its own copy of the pattern's captures. Items and results have to
// be trivially copyable, or to have a codec (codec.hpp).
//
// across, of any pattern but the two below, is a farm whose workers are processes. Each item goes to one of them, where
// the pattern does with it what it does with its own. On demand: a process gets its next items as it gives others back.
// As many as there are share a message, both ways (record.hpp). Every process has a copy of the pattern, so results
// come in no order, unless you ask for it. The pattern keeps the order of the results of one item.
//
// across, of a map or a reduction, divides each item among the processes. Each works on its share with all of its
// cores, and results are in order. A map needs a gather, because values that a worker writes into an item stay in its
// process. It should have a splitter, without which each process gets the whole item. (To have each process map whole
// items of its own, put the map in a farm or a pipeline.)
//
// at: all items go to one process, in order. So the pattern there may have state, or data that only it has. They come
// back to the root.
//
// If a worker throws in another process, the root's run() throws remote_failure, with its rank and what(). The others'
// runs end with the stream, and throw nothing.
//
// A process may be lost (killed, its node gone). Where MPI can go on without it (lost_process.hpp), others get its
// items, and every result is delivered once. Where it cannot, or the process is one that a stage is at, run() throws
// `error`, which names the rank. Some MPIs end the program themselves first. Without the root there is nothing to go on
// with.

#include <utility>

#include <croft/mpi/across_pattern.hpp>
#include <croft/mpi/divided.hpp>
#include <croft/mpi/map_division.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/reduce_division.hpp>
#include <croft/mpi/sharing.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/pattern/reduce.hpp>

namespace croft::mpi {

template <class Body>
auto across(const processes& group, Body&& body, across_options options = {}) {
    return across_pattern<croft::detail::as_pattern_t<Body>>(group, croft::detail::as_pattern(std::forward<Body>(body)),
                                                             options);
}

template <class Worker, class Gather, class Splitter>
auto across(const processes& group, croft::map_pattern<Worker, Gather, Splitter> map, across_options options = {}) {
    return detail::divided_pattern(group, detail::map_division<Worker, Gather, Splitter>(map), options);
}
template <class T, class Transform, class Combine>
auto across(const processes& group, croft::detail::reduce_pattern<T, Transform, Combine> reduce,
            across_options options = {}) {
    return detail::divided_pattern(group, detail::reduce_division<T, Transform, Combine>(std::move(reduce)), options);
}

// Throws `error` in run(), if there is no such rank.
template <class Body>
auto at(const processes& group, int rank, Body&& body, across_options options = {}) {
    options.ordered = true;
    return across_pattern<croft::detail::as_pattern_t<Body>>(group, croft::detail::as_pattern(std::forward<Body>(body)),
                                                             options, detail::sharing::one, rank);
}

}  // namespace croft::mpi
