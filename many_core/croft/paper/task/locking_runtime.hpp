#pragma once
// Figures 3a and 3b, which differ in Coherence only. Line numbers are those of figure 3b.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <croft/paper/task/join.hpp>
#include <croft/paper/task/locked_deque.hpp>
#include <croft/paper/task/thief_pause.hpp>
#include <croft/paper/task/work.hpp>
#include <croft/port/marks.hpp>
#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/victims.hpp>

namespace croft {

template <class Runtime>
class basic_task;

namespace paper {

// rc. Every child is taken off with an atomic, because any may have been stolen.
template <class Coherence>
struct locking_join_count {
    std::atomic<std::int32_t> rc{0};
    // By the parent, while it has no children: nobody else looks.
    locking_join_count& operator=(std::int32_t children) {
        rc.store(children, std::memory_order_relaxed);
        return *this;
    }
    locking_join_count& operator+=(std::int32_t children) {
        rc.fetch_add(children, std::memory_order_relaxed);
        return *this;
    }
};

template <class Coherence, class Victims = victims::random>
struct locking_runtime {
    class worker;
    using join_count = locking_join_count<Coherence>;
    using work = paper::work<worker, join_count>;
    static constexpr bool counts_tasks = true;

    template <class First, class Second>
    static void both(worker& here, First& first, Second& second) {
        paper::both<locking_runtime>(here, first, second);
    }

    class worker : public detail::crew_member<worker> {
        using base = detail::crew_member<worker>;

    public:
        struct mark_type {};
        worker(typename base::crew_type& all, std::size_t number) : base(all, number), victims_(number) {}

        void spawn(work& child, join_count& parent) {
            child.parent = &parent;
            ++this->counts.spawned;
            if (!deque_.enq(&child)) return run_own(child);
            if constexpr (!port::waits_on_lines) this->all().wake_one(this->number() + 1);
        }
        void wait(join_count& parent, mark_type) {
            while (Coherence::read(parent.rc) > 0) {  // line 10
                if (work* const child = deque_.deq())
                    run_own(*child);
                else
                    look_elsewhere([&parent] { return Coherence::read(parent.rc) == 0; });
            }
            Coherence::invalidate(place::joined);  // line 40: a child may have written elsewhere
        }
        void work_until_end() {
            // `ends` acquires, which is not the figure's: so seldom.
            if constexpr (port::waits_on_lines)
                while (!this->all().ends())
                    for (int i = 0; i < 64; ++i) steal_once();
            else
                base::work_until_end();
        }

        mark_type mark() const { return {}; }
        static void child_finished(join_count&, worker&, worker&) {}  // the loops count
        bool should_split() const { return true; }

        // ---- what crew_member asks ----
        work* steal_from(worker& victim) { return victim.deque_.steal(); }
        bool offers_work() const { return deque_.has_work(); }
        void run_stolen(work& child, worker& owner) {
            join_count& parent = *child.parent;
            Coherence::invalidate(place::stolen);  // line 33
            CROFT_BEGINS(stolen_task)
            child.run(child, *this, owner);
            CROFT_ENDS(stolen_task)
            Coherence::flush(place::stolen);  // line 35
            parent.rc.fetch_sub(1, Coherence::both);
            if constexpr (!port::waits_on_lines) owner.wake();
        }

        basic_task<locking_runtime>* running = nullptr;

    private:
        void run_own(work& child) {
            join_count& parent = *child.parent;  // read first: a group's children delete themselves
            CROFT_BEGINS(task)
            child.run(child, *this, *this);
            CROFT_ENDS(task)
            parent.rc.fetch_sub(1, Coherence::both);
        }
        // On a many-core one try, as in the figure; natively as many as it takes, or sleep.
        template <class Done>
        void look_elsewhere(Done done) {
            if constexpr (port::waits_on_lines)
                steal_once();
            else
                this->help_until(done);
        }
        void steal_once() {
            if (this->all().size() == 1) return;
            worker& victim = this->all()[victims_.choose(this->all().size())];
            if (work* const child = steal_from(victim)) {
                ++this->counts.stolen;
                run_stolen(*child, victim);
            } else if constexpr (port::waits_on_lines) {
                pause_.wait(this->all().size());
            }
        }

        locked_deque<work, Coherence> deque_;
        Victims victims_;
        thief_pause pause_;
    };
};

}  // namespace paper
}  // namespace croft
