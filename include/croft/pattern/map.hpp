#pragma once
// The map over a stream: an emitter makes a stream of items, N workers work on each item at the same time, every one on
// its share, and a collector takes their results (paper 000, 7.2; paper 001, V.B).
//
//     croft::map map({.workers = 4});
//     map.run([&]() -> std::optional<job*> { ... },                               // the next item, or nothing at the
//     end
//             [](job* item, croft::share mine) { ...; return item; },             // on each worker: mine.of(rows) is
//             its
//             [](job* item, croft::map_part part) { if (part.last) done(item); });  // part. One at a time
//
// Multicast and scatter. As above every worker gets the item, as a rule a pointer to what is in memory, and finds its
// part. With a splitter (the second of four callables) it gets the part: the item is split as it travels.
// Distribution. A tree on the workers, or one message after the other from the emitter: map_options.hpp, multicast.hpp.
// What travels. Items and results move through the slots by value: small ones, pointers, or things that own their
// content.
//
// State. Emitter and collector are used where they are. Every worker works with a copy of its own of the callable it is
// given, made in its thread. A splitter is shared by all.
// Threads. map_options.hpp says who does what. The threads have ended when run() returns.
// Back-pressure. All channels are bounded: the emitter waits for workers, the workers wait for the collector.
// Order. Items become complete in the order in which they were emitted; parts of different items may overlap.
// Exceptions. The first one thrown by any role leaves run() once everything has ended; what was under way is dropped.
//
// Siblings: farm.hpp, where each item goes to one worker.

#include <type_traits>
#include <utility>

#include <croft/channel/kinds.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/map_roles.hpp>
#include <croft/pattern/map_run.hpp>
#include <croft/pattern/role.hpp>
#include <croft/pattern/stop_request.hpp>

namespace croft {

// Channels as the machine and the messages allow it. Where there is a user network, items and results of a few words
// travel on it, as long as they go down a tree and one result of every worker fits into the collector's hardware queue
// (128 words, of which each takes one and its own); elsewhere, and whatever does not fit, through flags. A worker that
// returns nothing sends one word, so 128 of them fit.
struct automatic {};

template <class Policies = automatic>
class basic_map {
public:
    explicit basic_map(map_options options = {}) : options_(std::move(options)) {}

    // Runs the stream to its end. Throws std::system_error if a thread cannot be started, std::invalid_argument for
    // options that contradict each other, std::length_error for channels that the machine's network cannot hold, and
    // whatever a role throws. One run at a time.
    template <class Item, class Result, class Emitter, class Splitter, class Worker, class Collector>
        requires detail::emitter_of<Emitter, Item> && detail::splits_item<std::decay_t<Splitter>, Item> &&
                 detail::maps_item<std::decay_t<Worker>, Item> && detail::collects_parts<Collector, Result>
    void run(Emitter&& emitter, Splitter&& splitter, Worker&& worker, Collector&& collector) {
        if constexpr (!std::is_same_v<Policies, automatic>) {
            run_over<Policies, Item, Result>(emitter, splitter, worker, collector);
        } else {
            if constexpr (detail::may_be_words<Item> && detail::may_be_words<Result>)
                if (detail::fits_network<Result>(options_))
                    return run_over<kinds::udn, Item, Result>(emitter, splitter, worker, collector);
            run_over<policies, Item, Result>(emitter, splitter, worker, collector);
        }
    }
    // Multicast: each worker gets the whole item.
    template <class Item, class Result, class Emitter, class Worker, class Collector>
    void run(Emitter&& emitter, Worker&& worker, Collector&& collector) {
        run<Item, Result>(emitter, detail::whole_item{}, worker, collector);
    }
    // Both with the types that the roles have.
    template <class Emitter, class Splitter, class Worker, class Collector>
        requires detail::maps_item<std::decay_t<Worker>, detail::emitted<Emitter>>
    void run(Emitter&& emitter, Splitter&& splitter, Worker&& worker, Collector&& collector) {
        using item = detail::emitted<Emitter>;
        run<item, detail::mapped<Worker, item>>(emitter, splitter, worker, collector);
    }
    template <class Emitter, class Worker, class Collector>
        requires detail::maps_item<std::decay_t<Worker>, detail::emitted<Emitter>>
    void run(Emitter&& emitter, Worker&& worker, Collector&& collector) {
        using item = detail::emitted<Emitter>;
        run<item, detail::mapped<Worker, item>>(emitter, detail::whole_item{}, worker, collector);
    }

    // Asks the run to end before its stream does. May be called by any thread, any role included. It takes effect when
    // the emitter would be called next; one that waits for something outside is not interrupted. If no run is in
    // progress, the next one ends before its first item. Dropping, the collector may get some of an item's parts only.
    void stop(stop_mode mode = stop_mode::drain) { stop_.request(mode); }

private:
    template <class Channels, class Item, class Result, class Emitter, class Splitter, class Worker, class Collector>
    void run_over(Emitter& emitter, Splitter& splitter, Worker& worker, Collector& collector) {
        detail::map_run<Item, Result, Channels, std::decay_t<Splitter>> run(options_, stop_, splitter);
        const detail::reset_after reset(stop_);
        run(emitter, worker, collector);
    }

    map_options options_;
    detail::stop_request stop_;
};

using map = basic_map<>;

}  // namespace croft
