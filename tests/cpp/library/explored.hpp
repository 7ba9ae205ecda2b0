#pragma once
// What the explorer puts in the place of std::atomic, of plain data, and of the world that a doorbell knows.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/channel/timed.hpp>

#include "explorer.hpp"

namespace explorer {

// In the place of std::atomic. T is an integer or a pointer.
template <class T>
class atomic {
public:
    atomic(T value = T{}) : where_(machine::current()->new_location(to_word(value))) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order) const {
        return from_word(machine::current()->load(where_, order != std::memory_order_relaxed));
    }
    void store(T value, std::memory_order order) {
        machine::current()->store(where_, to_word(value), order != std::memory_order_relaxed);
    }
    T exchange(T value, std::memory_order order) {
        if (acquires(order)) return update([value](T) { return value; }, order);
        return from_word(machine::current()->exchange(where_, to_word(value), order != std::memory_order_relaxed));
    }
    T fetch_add(T by, std::memory_order order) {
        return update([by](T before) { return static_cast<T>(before + by); }, order);
    }
    T fetch_sub(T by, std::memory_order order) {
        return update([by](T before) { return static_cast<T>(before - by); }, order);
    }
    // With bits that are there it leaves no trace: a loop of them would make a state that was never seen before of
    // each.
    T fetch_or(T bits, std::memory_order order) {
        return from_word(machine::current()->update(
            where_,
            [&](std::uint64_t word) {
                const T before = from_word(word), after = static_cast<T>(before | bits);
                return after == before ? std::nullopt : std::optional(to_word(after));
            },
            acquires(order), releases(order)));
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order) {
        const T before = from_word(machine::current()->update(
            where_,
            [&](std::uint64_t word) {
                return from_word(word) == expected ? std::optional(to_word(desired)) : std::nullopt;
            },
            acquires(order), releases(order)));
        return std::exchange(expected, before) == before;
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order, std::memory_order otherwise) {
        return compare_exchange_strong(expected, desired, order, otherwise);
    }
    std::size_t where() const { return where_; }

private:
    static bool acquires(std::memory_order order) {
        return order != std::memory_order_relaxed && order != std::memory_order_release;
    }
    static bool releases(std::memory_order order) {
        return order != std::memory_order_relaxed && order != std::memory_order_acquire;
    }
    template <class Change>
    T update(Change change, std::memory_order order) {
        return from_word(machine::current()->update(
            where_, [&](std::uint64_t word) { return std::optional(to_word(change(from_word(word)))); },
            acquires(order), releases(order)));
    }
    // A pointer leads to something that has a place in the explored memory, or is null or a mark with all bits set.
    static constexpr std::uint64_t mark = ~std::uint64_t{0};
    static std::uint64_t to_word(T value) {
        if constexpr (std::is_pointer_v<T>) {
            if (!value) return 0;
            if (reinterpret_cast<std::uintptr_t>(value) == mark) return mark;
            const std::uint64_t number = place_of(*value) + 1;
            machine::current()->name_pointer(number, value);
            return number;
        } else {
            return static_cast<std::uint64_t>(value);
        }
    }
    static T from_word(std::uint64_t word) {
        if constexpr (!std::is_pointer_v<T>)
            return static_cast<T>(word);
        else if (word == 0)
            return nullptr;
        else if (word == mark)
            return reinterpret_cast<T>(static_cast<std::uintptr_t>(mark));
        else
            return static_cast<T>(machine::current()->pointer_of(word));
    }
    template <class Object>
    static std::size_t place_of(const Object& object) {
        if constexpr (requires { object.where(); })
            return object.where();
        else
            return object.next.where();  // a link of a list
    }

    std::size_t where_;
};

// Plain data in shared memory: a message of one word. Every race for it is a violation.
class data {
public:
    data() : clocks_(static_cast<std::uint32_t>(machine::current()->new_plain())) {}
    data(const data& other) : data() { set(other.get()); }
    data& operator=(const data& other) {
        set(other.get());
        return *this;
    }
    std::uint32_t get() const {
        machine::current()->read(clocks_);
        machine::current()->remember(word_);
        return word_;
    }
    void set(std::uint32_t value) {
        machine::current()->write(clocks_);
        word_ = value;
    }

    std::size_t where() const { return clocks_; }

private:
    std::uint32_t clocks_;  // small, so that several share a line where messages do
    std::uint32_t word_ = 0;
};

// ---- what a doorbell needs of the world ----

struct world {
    static void prepare() {}
    static void full_fence() { machine::current()->full_fence(); }
    template <class Scan>
    static bool spin(Scan&, std::chrono::nanoseconds) {
        machine::current()->waits_again();
        return false;  // a spin that found nothing
    }
    template <class Scan>
    static bool give_way(Scan& scan) {
        return spin(scan, {});
    }
    static void sleep_while(const atomic<std::uint32_t>& word, std::uint32_t value) {
        machine::current()->sleep_while(word.where(), value);
    }
    // Time passes when the explorer says so: while somebody sleeps.
    static std::chrono::nanoseconds time_until(croft::detail::deadline) { return std::chrono::nanoseconds(1); }
    static bool sleep_while_until(const atomic<std::uint32_t>& word, std::uint32_t value, croft::detail::deadline) {
        if (machine::current()->sleep_while(word.where(), value, true)) return true;
        machine::current()->gave_up();
        return false;
    }
    static void wake_one(const atomic<std::uint32_t>& word) { machine::current()->wake_one(word.where()); }
};
struct asymmetric : world {
    static void light_fence() {}
    static void heavy_fence() { machine::current()->membarrier(); }
};
// Its time never comes, so that a lost wake-up is noticed.
struct patient : asymmetric {
    static bool sleep_while_until(const atomic<std::uint32_t>& word, std::uint32_t value, croft::detail::deadline) {
        sleep_while(word, value);
        return true;
    }
};
struct symmetric : world {
    static void light_fence() { machine::current()->full_fence(); }
    static void heavy_fence() { machine::current()->full_fence(); }
};

}  // namespace explorer
