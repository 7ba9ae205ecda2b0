#pragma once
// A worker's tasks, oldest first, in a stack that only its own thread touches. Thieves ask by interrupts, whose handler
// runs on that thread too (interrupt_stealing.hpp). Beside tasks it holds intervals of loops, which the handler cuts.
//
//     entries      0 ........ bottom ........ top
//                  given away         here
//
// The handler is one step for the thread that it interrupts. So there is no need for fences, for atomics that change,
// or for disabling interrupts. The owner stores what it takes, then looks whether that had been given away before. If
// the handler came before the store, the owner's look shows what it did; if it came after, it finds nothing to give
// there. stealing.md has the proof; task_explored_test.cpp interrupts at every access.
//
// Words are relaxed atomics: plain loads and stores for the machine, but not kept in registers. World::keep_order()
// stands where the compiler must not exchange two of them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace croft::detail {

// The chunks of a loop that one worker goes through: from the front, while its handler gives away from the end.
// `share` belongs to the loop: every piece that is cut off gets share - 1, and that much stays here. Nothing is cut
// from one with share 0.
template <class World, class Loop>
struct interval {
    using chunk_number = std::uint32_t;
    interval(Loop& of, chunk_number from, chunk_number to, std::uint32_t whole)
        : loop(of), next(from), last(to), share(whole) {}

    Loop& loop;
    typename World::template atomic<chunk_number> next, last;
    typename World::template atomic<std::uint32_t> share;

    // ---- the owner ----

    // The next chunk's number, or false if the rest was done or given away.
    bool take(chunk_number& chunk) {
        chunk = next.load(relaxed);
        next.store(chunk + 1, relaxed);
        World::keep_order();
        return chunk < last.load(relaxed);
    }
    // Nothing more is given away.
    void drop_rest() { next.store(~chunk_number{0}, relaxed); }

    // ---- the handler ----

    bool something_left() const { return next.load(relaxed) < last.load(relaxed) && share.load(relaxed) > 0; }

    struct piece {
        Loop* loop;
        chunk_number first, last;
        std::uint32_t share;
    };
    // The farther half of what is left, the last chunk too; no loop: there are less chunks than `least`.
    piece cut(chunk_number least) {
        const chunk_number from = next.load(relaxed), to = last.load(relaxed);
        const std::uint32_t left = share.load(relaxed);
        if (from >= to || to - from < least || left == 0) return {};
        const chunk_number middle = from + (to - from) / 2;
        last.store(middle, relaxed);
        share.store(left - 1, relaxed);
        return {&loop, middle, to, left - 1};
    }

private:
    static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Work, class Loop, class World, std::size_t Capacity = 8192>
class interrupted_stack {
    static constexpr auto relaxed = std::memory_order_relaxed;

public:
    using place = std::uint32_t;
    using interval = detail::interval<World, Loop>;
    using piece = typename interval::piece;
    static constexpr place no_room = 0;  // no entry's; taking back from there succeeds

    interrupted_stack() : entries_(std::make_unique<std::uintptr_t[]>(Capacity)) {}

    // ---- the owner ----

    place push(Work& entry) { return push(reinterpret_cast<std::uintptr_t>(&entry)); }
    // `shown`: what the loop's chunks read was flushed before this worker had any of them.
    place push(interval& entry, bool shown) {
        return push(reinterpret_cast<std::uintptr_t>(&entry) | is_interval | (shown ? is_shown : 0));
    }
    place top() const { return top_.load(relaxed); }
    bool has_work() const { return bottom_.load(relaxed) < top_.load(relaxed); }
    Work& at(place where) const { return *reinterpret_cast<Work*>(entries_[where] & ~marks); }

    // The newest entry is the owner's again and off the stack, or never was on it. False: it was given away, and stays
    // until remove().
    bool take_back(place at) {
        if (at == no_room) [[unlikely]]
            return true;
        top_.store(at, relaxed);
        World::keep_order();
        if (bottom_.load(relaxed) > at) [[unlikely]] {
            top_.store(at + 1, relaxed);
            return false;
        }
        return true;
    }
    // All entries from `at` on were given away, or are intervals that have ended.
    void remove(place at) {
        if (at == no_room) [[unlikely]]
            return;
        top_.store(at, relaxed);
        World::keep_order();
        if (bottom_.load(relaxed) > at) bottom_.store(at, relaxed);
    }

    // ---- the handler ----

    struct loot {
        Work* work = nullptr;
        piece part{};
        bool shown = false;     // what it is to read was flushed before
        bool withheld = false;  // there is something for others
    };
    // The oldest task, or a piece of the oldest loop. Marks all entries as shown: the caller flushes. A slower core
    // gets a task only if there are others on top of it. The newest ones are small, and a worker that waits for one of
    // them waits for the slower core. The same holds for the last chunks of a loop, unless the slower core is in a loop
    // itself (stealing.md).
    loot give(bool to_slower = false) {
        const place top = top_.load(relaxed);
        const place bottom = bottom_.load(relaxed);
        const bool alone = top - bottom == 1;
        bool withheld = false;
        for (place oldest = bottom; oldest < top; ++oldest) {
            const std::uintptr_t entry = entries_[oldest];
            const bool small = to_slower && top - oldest <= kept;
            loot found{.shown = (entry & is_shown) != 0};
            if (entry & is_interval) {
                interval& loop = *reinterpret_cast<interval*>(entry & ~marks);
                found.part = loop.cut(small && alone ? few : 1);
                if (!found.part.loop) {
                    withheld |= loop.something_left();
                    continue;
                }
                bottom_.store(oldest, relaxed);
            } else {
                if (small) return {.withheld = true};
                found.work = reinterpret_cast<Work*>(entry & ~marks);
                bottom_.store(oldest + 1, relaxed);
            }
            if (!found.shown)
                for (place each = oldest; each < top; ++each) entries_[each] |= is_shown;
            return found;
        }
        return {.withheld = withheld};
    }

protected:  // for mutants
    typename World::template atomic<place> top_{1}, bottom_{1};

private:
    static constexpr std::uintptr_t is_interval = 1, is_shown = 2, marks = 3;
    // Slower cores do not get these: the newest tasks, and the last chunks of a loop if there is nothing else.
    static constexpr place kept = 3;
    static constexpr typename interval::chunk_number few = 4;

    place push(std::uintptr_t entry) {
        const place at = top_.load(relaxed);
        if (at == Capacity) [[unlikely]]
            return no_room;
        entries_[at] = entry;
        World::keep_order();
        top_.store(at + 1, relaxed);
        return at;
    }

    std::unique_ptr<std::uintptr_t[]> entries_;
};

}  // namespace croft::detail
