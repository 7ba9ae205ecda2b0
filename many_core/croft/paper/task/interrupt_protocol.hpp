#pragma once
// Direct task stealing (paper 002, section IV and figure 3c). Every worker has a queue that only it touches. A thief
// interrupts its victim, whose handler takes a task from that queue, puts it into the thief's mailbox and answers.
//
// Each correction is told where it is made, with its reason, and proved in ../stealing.md. `Form` keeps what the figure
// prints, for tests that show what comes of it. World is the machine: interrupts, cache operations and atomics
// (user_interrupts.hpp), or a model of it (tests/cpp/library/explorer.hpp).
//
// A handler may change words in its own thread, and another core may with an atomic. These words are relaxed atomics:
// plain loads and stores for the machine. But the compiler neither keeps them in registers nor moves them over an
// invalidate, a flush or a change of the interrupts.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <croft/paper/task/place.hpp>
#include <croft/port/marks.hpp>

namespace croft::paper {

struct corrected {
    static constexpr bool counts_uninterrupted = true;
    static constexpr bool invalidates_before_mailbox = true;
    static constexpr bool listens_while_empty = false;
};
struct as_printed {
    static constexpr bool counts_uninterrupted = false;
    static constexpr bool invalidates_before_mailbox = false;
    static constexpr bool listens_while_empty = true;
};

// A parent's rc and has_stolen_child.
template <class World>
struct interruptible_count {
    typename World::template atomic<std::int32_t> rc{0};
    // Only ever touched by the worker that runs the parent, in its handler or elsewhere.
    typename World::template atomic<std::uint32_t> has_stolen_child{0};

    // By the parent, while it has no children.
    interruptible_count& operator=(std::int32_t children) {
        rc.store(children, std::memory_order_relaxed);
        return *this;
    }
    // By the parent, whose children may be counted elsewhere meanwhile.
    interruptible_count& operator+=(std::int32_t children) {
        World::disable();
        change(children);
        World::enable();
        return *this;
    }
    // With interrupts disabled.
    void change(std::int32_t by) {
        if (has_stolen_child.load(std::memory_order_relaxed))
            rc.fetch_add(by, std::memory_order_relaxed);
        else
            rc.store(rc.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
};

// Derived has run(work&, Derived& owner), which calls the child's function. Work has `parent`, its count.
template <class Derived, class Work, class World, class Form = corrected, std::size_t Capacity = 1024>
class interrupt_protocol {
    using count = interruptible_count<World>;
    static constexpr auto relaxed = std::memory_order_relaxed;

public:
    // ---- figure 3c: spawn ----

    void spawn(Work& child, count& parent) {
        child.parent = &parent;
        World::disable();
        const bool room = enq(child);
        World::enable();
        if (!room) run_own(child);
    }

    // ---- wait ----

    void wait(count& parent) {
        // The figure's first look is a plain load, which finds an old rc where a child was stolen before.
        while (remaining(parent) > 0) {
            World::disable();
            Work* const child = deq();
            listen();
            if (child)
                run_own(*child);
            else
                self().steal_once();
        }
        // Nobody has stolen a child since, because there is none left. So this worker may take the flag down, and the
        // next children are counted without atomics again. (The figure leaves this out: it never takes the flag down.)
        if (parent.has_stolen_child.load(relaxed)) {
            World::invalidate(place::joined);
            parent.has_stolen_child.store(0, relaxed);
        }
    }

    // ---- a thief, once its victim has answered ----

    void take_from_mailbox(Derived& victim) {
        // Corrected: the figure reads the mailbox first and invalidates then. So it may read the task that it stole
        // last time out of its own cache, and run that again.
        Work* child;
        if constexpr (Form::invalidates_before_mailbox) {
            World::invalidate(place::stolen);
            child = mailbox_.load(relaxed);
        } else {
            child = mailbox_.load(relaxed);
            World::invalidate(place::stolen);
        }
        if (!child) return;
        count& parent = *child->parent;
        CROFT_BEGINS(stolen_task)
        self().run(*child, victim);
        CROFT_ENDS(stolen_task)
        World::flush(place::stolen);
        parent.rc.fetch_sub(1, relaxed);  // amo_sub: after it the parent may be gone
    }

    // ---- uli_handler: in the victim, with interrupts disabled; true if the thief has something in its mailbox ----

    bool hand_over(Derived& thief) {
        Work* const child = steal();
        if (!Form::listens_while_empty && tail_ == head_) World::stay_disabled();
        if (!child) return false;
        child->parent->has_stolen_child.store(1, relaxed);
        thief.mailbox_.store(child, relaxed);
        // The mailbox, all that the child is to read, and its parent's rc, which from now on changes by atomics only.
        World::flush(place::handler);
        return true;
    }

private:
    void run_own(Work& child) {
        count& parent = *child.parent;  // read first: a group's children delete themselves
        CROFT_BEGINS(task)
        self().run(child, self());
        CROFT_ENDS(task)
        // Corrected: in the figure interrupts stay enabled between the test of has_stolen_child and the store of
        // rc - 1. A thief that gets another child in between may count that with its atomic before the store, which
        // then undoes it, and wait() never ends.
        if constexpr (Form::counts_uninterrupted) World::disable();
        parent.change(-1);
        if constexpr (Form::counts_uninterrupted) listen();
    }
    // Otherwise than in the figure, interrupts stay disabled while the queue is empty. So the hardware refuses thieves
    // that would find nothing, and no handler has to. A thief that is refused does not learn less.
    void listen() {
        if (Form::listens_while_empty || tail_ != head_) World::enable();
    }
    // May find the flag down and then, behind an interrupt, an old rc: too high, so the loop looks again.
    std::int32_t remaining(count& parent) {
        if (parent.has_stolen_child.load(relaxed)) return parent.rc.fetch_or(0, relaxed);  // amo_or
        return parent.rc.load(relaxed);
    }

    // The queue. The caller has interrupts disabled, or is the handler.
    bool enq(Work& child) {
        if (tail_ - head_ == Capacity) return false;
        entries_[tail_++ % Capacity] = &child;
        return true;
    }
    Work* deq() { return tail_ == head_ ? nullptr : entries_[--tail_ % Capacity]; }
    // The oldest, as in figures 3a and 3b: it has most work below it. (The figure's handler calls deq.)
    Work* steal() { return tail_ == head_ ? nullptr : entries_[head_++ % Capacity]; }

    Derived& self() { return static_cast<Derived&>(*this); }

    std::size_t head_ = 0, tail_ = 0;
    std::array<Work*, Capacity> entries_{};
    alignas(64) typename World::template atomic<Work*> mailbox_{nullptr};
};

}  // namespace croft::paper
