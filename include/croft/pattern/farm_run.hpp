#pragma once
// One run of a farm: its channels, its threads, and what each role does between its channels.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
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
    // Where roles are pinned. A worker is home to both of its channels: at emitter or collector, every worker's
    // requests would meet (paper 000, 6.3, figure 11, and 7.2).
    //
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
    farm_run(const farm_options& options, stop_request& stop)
        : options_(options),
          stop_(stop),
          workers_(worker_count(options)),
          roles_("croft::farm", stop,
                 place_roles("croft::farm", "emitter, workers, collector", workers_ + 2, options.pinned, options.cores),
                 !options.cores.empty()),
          tasks_(
              workers_, options.slots,
              [this](std::size_t i) { return ends{roles_.core_of(0), roles_.core_of(1 + i), roles_.core_of(1 + i)}; }),
          results_(workers_, options.slots, [this](std::size_t i) {
              return ends{roles_.core_of(1 + i), roles_.core_of(1 + workers_), roles_.core_of(1 + i)};
          }) {
        if (options.ordered && !can_choose_sender)
            throw std::invalid_argument("croft::farm: results that come as words over the network cannot be ordered");
        if (port::core_count() < workers_ + 2) never_spin();
    }

    template <class Emitter, class Worker, class Collector>
    void operator()(Emitter& emitter, const Worker& worker, Collector& collector) {
        port::affinity_guard caller;
        std::vector<std::thread> threads;
        threads.reserve(workers_ + 1);
        try {
            for (std::size_t i = 0; i < workers_; ++i)
                threads.emplace_back([this, i, &worker] { run_worker(i, worker); });
            threads.emplace_back([this, &collector] { run_collector(collector); });
            run_emitter(emitter);
        } catch (const std::system_error& error) {
            roles_.fail(std::make_exception_ptr(
                std::system_error(error.code(), "croft::farm: of " + std::to_string(workers_ + 1) + " threads " +
                                                    std::to_string(threads.size()) + " could be started")));
        } catch (...) {
            roles_.fail(std::current_exception());
        }
        tasks_.close();
        // A worker that never started leaves its stream for us to close.
        for (std::size_t i = threads.size(); i < workers_; ++i) results_.sender(i).close();
        for (std::thread& thread : threads) thread.join();
        roles_.rethrow();
    }

private:
    template <class Emitter>
    void run_emitter(Emitter& emitter) {
        roles_.guard([&] {
            roles_.pin(0);
            expected_worker<Task> made_here;
            for (std::uint32_t sequence = 0; !stop_.requested(); ++sequence) {
                task_message& slot =
                    options_.schedule == schedule::on_demand ? tasks_.acquire() : tasks_.acquire(sequence % workers_);
                // The worker is known before there is a task, so what is made for it can be homed there.
                const int worker = roles_.core_of(1 + tasks_.last_receiver());
                made_here.for_worker(worker);
                if (!emit(emitter, slot.content)) return;
                hand_over(slot.content, worker);
                slot.sequence = sequence;
                tasks_.publish();
            }
        });
    }

    template <class Worker>
    void run_worker(std::size_t i, const Worker& original) {
        auto& tasks = tasks_.receiver(i);
        auto& results = results_.sender(i);
        std::optional<std::decay_t<Worker>> worker;
        expected_worker<Result> made_here;
        roles_.guard([&] {
            roles_.pin(1 + i);
            made_here.for_worker(roles_.core_of(1 + i));
            worker.emplace(original);
        });
        while (task_message* task = tasks.receive_in_place()) {
            result_message& slot = results.acquire();
            slot.sequence = task->sequence;
            // (Without a worker the run has failed, and drops.)
            slot.dropped = stop_.drops() || !roles_.guard([&] { work(*worker, task->content, slot.content); });
            hand_over(task->content);
            tasks.set_ack();
            hand_over(slot.content);
            results.publish();
        }
        results.close();
    }

    template <class Collector>
    void run_collector(Collector& collector) {
        roles_.guard([&] { roles_.pin(1 + workers_); });
        if (!can_choose_sender || !options_.ordered) {
            while (result_message* result = results_.receive_in_place()) {
                collect(collector, *result);
                results_.set_ack();
            }
        } else if constexpr (can_choose_sender) {
            collect_in_order(collector);
        }
    }
    template <class Collector>
    void collect_in_order(Collector& collector) {
        if (options_.schedule == schedule::round_robin) {
            // The next result is the next worker's, and the first stream to end was the last to be fed.
            for (std::size_t i = 0;; i = (i + 1) % workers_) {
                result_message* result = results_.sender(i).receive_in_place();
                if (!result) break;
                collect(collector, *result);
                results_.sender(i).set_ack();
            }
        } else {
            in_order<result_message, Policies> ordered(results_);
            while (result_message* result = ordered.receive_in_place()) {
                collect(collector, *result);
                ordered.set_ack();
            }
        }
    }
    template <class Collector>
    void collect(Collector& collector, result_message& result) {
        if (!result.dropped && !stop_.drops()) roles_.guard([&] { collector(std::move(result.content)); });
        hand_over(result.content);
    }

    // With more threads than cores a spinner keeps out the very thread it waits for.
    void never_spin() {
        if constexpr (requires(typename Policies::wait& waiter) { waiter.spin_for(std::chrono::nanoseconds(0)); }) {
            tasks_.waiter().spin_for(std::chrono::nanoseconds(0));
            results_.waiter().spin_for(std::chrono::nanoseconds(0));
            for (std::size_t i = 0; i < workers_; ++i) {
                tasks_.receiver(i).receiver_waiter().spin_for(std::chrono::nanoseconds(0));
                results_.sender(i).sender_waiter().spin_for(std::chrono::nanoseconds(0));
            }
        }
    }

    const farm_options& options_;
    stop_request& stop_;
    std::size_t workers_;
    role_threads roles_;
    one_to_many<task_message, Policies> tasks_;
    results_type results_;
};

}  // namespace croft::detail
