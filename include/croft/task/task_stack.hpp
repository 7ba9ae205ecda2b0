#pragma once
// A stack of tasks whose owner pushes and pops without a fence or an atomic read-modify-write. Thieves may only touch
// the part of it that the owner has published, and it publishes only what was asked for. stealing.md has the states and
// the proof.
//
//     entries      0 ........ tail ........ split ........ top
//                  stolen     public        private
//
// `tail` and `split` are the halves of one word, so every change of either is one step. A thief moves tail up by one if
// there is something public. The owner moves split up (publishes) or down (takes back). top is the owner's alone.
//
// Entries are joined in the opposite order in which they were pushed (fork-join). So an entry that the owner wants back
// is the newest: private, or public, or stolen. The first case, nearly all, is one comparison with a copy of split that
// only the owner writes.
//
// After Faxen's direct task stack (Wool, 2010) and van Dijk and van de Pol's split one (Lace, 2014). The request that
// makes the owner publish is the steal-request slot of receiver-initiated stealing (Acar et al., PPoPP 2013).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <croft/port/misuse.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Entry, std::size_t Capacity = 8192, template <class> class Atomic = std::atomic>
class task_stack {
    using place = Entry**;

public:
    task_stack() : entries_(std::make_unique_for_overwrite<Entry*[]>(Capacity)) {
        top_ = split_ = entries_.get();
        end_ = top_ + Capacity;
    }

    // ---- the owner ----

    // Where it lies now; null, a place below all others, if there was no room.
    place push(Entry& entry) {
        const place at = top_;
        if (at == end_) [[unlikely]]
            return nullptr;
        *at = &entry;
        top_ = at + 1;
        return at;
    }
    place top() const { return top_; }
    // The newest entry, also one that was stolen and not joined; null if there is none.
    const Entry* newest() const { return top_ == entries_.get() ? nullptr : top_[-1]; }
    bool has_more_than(place base) const { return top_ > base; }

    // The newest entry, pushed at `at`, is the owner's again and off the stack, or never was on it. False: it was
    // stolen, and stays until remove_stolen.
    [[gnu::always_inline]] bool take_back(place at) {
        port::check_use(
            at == nullptr || top_ == at + 1,
            "croft: croft::task::spawn, or the wait() of a task or group, was called inside of a callable of a "
            "pattern that the task has begun which it is for");
        if (at < split_) [[unlikely]] {
            if (at == nullptr) return true;
            if (!take_back_public(at)) return false;
        }
        top_ = at;
        return true;
    }
    // All entries from `at` on were stolen, and have been joined.
    void remove_stolen(place at) {
        top_ = at;
        if (split_ <= at) return;
        split_ = at;
        // Relaxed, and no exchange. tail is split here, so no thief changes the word. None takes anything until it has
        // read a later value, which releases.
        ends_.store(word(number(at), number(at)), std::memory_order_relaxed);
    }

    // One look at a line of the owner's own, which only an idle worker writes.
    bool asked() const { return requested_.load(std::memory_order_relaxed) != 0; }
    // Takes the request down. An exchange, so that it takes down what it has seen, and a request that comes later
    // stays.
    void take_request() { requested_.exchange(0, std::memory_order_relaxed); }
    // Publishes the older half of what is private, at least one; false if nothing is.
    bool publish() {
        const auto more = static_cast<std::uint64_t>(top_ - split_ + 1) / 2;
        if (more == 0) return false;
        split_ += more;
        // Release: a thief's acquiring exchange that reads this, or a later exchange's value, sees the entries and what
        // their tasks need. One step, because a thief may move tail meanwhile.
        ends_.fetch_add(more, std::memory_order_release);
        return true;
    }

    // Answers a request: publishes something, and wakes a worker that sleeps. If there is nothing to publish the
    // request stays; as it does for those who still sleep. (None of them is forgotten: stealing.md.) Crew has wake_one,
    // with a light fence ahead of its look at who sleeps, and somebody_sleeps.
    template <class Crew>
    void serve(Crew&& idle) {
        take_request();
        if (!publish()) return ask();
        idle.wake_one();
        if (idle.somebody_sleeps()) ask();
    }

    // ---- thieves ----

    // The oldest public entry; null, and the owner is asked for more, if there is none.
    Entry* steal() {
        std::uint64_t ends = ends_.load(std::memory_order_relaxed);
        while (tail_of(ends) < split_of(ends)) {
            // Acquire: see publish. Once tail has moved on, nobody else takes this entry, and the owner does not
            // overwrite it before the join. So it can be read afterwards.
            if (ends_.compare_exchange_weak(ends, ends + one_at_tail, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
                if (tail_of(ends) + 1 == split_of(ends)) ask();  // the last: the next thief shall find something
                return entries_[tail_of(ends)];
            }
        }
        ask();
        return nullptr;
    }
    // Relaxed: a hint, but for one that falls asleep, which has a heavy fence ahead of it.
    void ask() {
        if (requested_.load(std::memory_order_relaxed) == 0) requested_.store(1, std::memory_order_release);
    }
    bool has_work() const {
        const std::uint64_t ends = ends_.load(std::memory_order_relaxed);
        return tail_of(ends) < split_of(ends);
    }
    // By one that falls asleep unless there is something, behind its heavy fence: the request is left there for it.
    bool offers_work() {
        if (has_work()) return true;
        ask();
        return false;
    }

private:
    static constexpr std::uint64_t one_at_tail = std::uint64_t{1} << 32;
    static std::uint64_t word(std::uint64_t tail, std::uint64_t split) { return tail << 32 | split; }
    static std::uint64_t tail_of(std::uint64_t ends) { return ends >> 32; }
    static std::uint64_t split_of(std::uint64_t ends) { return ends & 0xffffffffu; }
    std::uint64_t number(place at) const { return static_cast<std::uint64_t>(at - entries_.get()); }

    // Keeps the older half of what is public there, takes the rest.
    [[gnu::noinline]] bool take_back_public(place at) {
        const std::uint64_t wanted = number(at);
        std::uint64_t ends = ends_.load(std::memory_order_relaxed);
        for (;;) {
            const std::uint64_t tail = tail_of(ends);
            if (tail > wanted) return false;
            const std::uint64_t split = tail + (wanted - tail) / 2;
            // Relaxed: the owner takes what it wrote itself, and gives nothing away. An exchange, so that publish's
            // release goes on to thieves who read the new value.
            if (ends_.compare_exchange_weak(ends, word(tail, split), std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
                split_ = entries_.get() + split;
                return true;
            }
        }
    }

    // The owner's, written at every push.
    alignas(port::cache_line) place top_;
    place end_;
    place split_;  // a copy of the word's half, exact: only the owner changes it
    std::unique_ptr<Entry*[]> entries_;
    // Apart, because the owner reads it at every push, and it is written when somebody is idle.
    alignas(port::cache_line) Atomic<std::uint32_t> requested_{0};
    alignas(port::cache_line) Atomic<std::uint64_t> ends_{0};
};

}  // namespace croft::detail
