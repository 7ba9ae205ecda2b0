#pragma once
// The default on many-cores, with any of their L1s: croft's answer to paper 002's direct task stealing
// (paper/task/direct_stealing.hpp). Here too a thief interrupts its victim, whose handler answers with a task of its
// own. (Where cores cannot interrupt each other, the victim looks for requests; steal_requests.hpp.) The differences,
// each justified in stealing.md:
//
//   - A spawn, a wait whose task was not stolen, and a step of a loop are a few loads and stores. They need no fence
//     and no atomic, and interrupts stay enabled (interrupted_stack.hpp).
//   - The handler cuts loops, where the thief asks, so a loop that nobody helps with is no tasks at all. The outermost
//     loop is cut first, however deep the victim is in inner ones.
//   - A worker with nothing to give switches requests off until it has. So does one that is looking for work. They are
//     refused by the hardware then, and cost the victim nothing.
//   - The answer's word names the task; a piece of a loop is one word more, by an atomic to the thief's mailbox. The
//     victim flushes only if something that the thief may read was written since its last flush.
//   - Cores that are several times as fast as others keep their small tasks from those.
//   - The thieves of a loop report to the one that began it, not to each other: shares, halved at each cut, come back.

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <croft/port/marks.hpp>
#include <croft/task/cut_loop.hpp>
#include <croft/task/fork.hpp>
#include <croft/task/interrupted_stack.hpp>
#include <croft/task/join_count.hpp>
#include <croft/task/join_policy.hpp>
#include <croft/task/joining_worker.hpp>
#include <croft/task/show_all.hpp>
#include <croft/task/steal_requests.hpp>
#include <croft/task/victims.hpp>
#include <croft/task/work.hpp>

namespace croft {

namespace detail {

struct interrupted_thread {
    template <class T>
    using atomic = std::atomic<T>;
    static void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }
};

}  // namespace detail

struct interrupt_stealing {
    class worker;
    struct loop;
    using work = detail::work<worker>;
    using join_policy = detail::by_software;
    using join_count = detail::join_count<worker, join_policy>;
    using chunk_number = std::uint32_t;

    // A loop whose chunks workers take (cut_loop.hpp).
    struct loop {
        // In a thief: does chunks first to last, and tells the loop's beginner.
        void (*run)(loop&, worker& here, chunk_number first, chunk_number last, std::uint32_t share);
    };
    template <detail::called_with What, class Index, class Body>
    using for_loop = detail::cut_for_loop<interrupt_stealing, What, Index, Body>;
    template <class Index, class Value, class Join, class Fold>
    using reduce_loop = detail::cut_reduce_loop<interrupt_stealing, Index, Value, Join, Fold>;

    // Calls both, in any order and perhaps at the same time.
    template <class First, class Second>
    [[gnu::always_inline]] static void both(worker& here, First& first, Second& second) {
        detail::fork<interrupt_stealing, Second>::both(here, first, second);
    }

    class worker : public detail::joining_worker<worker, interrupt_stealing>, public detail::steal_requests<worker> {
        using base = detail::joining_worker<worker, interrupt_stealing>;
        using stack = detail::interrupted_stack<work, loop, detail::interrupted_thread>;

    public:
        using mark_type = stack::place;
        using interval = stack::interval;

        worker(crew_type& all, std::size_t number) : base(all, number), victims_(number) {}

        mark_type push(work& what) { return pushed(stack_.push(what)); }
        bool take_back(mark_type at) { return stack_.take_back(at); }
        void joined(mark_type at) { stack_.remove(at); }

        mark_type mark() const { return stack_.top(); }
        const work* newest() const { return stack_.top() == 1 ? nullptr : &stack_.at(stack_.top() - 1); }
        work* pop_above(mark_type mark) {
            const mark_type top = stack_.top();
            if (top <= mark) return nullptr;
            return stack_.take_back(top - 1) ? &stack_.at(top - 1) : nullptr;
        }
        void forget_above(mark_type mark) { stack_.remove(mark); }

        // Goes through chunks of a loop, by do_chunk(number), until the rest was given away, or do_chunk returns false.
        // Leaves the rest of the share in `all`.
        template <class Chunk>
        void go_through(interval& all, bool stolen, Chunk do_chunk) {
            const mark_type at = pushed(stack_.push(all, stolen));
            for (chunk_number chunk; all.take(chunk);) {
                if (!do_chunk(chunk)) all.drop_rest();
                this->look_for_request();
            }
            stack_.remove(at);
        }

        void enter() { this->begin_requests(); }
        void leave() { this->end_requests(); }
        void work_until_end() {
            while (!all().ends())  // acquires, so seldom
                for (int i = 0; i < 64; ++i) steal_once();
        }
        // Steals until done(), which is asked behind each try and has to show what made it true.
        template <class Done>
        void help_until(Done done) {
            if (done()) return;
            // A worker that is in very deep only waits: the task that it waits for is being run (stealing.md).
            const bool may_steal = ++depth_ <= deepest;
            if (!stack_.has_work()) this->refuse_requests();
            while (!done()) {
                if (may_steal) steal_once();
                this->look_for_request();
            }
            --depth_;
        }
        void wake() {}  // nobody sleeps

        // Asked of every worker by the crew, which does not look for work here.
        work* steal_from(worker&) { return nullptr; }
        bool offers_work() const { return false; }

    private:
        static constexpr int deepest = 200;
        static constexpr std::uint64_t is_piece = 1;
        static constexpr unsigned share_at = 56;  // bits above an address

        mark_type pushed(mark_type at) {
            this->has_something_new();
            return at;
        }
        void steal_once() {
            if (this->workers() == 1) return;
            const std::size_t chosen = victims_.choose(this->workers());
            const std::uint64_t answer = this->ask(chosen);
            if (answer == this->nothing) return;
            ++counts.stolen;
            port::cache_invalidate();
            // A task that is spawned in there would have no parent here.
            auto* const outer = std::exchange(running, nullptr);
            const std::uint64_t address = answer & ((std::uint64_t{1} << share_at) - 1) & ~is_piece;
            if (answer & is_piece) {
                // An atomic, too: it finds what the victim's left at the shared cache.
                const std::uint64_t chunks = mailbox_.fetch_or(0, std::memory_order_relaxed);
                auto& what = *reinterpret_cast<loop*>(address);
                CROFT_BEGINS(stolen_task)
                what.run(what, *this, static_cast<chunk_number>(chunks >> 32), static_cast<chunk_number>(chunks),
                         static_cast<std::uint32_t>(answer >> share_at));
                CROFT_ENDS(stolen_task)
            } else {
                run_stolen(*reinterpret_cast<work*>(address), all()[chosen]);
            }
            running = outer;
            if (!stack_.has_work()) this->refuse_requests();
        }

        friend detail::steal_requests<worker>;
        // The answer to a thief: the task that it names is visible to the thief.
        std::uint64_t hand_over(worker& thief, bool slower) {
            const stack::loot found = stack_.give(slower);
            std::uint64_t answer = this->nothing;
            if (found.part.loop) {
                // An atomic, which leaves nothing in this L1.
                thief.mailbox_.exchange(std::uint64_t{found.part.first} << 32 | found.part.last,
                                        std::memory_order_relaxed);
                answer = reinterpret_cast<std::uint64_t>(found.part.loop) | is_piece |
                         std::uint64_t{found.part.share} << share_at;
            } else if (found.work) {
                answer = reinterpret_cast<std::uint64_t>(found.work);
            } else {
                if (!found.withheld) this->refuse_requests();
                return this->nothing;
            }
            if (!found.shown) detail::show_all();
            return answer;
        }

        stack stack_;
        int depth_ = 0;
        victims::random victims_;
        alignas(port::cache_line) std::atomic<std::uint64_t> mailbox_{0};
    };
};

}  // namespace croft

#endif
