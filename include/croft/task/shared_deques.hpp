#pragma once
// A run-time: every worker has a deque in shared memory, and thieves help themselves. It is paper 002's, figure 3a,
// with Chase and Lev's deque in the place of the one with a lock. For machines whose caches are coherent.
//
// Its siblings: direct_stealing.hpp, the default natively; and the paper's three, in paper/task/.
//
// A run-time's worker has the functions that fork.hpp and joining_worker.hpp call. push, take_back and joined are for a
// task that its parent waits for before anything older. mark, pop_above and forget_above are for those of one waiting
// task.

#include <cstddef>
#include <cstdint>

#include <croft/task/chase_lev_deque.hpp>
#include <croft/task/fork.hpp>
#include <croft/task/joining_worker.hpp>
#include <croft/task/posted_tasks.hpp>
#include <croft/task/work.hpp>

namespace croft {

struct shared_deques {
    class worker;
    using work = detail::work<worker>;
    using join_policy = detail::by_hardware;
    using join_count = detail::join_count<worker>;

    // Calls both, in any order and perhaps at the same time.
    template <class First, class Second>
    [[gnu::always_inline]] static void both(worker& here, First& first, Second& second) {
        detail::fork<shared_deques, Second>::both(here, first, second);
    }

    class worker : public detail::joining_worker<worker, shared_deques> {
    public:
        using mark_type = std::int64_t;
        using joining_worker::joining_worker;

        bool push(work& what) {
            if (!deque_.push(&what)) return false;
            all().wake_one(number() + 1);
            return true;
        }
        // The newest is the task that was pushed last and not joined yet, unless it was stolen.
        bool take_back(bool pushed) { return !pushed || deque_.pop() != nullptr; }
        void joined(bool) {}

        mark_type mark() const { return deque_.bottom(); }
        const work* newest() const { return deque_.newest(); }
        work* pop_above(mark_type mark) { return deque_.bottom() > mark ? deque_.pop() : nullptr; }
        void forget_above(mark_type) {}

        // Whether a loop should give away part of the rest: when nobody can steal from this worker (Tzannes et al.,
        // "Lazy binary splitting", PPoPP 2010).
        bool should_split() const { return all().size() > 1 && deque_.empty(); }

        // For another's group; false: no room.
        bool post(work& what) {
            if (!posted_.push(what)) return false;
            all().wake_one(number() + 1);
            return true;
        }
        work* take_posted() { return posted_.take(); }

        work* steal_from(worker& victim) {
            work* const found = victim.deque_.steal();
            return found ? found : victim.posted_.steal();
        }
        bool offers_work() const { return deque_.has_work() || posted_.has_work(); }

    private:
        detail::chase_lev_deque<work> deque_;
        detail::posted_tasks<work> posted_;
    };
};

}  // namespace croft
