#pragma once
// Two threads of which one, the thief, interrupts the other, the victim, for the explorer: what stealing by interrupts
// runs on.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "explored.hpp"

namespace explorer {

// Thread 0 is the victim, thread 1 steals. An interrupt comes between any two accesses of the victim's, where
// interrupts are enabled; where they are not, the request is refused.
struct interrupts {
    static constexpr std::size_t victim = 0, thief = 1;
    static inline interrupts* current = nullptr;
    static bool in_victim() { return machine::current()->running() == victim; }

    template <class T>
    class atomic : public explorer::atomic<T> {
        using base = explorer::atomic<T>;

    public:
        using base::base;
        T load(std::memory_order order) const { return point(), base::load(order); }
        void store(T value, std::memory_order order) { point(), base::store(value, order); }
        T fetch_add(T by, std::memory_order order) { return point(), base::fetch_add(by, order); }
        T fetch_sub(T by, std::memory_order order) { return point(), base::fetch_sub(by, order); }
        T fetch_or(T bits, std::memory_order order) { return point(), base::fetch_or(bits, order); }
        T exchange(T value, std::memory_order order) { return point(), base::exchange(value, order); }
    };
    // A word that nobody but the victim's thread has.
    template <class T>
    class own_word {
    public:
        own_word(T value) : value_(value) {}
        T load(std::memory_order) const { return point(), value_; }
        void store(T value, std::memory_order) { point(), value_ = value; }

    private:
        T value_;
    };
    static void disable() {
        if (in_victim()) current->enabled = false;
    }
    static void enable() {
        if (in_victim()) current->enabled = true;
    }
    static void stay_disabled() { current->enabled = false; }
    static void invalidate() { machine::current()->invalidate(); }
    static void flush() { machine::current()->flush(); }

    static void point() {
        if (!in_victim() || current->in_handler) return;
        const std::uint32_t asked = current->request.load(std::memory_order_relaxed);
        if (asked <= current->taken) return;
        current->taken = asked;
        bool given = false;
        if (current->enabled) {
            current->in_handler = true;
            given = current->handler();
            current->in_handler = false;
        }
        current->answer.store(2 * asked + given, std::memory_order_relaxed);
    }

    explorer::atomic<std::uint32_t> request{0}, answer{0};
    std::function<bool()> handler;
    bool enabled = true, in_handler = false;
    std::uint32_t taken = 0;
};

}  // namespace explorer
