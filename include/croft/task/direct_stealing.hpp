#pragma once
// A run-time: every worker has a stack of its own, and asks another for work if it has none. It is paper 002's direct
// task stealing (section IV). Natively a request is a flag, which the victim looks at whenever it spawns or waits. The
// paper's chip interrupts the victim instead (paper/task/direct_stealing.hpp). So, as in the paper, a spawn and a wait
// whose task is not stolen need no fence and no atomic read-modify-write. The default where caches are coherent and
// threads share cores.
//
// The victim does not hand one task over: it publishes the older half of its tasks (task_stack.hpp). So thieves find
// work also while the victim runs something long.

#include <cstddef>

#include <croft/port/port.hpp>
#include <croft/task/fork.hpp>
#include <croft/task/joining_worker.hpp>
#include <croft/task/posted_tasks.hpp>
#include <croft/task/task_stack.hpp>
#include <croft/task/work.hpp>

namespace croft {

struct direct_stealing {
    class worker;
    using work = detail::work<worker>;
    using join_policy = detail::by_hardware;
    using join_count = detail::join_count<worker>;

    // Calls both, in any order and perhaps at the same time.
    template <bool HandlesApart = false, class First, class Second>
    [[gnu::always_inline]] static void both(worker& here, First& first, Second& second) {
        detail::fork<direct_stealing, Second>::template both<HandlesApart>(here, first, second);
    }

    class worker : public detail::joining_worker<worker, direct_stealing> {
    public:
        using mark_type = work**;
        using joining_worker::joining_worker;

        // (Always inline, both: in a large program the compiler has no more to spend where it comes to them.)
        [[gnu::always_inline]] mark_type push(work& what) {
            const mark_type at = stack_.push(what);
            if (stack_.asked()) [[unlikely]]
                serve();
            return at;
        }
        [[gnu::always_inline]] bool take_back(mark_type at) {
            if (!stack_.take_back(at)) [[unlikely]]
                return false;
            // Now, before this worker is busy with the one that it took back.
            if (stack_.asked()) [[unlikely]]
                serve();
            return true;
        }
        void joined(mark_type at) { stack_.remove_stolen(at); }

        mark_type mark() const { return stack_.top(); }
        const work* newest() const { return stack_.newest(); }
        work* pop_above(mark_type mark) {
            if (!stack_.has_more_than(mark)) return nullptr;
            const mark_type at = stack_.top() - 1;
            return take_back(at) ? *at : nullptr;
        }
        void forget_above(mark_type mark) { stack_.remove_stolen(mark); }

        // Whether a loop should give away part of the rest: when somebody asked. Older work is given first.
        bool should_split() {
            if (!stack_.asked()) [[likely]]
                return false;
            serve();
            return stack_.asked() || !stack_.has_work();
        }

        // For another's group; false: no room.
        bool post(work& what) {
            if (!posted_.push(what)) return false;
            all().wake_one(number() + 1);
            return true;
        }
        work* take_posted() { return posted_.take(); }

        work* steal_from(worker& victim) {
            work* const found = victim.stack_.steal();
            return found ? found : victim.posted_.steal();
        }
        bool offers_work() { return posted_.has_work() || stack_.offers_work(); }

        // The thread is this worker from now on. A sleeper has asked all workers of the regions that were open then. If
        // a region was opened or entered since, the thread that did so asks in the sleeper's place (stealing.md).
        void enter() {
            port::light_fence();
            if (somebody_sleeps()) stack_.ask();
        }

        // Its stack asks these of a crew.
        void wake_one() { all().wake_one(number() + 1); }
        bool somebody_sleeps() const { return all().somebody_sleeps(); }

    private:
        [[gnu::noinline]] void serve() { stack_.serve(*this); }

        detail::task_stack<work> stack_;
        detail::posted_tasks<work> posted_;
    };
};

}  // namespace croft
