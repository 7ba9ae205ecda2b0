#pragma once
// The two forms in which the roles of a stream pattern may be written, as one: filling a slot.
//
//              by value                        in place
//   emitter    std::optional<Task> ()          bool (Task&)                     nothing, or false: the stream ends
//     numbered std::optional<Task> (number)    bool (Task&, number)             the same, for task 0, 1, 2 ...
//   worker     Result (Task)                   void (const Task&, Result&)
//   collector  void (Result)                   void (const Result&)
//     numbered void (Result, farm_part)        void (const Result&, farm_part)
//
// Several threads may call a numbered emitter at once, each for other numbers, which ascend. The stream's end is the
// same for all: a thread that is told "no" for a number does not ask for higher ones. Several threads may call a
// numbered collector at once, each with results of other tasks, and with another number of its own.
//
// A message written in place is whatever an earlier one left in that slot until it is overwritten.

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/pattern/farm_options.hpp>

namespace croft::detail {

template <class Emitter, class Task>
concept emits_in_place = requires(Emitter& emitter, Task& task) {
    { emitter(task) } -> std::same_as<bool>;
};
template <class Emitter, class Task>
concept emits_by_value = requires(Emitter& emitter) {
    { emitter() } -> std::convertible_to<std::optional<Task>>;
};
template <class Emitter, class Task>
concept numbers_in_place = requires(Emitter& emitter, Task& task, std::size_t number) {
    { emitter(task, number) } -> std::same_as<bool>;
};
template <class Emitter, class Task>
concept numbers_by_value = requires(Emitter& emitter, std::size_t number) {
    { emitter(number) } -> std::convertible_to<std::optional<Task>>;
};
template <class Emitter, class Task>
concept numbered_emitter_of = numbers_in_place<Emitter, Task> || numbers_by_value<Emitter, Task>;
template <class Worker, class Task, class Result>
concept works_in_place = requires(Worker& worker, Task& task, Result& result) {
    { worker(std::as_const(task), result) } -> std::same_as<void>;
};
template <class Worker, class Task, class Result>
concept works_by_value = requires(Worker& worker, Task& task) {
    { worker(std::move(task)) } -> std::convertible_to<Result>;
};

// One that can be called only with a number.
template <class Emitter, class Task>
concept takes_numbers =
    numbered_emitter_of<Emitter, Task> && !emits_in_place<Emitter, Task> && !emits_by_value<Emitter, Task>;

template <class Emitter, class Task>
concept emitter_of =
    emits_in_place<Emitter, Task> || emits_by_value<Emitter, Task> || numbered_emitter_of<Emitter, Task>;
template <class Worker, class Task, class Result>
concept worker_of = works_in_place<Worker, Task, Result> || works_by_value<Worker, Task, Result>;
template <class Collector, class Result>
concept numbered_collector_of = std::invocable<Collector&, Result&&, farm_part>;
template <class Collector, class Result>
concept collector_of = std::invocable<Collector&, Result&&> || numbered_collector_of<Collector, Result>;

// `slot`: where a Task lies, or will (engine/content.hpp).
template <class Task, class Emitter, class Slot>
bool emit(Emitter& emitter, Slot& slot, [[maybe_unused]] std::size_t number) {
    const auto put = [&slot](std::optional<Task> task) {
        if (task) slot = std::move(*task);
        return task.has_value();
    };
    if constexpr ((emits_in_place<Emitter, Task> || numbers_in_place<Emitter, Task>) && !std::same_as<Slot, Task>)
        static_assert(std::same_as<Slot, Task>,
                      "croft::run: a source that writes its items in place needs items with a default constructor");
    else if constexpr (emits_in_place<Emitter, Task>)
        return emitter(slot);
    else if constexpr (numbers_in_place<Emitter, Task>)
        return emitter(slot, number);
    else if constexpr (emits_by_value<Emitter, Task>)
        return put(emitter());
    else
        return put(emitter(number));
}

template <class Task, class Result, class Worker>
void work_into(Worker& worker, Task& task, Result& slot) {
    if constexpr (works_in_place<Worker, Task, Result>)
        worker(std::as_const(task), slot);
    else
        slot = worker(std::move(task));
}

// The type of items that an emitter by value emits.
template <class Emitter>
struct emits {};
template <class Emitter>
    requires requires { typename std::invoke_result_t<Emitter&>::value_type; }
struct emits<Emitter> {
    using type = typename std::invoke_result_t<Emitter&>::value_type;
};
template <class Emitter>
    requires requires { typename std::invoke_result_t<Emitter&, std::size_t>::value_type; }
struct emits<Emitter> {
    using type = typename std::invoke_result_t<Emitter&, std::size_t>::value_type;
};
template <class Emitter>
using emitted = typename emits<std::remove_reference_t<Emitter>>::type;
// The type of results of a worker by value, of which every thread has a copy.
template <class Emitter, class Worker>
using made = std::decay_t<std::invoke_result_t<std::decay_t<Worker>&, emitted<Emitter>>>;

}  // namespace croft::detail
