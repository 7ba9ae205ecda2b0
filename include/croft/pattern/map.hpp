#pragma once
// The map: N workers work on each item at the same time, every one on its share (paper 000, 7.2; paper 001, V.B).
//
//     croft::map([](picture& it, croft::share mine) { ... mine.of(it.rows()) ... }, {.workers = 4})
//     croft::map([](const picture& it, croft::share mine) { return brightest(it, mine); }, most, {.workers = 4})
//     croft::map(filter, paste, {.workers = 4}, cut)
//
// Worker. `void (Item&, share)` works in place, and the item is passed on when all have finished. `Result (const Item&,
// share)` returns results that become one item. Every worker has a copy of the callables.
// Gathering. Either `Result (Result, Result)`, which has to be associative and need not be commutative. Neighbouring
// results are combined on their way up the tree, in the order of the workers. Or `Out (Item, std::vector<Result>)`,
// which gets all of them in that order, with the item. Its first worker calls it once for each item.
// Parts. Without a gather, and as all of a run whose sink takes parts, `void (Result, map_part)`, each worker's result
// goes to the sink as it comes:
//
//     croft::run(source, croft::map([](const picture* it, croft::share mine) { return brightest(*it, mine); }),
//                [&](int most, croft::map_part part) { ...; if (part.last) done(part.item); });
//
// Items become complete in their order; parts of different items may come in between each other. Every worker then gets
// an item of its own, so an item is as a rule a pointer to something in memory. If workers return nothing, the sink
// gets croft::part_done, once, when the item is complete.
// Multicast and scatter. Without a splitter, workers see the item where it lies, at the first of them (or, if the sink
// takes parts, their own copy). With one, `Item (Item& of, share part)`, each gets a part of its own. It is split off
// on the way, from what was sent for a branch of workers, for some of them. It may be taken out; the rest is of others.
// The first worker's part comes last; the rest then goes to `gather`.
// Distribution. A binary tree on the workers, or one message after the other, from the first worker. If the sink takes
// parts, it is from the source (map_options.hpp, engine/multicast.hpp).
//
// Several items are under way, as many as there are slots. Channels are bounded: a worker that is ahead waits.
// Exceptions. As in every run, the items before the failing one are passed on (run.hpp). Parts have no order, so where
// a worker fails those under way are dropped.
//
// Siblings: farm.hpp, where each item goes to one worker.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/map_parts.hpp>
#include <croft/pattern/engine/map_tree.hpp>
#if defined(CROFT_MANY_CORE)
#include <croft/pattern/engine/map_words.hpp>
#endif
#include <croft/pattern/engine/multicast.hpp>
#include <croft/pattern/map_form.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

template <class Worker, class Gather, class Splitter>
class map_pattern {
    static_assert(std::is_copy_constructible_v<Worker> && std::is_copy_constructible_v<Gather> &&
                      std::is_copy_constructible_v<Splitter>,
                  "croft::map: every worker has a copy of the callables given, so these have to be copyable");

public:
    map_pattern(Worker work, Gather collect, map_options options, Splitter split)
        : worker_(std::move(work)), gather_(std::move(collect)), splitter_(std::move(split)), options_(options) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = typename detail::map_form<Worker, Gather, Splitter, In>::out;

    const Worker& worker() const { return worker_; }
    const Gather& gather() const { return gather_; }
    const Splitter& splitter() const { return splitter_; }
    const map_options& options() const { return options_; }

    void describe(detail::role_list& roles) {
        workers_ = std::max<std::size_t>(1, options_.workers ? std::size_t{options_.workers} : roles.threads());
        describe_workers(roles);
    }
    std::size_t role_count() const { return workers_; }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first; }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context,
                                                               std::size_t first, Next& next) {
        using calls = detail::map_calls<Worker, Gather, Splitter, In>;
        using branch = detail::map_branch<calls, Policies>;
        using down = typename calls::down;
        using up = typename calls::up;
        const detail::multicast to(options_.distribution, workers_, true);
        const detail::role_state state = make.state(first + workers_ - 1);
        const std::size_t slots = slots_for(make, sizeof(detail::item_of<In, Shape>));

        // From the leaves to the root, because each is made of its channels to those below it.
        std::vector<channel<down, Policies>*> downs(workers_);
        std::vector<channel<up, Policies>*> ups(workers_);
        std::vector<std::size_t> parents(workers_);
        for (std::size_t i = 0; i < workers_; ++i)
            for (const share& each : branches_of(to, i)) parents[each.first] = i;
        for (std::size_t i = 1; i < workers_; ++i) {
            const std::size_t parent = first + parents[i], own = first + i;
            downs[i] = &make.template make_channel<down>(parent, own, own, slots);
            ups[i] = &make.template make_channel<up>(own, parent, own, slots);
        }
        const auto make_branch = [&](std::size_t i) {
            const share whole = i == 0 ? share{0, workers_, workers_} : to.branch(i);
            detail::map_sender<down, Policies> sender(whole);
            const std::vector<share> below = branches_of(to, i);
            for (const share& each : in_order_sent(below))
                sender.add(*downs[each.first], each, make.core_of(first + each.first));
            branch made({worker_, gather_, splitter_}, {i, 1, workers_}, std::move(sender), slots,
                        make.core_of(first + i), state);
            for (const share& each : below) made.add_branch(*ups[each.first]);
            return made;
        };
        auto& root = make.template make_role<detail::map_root<calls, Shape, Policies>>(
            first, make_branch(0), slots, make.core_of(first), state, next);
        for (std::size_t i = 1; i < workers_; ++i)
            make.template make_role<detail::map_member<calls, Policies>>(first + i, make_branch(i), *downs[i], *ups[i]);
        return root;
    }

    // ---- as all of a run whose sink takes parts (run.hpp) ----

    template <class In, class Source, class Sink>
    static constexpr bool makes_ends = detail::takes_parts<Worker, Gather, Splitter, In, Sink>;

    // With the source's and the sink's roles.
    template <class In, class Source, class Sink>
    void describe_run(detail::role_list& roles) {
        // With few threads all work, also those of the source and the sink. With many, these two have enough to do.
        const std::size_t threads = roles.threads();
        workers_ = options_.workers ? std::size_t{options_.workers}
                   : threads > 8    ? threads - 2
                                    : std::max<std::size_t>(1, threads);
        roles.add("source", plan::role_kind::source);
        describe_workers(roles);
        roles.add("sink", plan::role_kind::sink);
    }
    template <class In, class Policies, class Source, class Sink>
    void build_run(detail::builder<Policies>& make, Source& source, Sink& sink) {
#if defined(CROFT_MANY_CORE)
        using result = detail::mapped<Worker, In>;
        if constexpr (detail::may_be_words<Policies, In, result>)
            if (make.apart() && options_.distribution == distribution::tree && detail::fits_network<result>(workers_))
                return build_parts<detail::word_channels, In>(make, source, sink);
#endif
        build_parts<Policies, In>(make, source, sink);
    }

private:
    // Where many items are under way, data that one worker writes and another reads have left its cache meanwhile.
    static constexpr std::size_t usual_slots = 8;

    void describe_workers(detail::role_list& roles) const {
        roles.within("map.", false, [&] {
            for (std::size_t i = 0; i < workers_; ++i)
                roles.add("worker " + std::to_string(i), plan::role_kind::worker);
        });
    }
    template <class Policies>
    std::size_t slots_for(const detail::builder<Policies>& make, std::size_t bytes) const {
        const std::size_t asked = options_.slots ? std::size_t{options_.slots} : make.slots_asked();
        return asked ? asked : std::min(make.slots_for(bytes, 0), usual_slots);
    }
    // Those that worker i sends to, where the first one has the item.
    std::vector<share> branches_of(const detail::multicast& to, std::size_t i) const {
        return i == 0 ? to.of_emitter() : to.of_worker(i);
    }

    // Parts from the last one to the first, so that a splitter may take each from the rest. Where none is taken, the
    // larger branch comes first, because it has the longer way before it.
    static std::vector<share> in_order_sent(std::vector<share> branches) {
        if constexpr (!std::same_as<Splitter, detail::whole_item>) std::reverse(branches.begin(), branches.end());
        return branches;
    }

    template <class Channels, class In, class Policies, class Source, class Sink>
    void build_parts(detail::builder<Policies>& make, Source& source, Sink& sink) {
        using result = detail::mapped<Worker, In>;
        using sender_type = detail::map_sender<In, Channels>;
        const detail::multicast to(options_.distribution, workers_, false);
        const std::size_t last = workers_ + 1;  // the collector; worker i is role i + 1
        // Whoever fails, none of them goes on: parts have no order.
        const detail::role_state state = make.state(last);
        constexpr bool askable = detail::can_be_asked<channel<In, Channels>>;
        if constexpr (!askable)
            if (!make.one_role_a_thread())
                throw std::invalid_argument(
                    "croft::map: at these channels one can only wait, so that each role needs a thread of its own: "
                    "place them with croft::placements::thread_a_role");

        std::vector<std::size_t> parents(workers_, 0);
        for (std::size_t i = 0; i < workers_; ++i)
            for (const share& each : to.of_worker(i)) parents[each.first] = i + 1;
        std::vector<channel<In, Channels>*> items(workers_);
        for (std::size_t i = 0; i < workers_; ++i)
            items[i] = &make.template make_channel<In, Channels>(parents[i], i + 1, i + 1, options_.slots);
        auto& results = make.template make_many_to_one<result, Channels>(
            1, workers_, last,
#if defined(CROFT_MANY_CORE)
            detail::result_slots<result, Channels>(workers_, make.slots_for(sizeof(result), options_.slots)));
#else
            make.slots_for(sizeof(result), options_.slots));
#endif
        const auto sender_to = [&](share branch, const std::vector<share>& targets) {
            sender_type sender(branch);
            for (const share& each : in_order_sent(targets))
                sender.add(*items[each.first], each, make.core_of(each.first + 1));
            return sender;
        };

        make.template make_role<detail::parts_source<Source, In, Splitter, Channels, Policies>>(
            0, source, splitter_, sender_to({0, workers_, workers_}, to.of_emitter()), make.state(0), state,
            make.thread_of(0));
        for (std::size_t i = 0; i < workers_; ++i)
            make.template make_role<detail::parts_worker<Worker, In, result, Splitter, Channels, Policies>>(
                i + 1, worker_, splitter_, *items[i], sender_to(to.branch(i), to.of_worker(i)), results.sender(i),
                share{i, 1, workers_}, make.core_of(i + 1), state, make.thread_of(i + 1));
        make.template make_role<detail::parts_collector<Sink, result, askable, Channels, Policies>>(
            last, sink, results, make.core_of(last), state, make.thread_of(last));
    }

    Worker worker_;
    Gather gather_;
    Splitter splitter_;
    map_options options_;
    std::size_t workers_ = 1;
};

// In place: `worker` changes what is its share of the item. Or for a sink that takes parts.
template <class Worker>
auto map(Worker worker, map_options options = {}) {
    return map_pattern<Worker, detail::no_gather, detail::whole_item>(std::move(worker), {}, options, {});
}
// `gather` makes one item of the workers' results.
template <class Worker, class Gather>
    requires(!std::convertible_to<Gather, map_options>)
auto map(Worker worker, Gather gather, map_options options = {}) {
    return map_pattern<Worker, Gather, detail::whole_item>(std::move(worker), std::move(gather), options, {});
}
// `splitter` gives each worker a part of the item.
template <class Worker, class Gather, class Splitter>
    requires(!std::convertible_to<Gather, map_options>)
auto map(Worker worker, Gather gather, map_options options, Splitter splitter) {
    return map_pattern<Worker, Gather, Splitter>(std::move(worker), std::move(gather), options, std::move(splitter));
}
// The same for a sink that takes parts.
template <class Worker, class Splitter>
auto map(Worker worker, map_options options, Splitter splitter) {
    return map_pattern<Worker, detail::no_gather, Splitter>(std::move(worker), {}, options, std::move(splitter));
}

}  // namespace croft
