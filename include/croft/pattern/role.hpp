#pragma once
// The forms in which the source and the sink of a stream may be written; a source in either form fills a slot.
//
//              by value                        in place
//   source     std::optional<Task> ()          bool (Task&)                     nothing, or false: the stream ends
//     numbered std::optional<Task> (number)    bool (Task&, number)             the same, for task 0, 1, 2 ...
//   sink       void (Result)                   void (const Result&)
//     numbered void (Result, farm_part)        void (const Result&, farm_part)
//
// Several threads may call a numbered source at once, each for other numbers, which ascend. The stream's end is the
// same for all: a thread that is told "no" for a number does not ask for higher ones. Several threads may call a
// numbered sink at once, each with results of other tasks, and with another number of its own.
//
// A message written in place is whatever an earlier one left in that slot until it is overwritten.

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include <croft/pattern/engine/content.hpp>
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

// One that can be called only with a number.
template <class Emitter, class Task>
concept takes_numbers =
    numbered_emitter_of<Emitter, Task> && !emits_in_place<Emitter, Task> && !emits_by_value<Emitter, Task>;

template <class Collector, class Result>
concept numbered_collector_of = std::invocable<Collector&, Result&&, farm_part>;

// `slot`: where a Task lies, or will (engine/content.hpp).
template <class Task, class Emitter, class Slot>
bool emit(Emitter& emitter, Slot& slot, [[maybe_unused]] std::size_t number) {
    const auto put = [&slot](std::optional<Task> task) {
        if (task) slot = std::move(*task);
        return task.has_value();
    };
    constexpr bool may_be_empty = !std::same_as<Slot, Task> && !std::default_initializable<Task>;
    if constexpr ((emits_in_place<Emitter, Task> || numbers_in_place<Emitter, Task>) && may_be_empty)
        static_assert(!may_be_empty,
                      "croft::run: a source that writes its items in place needs items with a default constructor");
    else if constexpr (emits_in_place<Emitter, Task>)
        return emitter(object_in<Task>(slot));
    else if constexpr (numbers_in_place<Emitter, Task>)
        return emitter(object_in<Task>(slot), number);
    else if constexpr (emits_by_value<Emitter, Task>)
        return put(emitter());
    else
        return put(emitter(number));
}

}  // namespace croft::detail
