#pragma once
// The paper's task queue: one lock, one array (002, figure 3: lock_aq, lock_rl, enq, deq, steal). Coherence says what
// comes with taking and leaving the lock.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <croft/paper/task/place.hpp>
#include <croft/paper/task/varied_distance.hpp>
#include <croft/port/handing_over.hpp>
#include <croft/port/port.hpp>

namespace croft::paper {

template <class Entry, class Coherence, std::size_t Capacity = 1024>
class locked_deque {
public:
    // False: no room.
    bool enq(Entry* entry) {
        const guard<place::spawn> locked(*this);
        if (tail_ - head_ == Capacity) return false;
        port::traced_leave(entries_[tail_++ % Capacity], entry);
        publish();
        return true;
    }
    // The newest, or null.
    Entry* deq() {
        const guard<place::deq> locked(*this);
        if (tail_ == head_) return nullptr;
        Entry* const entry = entries_[--tail_ % Capacity];
        publish();
        return entry;
    }
    // The oldest, or null.
    Entry* steal() {
        const guard<place::steal> locked(*this);
        if (tail_ == head_) return nullptr;
        Entry* const entry = port::traced_take(entries_[head_++ % Capacity]);
        publish();
        return entry;
    }
    // A hint, without the lock, for who is about to sleep.
    bool has_work() const { return count_.load(std::memory_order_relaxed) != 0; }

private:
    template <place At>
    struct guard {
        explicit guard(locked_deque& locked) : deque(locked) {
            for (unsigned tries = 1; deque.locked_.exchange(1, Coherence::acquire) != 0; ++tries) breathe(tries);
            Coherence::invalidate(At);
        }
        ~guard() {
            Coherence::flush(At);
            Coherence::leave(deque.locked_);
        }
        locked_deque& deque;
    };
    // At varying distances, and at growing ones. Where an atomic takes the lock's line from whoever has it, the thread
    // that is to leave the lock waits behind all who try it. With sixty of them that is so long that ever more arrive,
    // until every core stands at one lock. thief_pause keeps so many from coming.
    static void breathe(unsigned tries) {
        const unsigned spread = varied_distance(tries, 6);
        const unsigned pauses = port::waits_on_lines ? spread << std::min(tries / 2, 6u) : 1;
        for (unsigned i = 0; i < pauses; ++i) port::pause();
        // Natively the one that holds the lock may wait for this core.
        if (!port::waits_on_lines && tries % 64 == 0) std::this_thread::yield();
    }
    void publish() {
        if constexpr (!port::waits_on_lines)
            count_.store(static_cast<std::uint32_t>(tail_ - head_), std::memory_order_relaxed);
    }

    alignas(port::cache_line) std::atomic<std::uint32_t> locked_{0};
    std::atomic<std::uint32_t> count_{0};
    // Only ever touched under the lock.
    alignas(port::cache_line) std::size_t head_ = 0;
    std::size_t tail_ = 0;
    std::array<Entry*, Capacity> entries_{};
};

}  // namespace croft::paper
