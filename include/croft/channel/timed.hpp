#pragma once
// Waiting for a bounded time, or until a stop is requested: the calls that every channel has for it, made of two of its
// own. `_for` takes a duration; `_until` takes a time of any clock, or a std::stop_token. If a clock can be set, only
// the time that it shows when the call begins counts. A message that has come is given even if the time has passed, or
// the stop is requested.

#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace detail {

using deadline = std::chrono::steady_clock::time_point;

// Takes any value of its type. A duration that the clock cannot tell is for ever; zero, a negative one or NaN has
// passed.
template <class Rep, class Period>
deadline deadline_after(std::chrono::duration<Rep, Period> time) {
    using seconds = std::chrono::duration<double>;  // which any duration converts to without overflow
    const deadline now = std::chrono::steady_clock::now();
    if (!(seconds(time) > seconds::zero())) return now;
    if (seconds(time) >= seconds(deadline::max() - now)) return deadline::max();
    return now + std::chrono::ceil<deadline::duration>(time);
}
template <class Clock, class Duration>
deadline deadline_at(std::chrono::time_point<Clock, Duration> time) {
    using seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const seconds left = seconds(time.time_since_epoch()) - seconds(now.time_since_epoch());
    // If two times are years apart, the type that they have in common may not hold their exact difference. Then the
    // rounded one is as good.
    const bool is_near = left > std::chrono::years(-1) && left < std::chrono::years(1);
    return is_near ? deadline_after(time - now) : deadline_after(left);
}
inline deadline deadline_at(deadline time) { return time; }

// Zero once it has passed, however long ago: a difference that the type cannot hold would be less than nothing.
inline std::chrono::nanoseconds time_until(deadline end) {
    const deadline now = std::chrono::steady_clock::now();
    return end <= now ? std::chrono::nanoseconds{0} : end - now;
}

// For an event that is for all who wait there; where only one may wait (doorbell.hpp), notify() is for all.
template <class Wait>
void notify_all(Wait& whom) {
    if constexpr (requires { whom.notify_all(); })
        whom.notify_all();
    else
        whom.notify();
}

}  // namespace detail

namespace waits {

struct polling {};

// Waits as `waiter` does, until `end` at the latest; false if that has passed. A policy that knows no end to its
// waiting looks again and again instead.
template <class Wait, class Scan>
bool wait_until(Wait&& waiter, Scan scan, detail::deadline end) {
    if constexpr (requires { waiter.wait_until(scan, end); }) {
        return waiter.wait_until(scan, end);
    } else {
        if constexpr (requires { waiter.begin_looking(); }) waiter.begin_looking();
        while (!scan(detail::relaxed_load{})) {
            if (std::chrono::steady_clock::now() >= end) return false;
            port::pause();
        }
        return true;
    }
}

// The same until a stop is requested. The thread that requests it rings, as after any event (sleep.md): it stores the
// request before it calls those who asked to be told. All are rung, because this thread is one of those who wait.
template <class Wait, class Scan>
bool wait_until(Wait&& waiter, Scan scan, const std::stop_token& stop) {
    const auto ends = [&](auto load) { return stop.stop_requested() || scan(load); };
    if constexpr (requires { waiter.wait_until(scan, detail::deadline()); }) {
        const std::stop_callback ring(stop, [&waiter] { detail::notify_all(waiter); });
        waiter.wait(ends);
    } else {
        if constexpr (requires { waiter.begin_looking(); }) waiter.begin_looking();
        while (!ends(detail::relaxed_load{})) port::pause();
    }
    return !stop.stop_requested();
}

}  // namespace waits

namespace detail {

// For a `Channel` with await_room(end), whether a message can be sent by that deadline, or stop, without waiting;
// free_slot(), which then is acquire(); and send(). All of them throw `disconnected` as acquire() does.
template <class Channel, class Message>
class timed_sending {
public:
    // acquire(), but null if there is no room in time.
    template <class Rep, class Period>
    Message* acquire_for(std::chrono::duration<Rep, Period> time) {
        return acquire_until(deadline_after(time));
    }
    template <class Clock, class Duration>
    Message* acquire_until(std::chrono::time_point<Clock, Duration> time) {
        return self().await_room(deadline_at(time)) ? &self().free_slot() : nullptr;
    }
    Message* acquire_until(const std::stop_token& stop) {
        return self().await_room(stop) ? &self().free_slot() : nullptr;
    }
    // send(), but false, and the message untouched, if there is no room in time.
    template <class Rep, class Period>
    bool send_for(Message&& message, std::chrono::duration<Rep, Period> time) {
        return send_until(std::move(message), deadline_after(time));
    }
    template <class Rep, class Period>
    bool send_for(const Message& message, std::chrono::duration<Rep, Period> time) {
        return send_until(message, deadline_after(time));
    }
    template <class Clock, class Duration>
    bool send_until(Message&& message, std::chrono::time_point<Clock, Duration> time) {
        if (!self().await_room(deadline_at(time))) return false;
        self().send(std::move(message));
        return true;
    }
    template <class Clock, class Duration>
    bool send_until(const Message& message, std::chrono::time_point<Clock, Duration> time) {
        if (!self().await_room(deadline_at(time))) return false;
        self().send(message);
        return true;
    }
    bool send_until(Message&& message, const std::stop_token& stop) {
        if (!self().await_room(stop)) return false;
        self().send(std::move(message));
        return true;
    }
    bool send_until(const Message& message, const std::stop_token& stop) {
        if (!self().await_room(stop)) return false;
        self().send(message);
        return true;
    }

private:
    Channel& self() { return static_cast<Channel&>(*this); }
};

// For a `Channel` with await_message(end), which gives the message that receive_in_place() gives if one has come by
// that deadline, or stop, else null. take(Message*) moves it out. ended() tells a stream that has ended from a time
// that has passed.
template <class Channel, class Message>
class timed_receiving {
public:
    template <class Rep, class Period>
    Message* receive_in_place_for(std::chrono::duration<Rep, Period> time) {
        return self().await_message(deadline_after(time));
    }
    template <class Clock, class Duration>
    Message* receive_in_place_until(std::chrono::time_point<Clock, Duration> time) {
        return self().await_message(deadline_at(time));
    }
    template <class Rep, class Period>
    std::optional<Message> receive_for(std::chrono::duration<Rep, Period> time) {
        return self().take(self().await_message(deadline_after(time)));
    }
    template <class Clock, class Duration>
    std::optional<Message> receive_until(std::chrono::time_point<Clock, Duration> time) {
        return self().take(self().await_message(deadline_at(time)));
    }
    Message* receive_in_place_until(const std::stop_token& stop) { return self().await_message(stop); }
    std::optional<Message> receive_until(const std::stop_token& stop) {
        return self().take(self().await_message(stop));
    }

private:
    Channel& self() { return static_cast<Channel&>(*this); }
};

}  // namespace detail

}  // namespace croft
