#pragma once
// Chase and Lev's work-stealing deque, with the memory orders of Le, Pop, Cohen and Zappella Nardelli (PPoPP 2013,
// figure 1). Their paper is "Correct and efficient work-stealing for weak memory models". The owner puts and takes at
// the bottom, thieves take at the top.
//
// Entries [top, bottom) are there to be had; both only matter modulo the capacity, and top never falls. The ring does
// not grow: a worker that finds it full runs the new task at once, which fork-join allows. So nothing is ever
// reclaimed.
//
// Atomic and World are parameters so that tests can drive every interleaving (tests/cpp/library/explorer.hpp).

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <croft/port/handing_over.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

struct deque_world {
    static void full_fence() { port::full_fence(); }
};

template <class Entry, std::size_t Capacity = 4096, template <class> class Atomic = std::atomic,
          class World = deque_world>
class chase_lev_deque {
    static_assert((Capacity & (Capacity - 1)) == 0);

public:
    // ---- the owner ----

    bool push(Entry* entry) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);  // only the owner writes it
        // Acquire: a thief took what was at top before it moved top on (its exchange releases), so that place is free.
        const std::int64_t top = top_.load(std::memory_order_acquire);
        if (bottom - top >= static_cast<std::int64_t>(Capacity)) return false;
        port::traced_leave(ring_[index(bottom)], entry);
        // Release: a thief that sees the new bottom sees the entry and all that its task needs. The paper has a release
        // fence before a relaxed store instead. That fence also covers the later stores of bottom, in pop: a thief may
        // see one of those and take an entry below it. So here they release too.
        bottom_.store(bottom + 1, std::memory_order_release);
        return true;
    }

    // The newest entry, or null.
    Entry* pop() {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        bottom_.store(bottom, std::memory_order_release);
        // The race for the last entry is Dekker's: the owner writes bottom and reads top, a thief has written top and
        // reads bottom. The second of the two fences makes its side see the other's store.
        World::full_fence();
        std::int64_t top = top_.load(std::memory_order_relaxed);
        if (top > bottom) {  // empty
            bottom_.store(bottom + 1, std::memory_order_release);
            return nullptr;
        }
        // Relaxed: the owner itself wrote it, and nobody else does.
        Entry* const entry = ring_[index(bottom)].load(std::memory_order_relaxed);
        if (top < bottom) return entry;
        // The last one: the thread that moves top on has it. seq_cst, as the paper has it: all moves of top are in one
        // order with the fences.
        const bool won =
            top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release);
        return won ? entry : nullptr;
    }

    // Where the next one will be; by the owner.
    std::int64_t bottom() const { return bottom_.load(std::memory_order_relaxed); }
    // The entry ahead of that place, or the one that lay there before it was stolen; by the owner. Relaxed: the owner
    // wrote it.
    const Entry* newest() const {
        return ring_[index(bottom_.load(std::memory_order_relaxed) - 1)].load(std::memory_order_relaxed);
    }
    // Whether nothing is left to steal; by the owner, and only a hint.
    bool empty() const { return top_.load(std::memory_order_relaxed) >= bottom_.load(std::memory_order_relaxed); }

    // ---- thieves ----

    // The oldest entry; null if there is none or another took it first.
    Entry* steal() {
        // Acquire: pairs with other thieves' and the owner's exchanges, and keeps the load of bottom behind it.
        std::int64_t top = top_.load(std::memory_order_acquire);
        World::full_fence();  // see pop
        // Acquire: the entry below it, see push.
        const std::int64_t bottom = bottom_.load(std::memory_order_acquire);
        if (top >= bottom) return nullptr;
        // Before the exchange: after it the owner may put another there. If the exchange succeeds, it has not.
        Entry* const entry = port::traced_take(ring_[index(top)]);
        return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed)
                   ? entry
                   : nullptr;
    }

    // A thief that is about to sleep asks this, behind its heavy fence.
    bool has_work() const { return !empty(); }

private:
    static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at) & (Capacity - 1); }

    alignas(port::cache_line) Atomic<std::int64_t> top_{0};
    alignas(port::cache_line) Atomic<std::int64_t> bottom_{0};  // apart: written at every push
    alignas(port::cache_line) std::array<Atomic<Entry*>, Capacity> ring_{};
};

}  // namespace croft::detail
