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
// processes of the group call croft::mpi::run (run.hpp), with the same pattern; those that are not the root work for it
// there until its stream has ended. What the pattern captures is each process's own. Items and results have to be
// trivially copyable, or to have a codec (codec.hpp).
//
// across, of any pattern but the two below: a farm whose workers are processes; each item goes to one of them, which
// has the pattern do with it what it does with its own. On demand: a process gets its next items as it gives others
// back. As many as there are share a message, both ways (record.hpp). Every process has a copy of the pattern, so
// results come in no order, unless it is asked for; and the pattern keeps that of what it makes of one item.
//
// across, of a map or a reduction: each item is divided among the processes, and each works on its share with all of
// its cores; results are in order. A map needs a gather, since what a worker writes into an item stays in its process;
// and should have a splitter, without which each process gets the whole item. (To have each process map whole items of
// its own, put the map in a farm or a pipeline.)
//
// at: all items go to one process, in order; so what works there may have state, or data that only it has. They come
// back to the root.
//
// What a worker throws in another process comes out of the root's run() as remote_failure, with its rank and what();
// the others' runs end with the stream, and throw nothing.
//
// A process that is lost (killed, its node gone): where MPI can go on without it (lost_process.hpp), what it had goes
// to others; every result is delivered once. Where it cannot, or the process is one that a stage is at, run() throws
// `error`, which names the rank, if MPI does not end the program itself. Without the root there is nothing to go on
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
auto across(const processes& group, map_pattern<Worker, Gather, Splitter> map, across_options options = {}) {
    return detail::divided_pattern(group, detail::map_division<Worker, Gather, Splitter>(map), options);
}
template <class T, class Transform, class Combine>
auto across(const processes& group, reduce_pattern<T, Transform, Combine> reduce, across_options options = {}) {
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
