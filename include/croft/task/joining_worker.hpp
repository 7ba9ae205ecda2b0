#pragma once
// How a worker of either native run-time spawns and waits for the children of one task or group. Its other way, for one
// callable that its parent waits for before anything older, is fork.hpp.

#include <croft/port/marks.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/join_count.hpp>
#include <croft/task/work.hpp>

namespace croft {

template <class Runtime>
class basic_task;

namespace detail {

// Derived has push(work&), which is false if there is no room, and the functions that crew_member asks for.
// pop_above(mark) gives the newest of its own that is above the mark, or null if that was stolen. forget_above(mark) is
// called when all that was there has been joined.
template <class Derived, class Runtime>
class joining_worker : public crew_member<Derived> {
public:
    using work = detail::work<Derived>;
    using join_count = typename Runtime::join_count;
    using crew_member<Derived>::crew_member;

    void spawn(work& child, join_count&) {
        if (!self().push(child)) [[unlikely]]
            run_own(child);
    }
    template <class Mark>
    void wait(join_count& children, Mark mark) {
        while (work* const child = self().pop_above(mark)) run_own(*child);
        // The others were stolen.
        if (!children.none_left()) [[unlikely]] {
            if constexpr (port::waits_on_lines)
                self().help_until([&children] { return children.none_left(); });
            else
                help_until_joined(children);
        }
        self().forget_above(mark);
        children = 0;
    }
    // The last that its runner does with a child; its parent may be gone afterwards.
    static void child_finished(join_count& parent, Derived& here, Derived& owner) {
        if (&here == &owner) return parent.finished_here();
        parent.finished_elsewhere();
        owner.wake();
    }
    void run_stolen(work& what, Derived& owner) {
        CROFT_BEGINS(stolen_task)
        what.run(what, self(), owner);
        CROFT_ENDS(stolen_task)
    }

    // The same for a child of another worker's, or of its own task that does something else now. Called by a task that
    // the parent waits for. False: it is to be run at once.
    bool spawn_elsewhere(work& child, join_count& parent)
        requires requires(Derived& worker) { worker.post(child); }
    {
        parent.spawned_elsewhere();
        if (self().post(child)) return true;
        parent.finished_elsewhere();
        return false;
    }
    static void posted_child_finished(join_count& parent, Derived& waiting) {
        parent.finished_elsewhere();
        waiting.wake();
    }

    basic_task<Runtime>* running = nullptr;  // the task whose execute() this worker is in

private:
    // Not inline, or it would take registers from the usual way. (A simulated machine's programs stay what they were
    // when they were measured.)
    [[gnu::noinline]] void help_until_joined(join_count& children) {
        self().help_until([&children] { return children.none_left(); });
    }
    [[gnu::always_inline]] void run_own(work& child) {
        CROFT_BEGINS(task)
        child.run(child, self(), self());
        CROFT_ENDS(task)
    }
    Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace detail
}  // namespace croft
