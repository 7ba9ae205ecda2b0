#pragma once
// A stream of matrices through a farm, of the library or of FastFlow's kind; the service time is measured where results
// are taken. It ends early if it is to end when that is known well enough.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "matrix_stream.hpp"
#include "pointer_farm.hpp"
#include "service_time.hpp"

namespace programs {

template <class Policies, class Matrix>
void run_farm(const croft::farm_options& options, matrix_stream& stream, service_time& time) {
    croft::stopper stop;
    std::atomic<std::size_t> taken{0};  // by all collectors; relaxed: it numbers results and says nothing of them
    croft::run<Policies>(
        [&](Matrix& slot, std::size_t number) {
            if (number >= stream.count()) return false;
            slot.number = static_cast<std::uint32_t>(number);
            stream.make(number, slot.cells);
            return true;
        },
        croft::farm(
            [&stream](const Matrix& task, Matrix& result) {
                result.number = task.number;
                stream.compute(task.cells, result.cells);
            },
            options),
        [&](const Matrix& result, croft::farm_part part) {
            stream.take(result.number, result.cells, part.collector);
            if (options.collectors == 1)
                time.result();
            else
                time.result(taken.fetch_add(1, std::memory_order_relaxed));
            if (time.settled()) stop.stop();
        },
        {.place = croft::placements::thread_a_role{.pinned = true}, .stops = &stop});
}

template <class Policies, class Item>
void run_queues(const croft::farm_options& options, matrix_stream& stream, service_time& time) {
    std::size_t next = 0;
    std::atomic<bool> settled{false};  // relaxed: a task more or less does not matter
    run_pointer_farm<Policies, Item>(
        options.workers, options.slots,
        [&](Item& it) {
            if (next == stream.count() || settled.load(std::memory_order_relaxed)) return false;
            it.task.number = static_cast<std::uint32_t>(next);
            stream.make(next++, it.task.cells);
            return true;
        },
        [&stream](Item& it) { stream.compute(it.task.cells, it.result.cells); },
        [&](Item& it) {
            stream.take(it.task.number, it.result.cells, 0);
            time.result();
            if (time.settled()) settled.store(true, std::memory_order_relaxed);
        });
}

// A task and its result, which travel by pointer.
template <class Matrix>
struct matrix_item {
    Matrix task, result;
};

}  // namespace programs
