#pragma once
// The stores and loads by which one thread hands something to another, by names of their own. They do the same as
// without. Debug information knows where in a program they are inlined (symbols/landmarks.py). A trace of a simulated
// run draws an arrow from the store to the load (simulator/record/handovers.hpp).

#include <atomic>

namespace croft::port {

// An event of a channel, and a look at whether it is there.
template <class Flag, class Value>
[[gnu::always_inline]] inline void traced_send(Flag& flag, Value value) {
    flag.store(value, std::memory_order_release);
}
template <class Flag>
[[gnu::always_inline]] inline auto traced_look(const Flag& flag, std::memory_order order) {
    return flag.load(order);
}

// A thread does these only behind a look that has found an event: it looks once more, at the kind of event, or notes
// it. (A thread that waits for an answer does nothing of the kind: when it sends again, its last look was at an event.)
template <class Flag>
[[gnu::always_inline]] inline auto traced_receive(const Flag& flag,
                                                  std::memory_order order = std::memory_order_relaxed) {
    return flag.load(order);
}
template <class Value>
[[gnu::always_inline]] inline void traced_note(Value& note, Value found) {
    note = found;
}

// A task is left where another thread finds it, and that one takes it: CROFT_BEGINS(stolen_task) follows (marks.hpp).
// Places that are no atomics are under a lock.
template <class Place, class Entry>
[[gnu::always_inline]] inline void traced_leave(Place& place, Entry entry,
                                                std::memory_order order = std::memory_order_relaxed) {
    if constexpr (requires { place.store(entry, order); })
        place.store(entry, order);
    else
        place = entry;
}
template <class Place>
[[gnu::always_inline]] inline auto traced_take(const Place& place,
                                               std::memory_order order = std::memory_order_relaxed) {
    if constexpr (requires { place.load(order); })
        return place.load(order);
    else
        return place;
}

}  // namespace croft::port
