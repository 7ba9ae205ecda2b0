#pragma once
// A farm like FastFlow's (paper 000, 7.2, FF-QUEUE; paper 003, III). Pointers travel through lock-free queues to items
// that lie where the allocator put them. An item is filled before it is known which worker gets it. After it was
// collected it returns to the emitter, to be used again.
//
// A baseline for the papers' tables, without what users would want (exceptions, an order): croft::farm has that.
//
// Item holds a task and its result. An item that leads to data with homes of their own (a task_ptr) is told when it
// changes hands. For such an item the worker is chosen before it is filled, or nothing could be homed there. (003,
// IV.B: "the programmer should define his own task scheduling policy".)

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include <croft/channel/one_to_many.hpp>
#include <croft/memory/ends.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/port/port.hpp>

namespace programs {

// emit(Item&): false at the end. Roles are pinned to cores 0, 1 ... N, N + 1, as placements::thread_a_role pins those
// of croft's farm, where there are so many.
template <class Policies, class Item, class Emit, class Work, class Collect>
void run_pointer_farm(std::size_t workers, std::size_t slots, Emit emit, Work work, Collect collect) {
    using policies = croft::baseline::with_null_slots<Policies>;
    const std::size_t most_items = workers * (2 * slots + 1) + slots + 2;
    croft::one_to_many<Item*, policies> tasks(workers, slots);
    croft::many_to_one<Item*, policies> results(workers, slots);
    croft::null_slot_queue<Item*, Policies> used(most_items);
    const std::vector<int> cores = croft::port::allowed_cores();
    const bool pinned = cores.size() >= workers + 2;
    const auto pin = [&](std::size_t role) {
        if (pinned) croft::port::pin_this_thread(cores[role]);
    };

    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
        threads.emplace_back([&, i] {
            pin(1 + i);
            while (const auto item = tasks.receiver(i).receive()) {
                work(**item);
                croft::detail::hand_over(**item);
                results.sender(i).send(*item);
            }
            results.sender(i).close();
        });
    threads.emplace_back([&] {
        pin(1 + workers);
        while (const auto item = results.receive()) {
            collect(**item);
            croft::detail::hand_over(**item);
            used.send(*item);
        }
    });

    croft::port::affinity_guard caller;
    pin(0);
    std::deque<Item> items;
    croft::detail::expected_worker<Item> made_here;
    for (;;) {
        Item* item = used.try_receive().value_or(nullptr);
        if (!item) item = items.size() < most_items ? &items.emplace_back() : used.receive().value();
        if constexpr (croft::detail::leads_to_data<Item>::value) {
            Item*& slot = tasks.acquire();
            const int worker = pinned ? cores[1 + tasks.last_receiver()] : croft::detail::any_core;
            made_here.for_worker(worker);
            if (!emit(*item)) break;
            croft::detail::hand_over(*item, worker);
            slot = item;
            tasks.publish();
        } else {
            if (!emit(*item)) break;
            tasks.send(item);
        }
    }
    tasks.close();
    for (std::thread& thread : threads) thread.join();
}

}  // namespace programs
