#pragma once
// One run of a farm: its channels, its threads, and what each role does between its channels.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/in_order.hpp>
#include <croft/pattern/role.hpp>
#include <croft/pattern/role_threads.hpp>
#include <croft/pattern/stop_request.hpp>

namespace croft::detail {

template <class Task, class Result, class Policies>
class farm_run {
    // Every task gets a number, and every number yields one result, be it `dropped`: a task that was thrown away, or in
    // whose worker something was thrown. So the order of the results has no holes, and nobody has to tell the
    // collector, or a worker that waits for it, that it waits for something that will not come.
    struct task_message {
        std::uint32_t sequence;
        Task content;
    };
    struct result_message {
        std::uint32_t sequence;
        bool dropped;
        Result content;
    };
    using results_type = many_to_one<result_message, Policies>;
    static constexpr bool can_choose_sender = requires(results_type& results) { results.sender(0).receive_in_place(); };

public:
    // `numbered`, `numbers_results`: whether emitter and collector take numbers.
    farm_run(const farm_options& options, stop_request& stop, bool numbered, bool numbers_results)
        : options_(options),
          stop_(stop),
          count_(roles_of(options, numbered, numbers_results)),
          roles_("croft::farm", stop,
                 place_roles("croft::farm", "emitters, workers, collectors", count_.count(), options.pinned,
                             options.cores),
                 !options.cores.empty()) {
        if (options.ordered && !can_choose_sender)
            throw std::invalid_argument("croft::farm: results that come as words over the network cannot be ordered");
        for (std::size_t c = 0; c < count_.collectors; ++c)
            results_.emplace_back(share_of(c, count_.collectors), options.slots,
                                  [this, c](std::size_t i) { return to_collector(c, i * count_.collectors + c); });
        for (std::size_t e = 0; e < count_.emitters; ++e)
            tasks_.emplace_back(share_of(e, count_.emitters), options.slots,
                                [this, e](std::size_t i) { return to_worker(e, i * count_.emitters + e); });
        if (port::core_count() < count_.count()) never_spin();
    }

    template <class Emitter, class Worker, class Collector>
    void operator()(Emitter& emitter, const Worker& worker, Collector& collector) {
        port::affinity_guard caller;
        // In the order of their cores: a simulated machine starts a thread on the first idle one, and one that has a
        // thread takes no other.
        roles_.start(count_.count() - 1, [this, &emitter, &worker, &collector](std::size_t thread) {
            const std::size_t role = thread + 1, workers_end = count_.emitters + count_.workers;
            if (role < count_.emitters)
                run_emitter(role, emitter);
            else if (role < workers_end)
                run_worker(role - count_.emitters, worker);
            else
                run_collector(role - workers_end, collector);
        });
        run_emitter(0, emitter);
        roles_.join();
        roles_.rethrow();
    }

private:
    // Emitter e makes tasks e, e + E, e + 2 E ... for workers e, e + E, e + 2 E ...; collectors share them likewise.
    std::size_t share_of(std::size_t one, std::size_t all) const { return (count_.workers - one + all - 1) / all; }
    auto& tasks_of(std::size_t i) { return tasks_[i % count_.emitters].receiver(i / count_.emitters); }
    auto& results_of(std::size_t i) { return results_[i % count_.collectors].sender(i / count_.collectors); }

    // A worker is home to both of its channels: at emitter or collector, every worker's requests would meet (paper 000,
    // 6.3, figure 11, and 7.2).
    int worker_core(std::size_t i) const { return roles_.core_of(count_.emitters + i); }
    ends to_worker(std::size_t e, std::size_t i) const { return {roles_.core_of(e), worker_core(i), worker_core(i)}; }
    std::size_t collector_role(std::size_t c) const { return count_.emitters + count_.workers + c; }
    ends to_collector(std::size_t c, std::size_t i) const {
        return {worker_core(i), roles_.core_of(collector_role(c)), worker_core(i)};
    }

    template <class Emitter>
    void run_emitter(std::size_t e, Emitter& emitter) {
        one_to_many<task_message, Policies>& tasks = tasks_[e];
        roles_.guard([&] {
            roles_.pin(e);
            expected_worker<Task> made_here;
            std::size_t turn = 0;  // of the workers
            for (std::size_t sequence = e; !stop_.requested(); sequence += count_.emitters) {
                task_message& slot = options_.schedule == schedule::on_demand ? tasks.acquire() : tasks.acquire(turn);
                if (++turn == tasks.size()) turn = 0;
                // The worker is known before there is a task, so what is made for it can be homed there.
                const int worker = worker_core(tasks.last_receiver() * count_.emitters + e);
                made_here.for_worker(worker);
                if (!emit(emitter, slot.content, sequence)) break;
                hand_over(slot.content, worker);
                slot.sequence = static_cast<std::uint32_t>(sequence);
                tasks.publish();
            }
        });
        tasks.close();
    }

    template <class Worker>
    void run_worker(std::size_t i, const Worker& original) {
        auto& tasks = tasks_of(i);
        auto& results = results_of(i);
        std::optional<std::decay_t<Worker>> worker;
        expected_worker<Result> made_here;
        roles_.guard([&] {
            roles_.pin(count_.emitters + i);
            made_here.for_worker(worker_core(i));
            worker.emplace(original);
        });
        while (task_message* task = tasks.receive_in_place()) {
            result_message& slot = results.acquire();
            slot.sequence = task->sequence;
            // (Without a worker the run has failed, and drops.)
            slot.dropped = stop_.drops() || !roles_.guard([&] { work_into(*worker, task->content, slot.content); });
            hand_over(task->content);
            tasks.set_ack();
            hand_over(slot.content);
            results.publish();
        }
        results.close();
    }

    template <class Collector>
    void run_collector(std::size_t c, Collector& collector) {
        roles_.guard([&] { roles_.pin(collector_role(c)); });
        results_type& results = results_[c];
        if (!can_choose_sender || !options_.ordered) {
            while (result_message* result = results.receive_in_place()) {
                collect(c, collector, *result);
                results.set_ack();
            }
        } else if constexpr (can_choose_sender) {
            collect_in_order(results, collector);
        }
    }
    template <class Collector>
    void collect_in_order(results_type& results, Collector& collector) {
        if (options_.schedule == schedule::round_robin && count_.emitters == 1) {
            // The next result is the next worker's, and the first stream to end was the last to be fed.
            for (std::size_t i = 0;; i = (i + 1) % count_.workers) {
                result_message* result = results.sender(i).receive_in_place();
                if (!result) break;
                collect(0, collector, *result);
                results.sender(i).set_ack();
            }
        } else {
            in_order<result_message, Policies> ordered(results);
            while (result_message* result = ordered.receive_in_place()) {
                collect(0, collector, *result);
                ordered.set_ack();
            }
        }
    }
    template <class Collector>
    void collect([[maybe_unused]] std::size_t c, Collector& collector, result_message& result) {
        if (!result.dropped && !stop_.drops())
            roles_.guard([&] {
                if constexpr (numbered_collector_of<Collector, Result>)
                    collector(std::move(result.content), farm_part{result.sequence, c});
                else
                    collector(std::move(result.content));
            });
        hand_over(result.content);
    }

    // With more threads than cores a spinner keeps out the very thread it waits for.
    void never_spin() {
        if constexpr (requires(typename Policies::wait& waiter) { waiter.spin_for(std::chrono::nanoseconds(0)); }) {
            for (auto& tasks : tasks_) tasks.waiter().spin_for(std::chrono::nanoseconds(0));
            for (auto& results : results_) results.waiter().spin_for(std::chrono::nanoseconds(0));
            for (std::size_t i = 0; i < count_.workers; ++i) {
                tasks_of(i).receiver_waiter().spin_for(std::chrono::nanoseconds(0));
                results_of(i).sender_waiter().spin_for(std::chrono::nanoseconds(0));
            }
        }
    }

    const farm_options& options_;
    stop_request& stop_;
    farm_roles count_;
    role_threads roles_;
    std::deque<results_type> results_;                       // each collector's
    std::deque<one_to_many<task_message, Policies>> tasks_;  // each emitter's
};

}  // namespace croft::detail
