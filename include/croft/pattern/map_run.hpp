#pragma once
// One run of a map: its channels, its threads, and what each role does between its channels.
//
// Every item goes to every worker and yields a result of each, whatever was thrown and whether or not it is dropped:
// then only their content is nobody's (stand_in, map_roles.hpp). So nobody ever waits for a message that will not come,
// and the collector can tell by counting which item a result belongs to.
//
// Why nothing waits in a circle. Where each role is a thread, messages go one way: emitter, workers down the tree,
// collector, and each channel is received until its end. Where the caller emits, works and collects, it does not emit
// while `slots` items are incomplete; so it always finds room for what it sends, and so do the workers below it, and
// the only thing that it ever waits for is a result, of an item that has been sent.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/many_to_one.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/map_gather.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/map_plan.hpp>
#include <croft/pattern/map_roles.hpp>
#include <croft/pattern/map_sender.hpp>
#include <croft/pattern/role_threads.hpp>
#include <croft/pattern/stop_request.hpp>

namespace croft::detail {

template <class Item, class Result, class Policies, class Splitter>
class map_run {
    using items_type = channel<Item, Policies>;
    using results_type = many_to_one<Result, Policies>;
    using sender_type = map_sender<Item, items_type, Splitter>;

public:
    map_run(const map_options& options, stop_request& stop, const Splitter& splitter)
        : plan_(options),
          stop_(stop),
          splitter_(splitter),
          roles_("croft::map", stop, plan_.cores(), !options.cores.empty()),
          gather_(plan_.workers(), core_of_collector()) {
        for (std::size_t i = plan_.first_threaded(); i < plan_.workers(); ++i)
            items_.emplace_back(plan_.slots(), ends{core_of_sender_to(i), core_of_worker(i), core_of_worker(i)});
        if (const std::size_t senders = items_.size())
            results_.emplace(senders, result_slots<Result, Policies>(senders, plan_.slots()), [this](std::size_t i) {
                const int worker = core_of_worker(plan_.first_threaded() + i);
                return ends{worker, core_of_collector(), worker};
            });
        emitter_sends_ = sender_to(plan_.whole(), plan_.of_emitter());
        for (std::size_t i = plan_.first_threaded(); i < plan_.workers(); ++i)
            worker_sends_.push_back(sender_to(plan_.branch(i), plan_.of_worker(i)));
        if (port::core_count() < plan_.threads()) never_spin();
    }

    template <class Emitter, class Worker, class Collector>
    void operator()(Emitter& emitter, const Worker& worker, Collector& collector) {
        port::affinity_guard caller;
        const std::size_t workers = items_.size();
        roles_.start(plan_.threads() - 1, [this, workers, &worker, &collector](std::size_t i) {
            if (i < workers)
                run_worker(plan_.first_threaded() + i, worker);
            else
                run_collector(collector);
        });
        if (plan_.caller_works())
            run_all(emitter, worker, collector);
        else
            run_emitter(emitter);
        roles_.join();
        roles_.rethrow();
    }

private:
    template <class Emitter>
    void run_emitter(Emitter& emitter) {
        sender_type& sender = *emitter_sends_;
        roles_.guard([&] {
            roles_.pin(plan_.role_of_emitter());
            for (std::size_t number = 0; !stop_.requested(); ++number) {
                Item item{};
                if (!emit(emitter, item, number)) break;
                sender.send(item);
            }
        });
        sender.close();
    }

    template <class Worker>
    void run_worker(std::size_t number, const Worker& original) {
        items_type& items = items_[number - plan_.first_threaded()];
        auto& results = results_->sender(number - plan_.first_threaded());
        const sender_type& sender = worker_sends_[number - plan_.first_threaded()];
        expected_worker<Result> made_here;
        made_here.for_worker(core_of_worker(number));
        with_own(original, number, [&](auto& worker) {
            while (std::optional<Item> item = items.receive()) {
                sender.send(*item);
                Result result = work(worker, sender, std::move(*item), number);
                hand_over(result);
                if (!roles_.guard([&] { results.send(std::move(result)); })) results.send(stand_in<Result>());
            }
        });
        sender.close();
        results.close();
    }

    template <class Collector>
    void run_collector(Collector& collector) {
        roles_.guard([&] { roles_.pin(plan_.role_of_collector()); });
        guarded([&] {
            while (std::optional<Result> result = results_->receive())
                collect(collector, std::move(*result), results_->last_sender());
        });
    }

    template <class Emitter, class Worker, class Collector>
    void run_all(Emitter& emitter, const Worker& original, Collector& collector) {
        with_own(original, 0, [&](auto& worker) {
            std::uint32_t emitted = 0;
            const auto slots = static_cast<std::uint32_t>(plan_.slots());
            roles_.guard([&] {
                while (!stop_.requested()) {
                    // In batches: to look for a result after every item would be to wait for its line every time.
                    if (results_ && emitted - gather_.complete() >= slots)
                        collect_others(collector, emitted - slots / 2);
                    Item item{};
                    if (!emit(emitter, item, emitted)) break;
                    ++emitted;
                    emitter_sends_->send(item);
                    Result result = work(worker, *emitter_sends_, std::move(item), 0);
                    collect(collector, std::move(result), 0);
                }
            });
        });
        emitter_sends_->close();
        if (results_) collect_others(collector, std::nullopt);
    }
    // Until so many items are complete, or to the end.
    template <class Collector>
    void collect_others(Collector& collector, std::optional<std::uint32_t> complete) {
        guarded([&] {
            while (!complete || static_cast<std::int32_t>(gather_.complete() - *complete) < 0) {
                std::optional<Result> result = results_->receive();
                if (!result) return;
                collect(collector, std::move(*result), 1 + results_->last_sender());
            }
        });
    }

    template <class Collector>
    [[gnu::always_inline]] void collect(Collector& collector, Result&& result, std::size_t worker) {
        const map_part part = gather_.arrived(worker);
        if (std::is_same_v<Result, part_done> && !part.last) return;
        if (!stop_.drops()) collect_part(collector, std::move(result), part);
    }
    // Goes on with the action, which whenever it throws has done with a message, until it is through. (A collector has
    // the most messages: a guard for each would cost half as much as the message.)
    template <class Action>
    void guarded(Action action) {
        while (!roles_.guard([&] { action(); })) {
        }
    }

    // Pins this thread and does body(worker) with a worker's own copy of the callable; if there is none to be had, with
    // one that does nothing, because the run has failed, and drops.
    template <class Worker, class Body>
    void with_own(const Worker& original, std::size_t number, Body body) {
        std::optional<std::decay_t<Worker>> worker;
        roles_.guard([&] {
            roles_.pin(plan_.role_of_worker(number));
            worker.emplace(original);
        });
        if (worker) return body(*worker);
        const auto nobody = [](Item&&) { return stand_in<Result>(); };
        body(nobody);
    }
    template <class Worker>
    Result work(Worker& worker, const sender_type& sender, Item&& item, std::size_t number) {
        Result result = stand_in<Result>();
        if (!stop_.drops())
            roles_.guard([&] {
                result = work_on(worker, sender.first_part(std::move(item)), share{number, 1, plan_.workers()});
            });
        return result;
    }

    sender_type sender_to(share branch, const std::vector<share>& to) {
        sender_type sender(branch, splitter_, roles_);
        for (const share& each : to)
            sender.add(items_[each.first - plan_.first_threaded()], each, core_of_worker(each.first));
        return sender;
    }

    // A worker is home to what it receives and to what it sends to the collector: at the collector, every worker's
    // requests would meet (paper 000, 7.2).
    int core_of_worker(std::size_t number) const { return roles_.core_of(plan_.role_of_worker(number)); }
    int core_of_collector() const { return roles_.core_of(plan_.role_of_collector()); }
    int core_of_sender_to(std::size_t number) const {
        const std::optional<std::size_t> worker = plan_.sender_to(number);
        return worker ? core_of_worker(*worker) : roles_.core_of(plan_.role_of_emitter());
    }

    // With more threads than cores a spinner keeps out the very thread it waits for.
    void never_spin() {
        if constexpr (requires(typename Policies::wait& waiter, items_type& items) {
                          waiter.spin_for(std::chrono::nanoseconds(0));
                          items.sender_waiter();
                      }) {
            constexpr std::chrono::nanoseconds never(0);
            for (items_type& items : items_) {
                items.sender_waiter().spin_for(never);
                items.receiver_waiter().spin_for(never);
            }
            if (!results_) return;
            results_->waiter().spin_for(never);
            for (std::size_t i = 0; i < results_->size(); ++i) results_->sender(i).sender_waiter().spin_for(never);
        }
    }

    map_plan plan_;
    stop_request& stop_;
    const Splitter& splitter_;
    role_threads roles_;
    map_gather gather_;
    std::deque<items_type> items_;         // into each worker that is a thread
    std::optional<results_type> results_;  // out of it
    std::optional<sender_type> emitter_sends_;
    std::vector<sender_type> worker_sends_;
};

}  // namespace croft::detail
