// The foundations of stealing, in every interleaving and with every old value that a load may find (explorer.hpp). They
// are the Chase-Lev deque, the stack with its requests, workers that fall asleep, and direct stealing by interrupts.
// Direct stealing is as corrected from the paper's figure 3c. Each of their mutants has to be caught, and the figure as
// it is printed is one.

#include <croft/paper/task/interrupt_protocol.hpp>
#include <croft/task/chase_lev_deque.hpp>
#include <croft/task/join_count.hpp>
#include <croft/task/region_list.hpp>
#include <croft/task/sleeper.hpp>
#include <croft/task/task_stack.hpp>

#include "explored_interrupts.hpp"
#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;
using croft::paper::place;

// A task: what its parent has written for it, and how often it was run.
struct task {
    data input;
    int runs = 0;
    std::size_t where() const { return input.where(); }
    void run(std::uint32_t expected) {
        if (input.get() != expected) machine::current()->fail("a task does not see what its parent wrote");
        if (++runs > 1) machine::current()->fail("a task is run twice");
        machine::current()->remember(expected);
    }
};

// ---- the Chase-Lev deque ----

struct fences {
    static void full_fence() { machine::current()->full_fence(); }
};
struct no_fences {
    static void full_fence() {}
};

// The owner pushes and pops; the thieves steal, so many times each.
template <class World, std::size_t Thieves, std::size_t Tasks, std::size_t Again = 0, std::size_t Looks = 1>
struct deque_program {
    croft::detail::chase_lev_deque<task, 2, atomic, World> deque;
    std::array<task, Tasks + Again> tasks;

    std::uint32_t number(const task* one) const { return static_cast<std::uint32_t>(one - tasks.data()); }
    void push(std::size_t i) {
        tasks[i].input.set(static_cast<std::uint32_t>(i));
        if (!deque.push(&tasks[i])) tasks[i].run(static_cast<std::uint32_t>(i));
    }
    void pop() {
        if (task* const one = deque.pop()) one->run(number(one));
    }
    std::vector<std::function<void()>> threads() {
        std::vector<std::function<void()>> all{[this] {
            for (std::size_t i = 0; i < Tasks; ++i) push(i);
            for (std::size_t i = 0; i < Again; ++i) pop(), push(Tasks + i);  // places are used again
            for (std::size_t i = 0; i < Tasks; ++i) pop();
        }};
        for (std::size_t i = 0; i < Thieves; ++i)
            all.push_back([this] {
                for (std::size_t look = 0; look < Looks; ++look)
                    if (task* const one = deque.steal()) one->run(number(one));
            });
        return all;
    }
    std::string check() const {
        for (const task& one : tasks)
            if (one.runs != 1) return "a task is lost";
        return "";
    }
};

// ---- the stack with requests ----

// The owner forks one task after the other and joins them in the opposite order, as fork.hpp does; a thief looks
// several times.
template <std::size_t Thieves, std::size_t Tasks, std::size_t Looks, class Stack>
struct stack_program {
    Stack stack;
    std::array<task, Tasks + 1> tasks;
    std::array<atomic<std::uint32_t>, Tasks + 1> done{};

    void serve() {
        if (!stack.asked()) return;
        stack.take_request();
        stack.publish();
    }
    auto fork(std::size_t i) {
        tasks[i].input.set(static_cast<std::uint32_t>(i));
        const auto at = stack.push(tasks[i]);
        serve();
        return at;
    }
    template <class Place>
    void join(std::size_t i, Place at) {
        if (stack.take_back(at)) return tasks[i].run(static_cast<std::uint32_t>(i));
        while (done[i].load(std::memory_order_acquire) == 0) machine::current()->sleep_while(done[i].where(), 0);
        stack.remove_stolen(at);
        if (tasks[i].runs == 0) machine::current()->fail("a task is joined that was not run");
    }
    std::vector<std::function<void()>> threads() {
        std::vector<std::function<void()>> all{[this] {
            std::array<decltype(stack.top()), Tasks> at;
            for (std::size_t i = 0; i < Tasks; ++i) at[i] = fork(i);
            for (std::size_t i = Tasks; i-- > 0;) join(i, at[i]);
            // Its place is that of a task which may have been stolen.
            join(Tasks, fork(Tasks));
        }};
        for (std::size_t i = 0; i < Thieves; ++i)
            all.push_back([this] {
                for (std::size_t look = 0; look < Looks; ++look)
                    if (task* const one = stack.steal()) {
                        const auto number = static_cast<std::uint32_t>(one - tasks.data());
                        one->run(number);
                        done[number].store(1, std::memory_order_release);
                        machine::current()->wake_one(done[number].where());
                    }
            });
        return all;
    }
    std::string check() const {
        for (const task& one : tasks)
            if (one.runs != 1) return "a task is lost";
        return "";
    }
};
using stack = croft::detail::task_stack<task, 8, atomic>;
// Publishes, but keeps for itself what is public.
struct takes_public_back_unasked : stack {
    template <class Place>
    bool take_back(Place) {
        return true;
    }
};

// ---- falling asleep ----

using sleeper = croft::detail::sleeper<atomic, asymmetric>;
using sleeper_count = croft::detail::sleeper_count<atomic>;

// The thief's last look at the owner's tasks, behind its heavy fence; `ahead` comes before it says that it sleeps.
struct asks_in_its_last_look {
    static void ahead(stack&) {}
    static bool look(stack& tasks) { return tasks.offers_work(); }
};
// What was here before: the request may be taken down and its answer taken back before the thief counts itself.
struct asks_ahead {
    static void ahead(stack& tasks) { tasks.ask(); }
    static bool look(stack& tasks) { return tasks.has_work(); }
};
struct does_not_look {
    static void ahead(stack& tasks) { tasks.ask(); }
    static bool look(stack&) { return false; }
};

// The owner spawns and takes back what was not stolen, so many times; its last task stays on offer until somebody has
// asked for it. The thief takes one of all these, and sleeps while it finds none.
template <std::size_t Rounds, class Asks = asks_in_its_last_look, bool Wakes = true>
struct sleeping_thief {
    static constexpr std::size_t thief = 1, request = 0;  // its number; the first atomic of a stack

    stack tasks;
    std::array<task, Rounds + 1> all;
    std::size_t pushed = 0;
    sleeper bed;
    sleeper_count count;

    // The calls that the stack makes to a crew.
    void wake_one() {
        asymmetric::light_fence();
        if (Wakes && count.asleep.load(std::memory_order_relaxed) != 0) bed.wake(count);
    }
    bool somebody_sleeps() const { return Wakes && count.asleep.load(std::memory_order_relaxed) != 0; }

    // With an empty stack neither knows anything but how far it has come.
    static void forget(std::uint64_t place) {
        machine::current()->handled(place);
        machine::current()->knows(std::array{0});
    }
    auto push(std::size_t i) {
        all[i].input.set(static_cast<std::uint32_t>(i));
        ++pushed;
        return tasks.push(all[i]);
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::size_t i = 0; i < Rounds; ++i) {
                        const auto at = push(i);
                        if (tasks.asked()) tasks.serve(*this);
                        if (!tasks.take_back(at)) return;
                        all[i].run(static_cast<std::uint32_t>(i));
                        forget(i);
                    }
                    push(Rounds);
                    machine& explored = *machine::current();
                    forget(Rounds);
                    do {
                        explored.waits_again();
                        if (explored.sleeps(thief) && explored.newest(request) == 0)
                            explored.fail("a thief sleeps, and nobody asks for it");
                    } while (!tasks.asked());
                    tasks.serve(*this);
                },
                [this] {
                    for (;;) {
                        forget(0);
                        if (task* const found = tasks.steal())
                            return found->run(static_cast<std::uint32_t>(found - all.data()));
                        Asks::ahead(tasks);
                        bed.sleep(count, [this] { return Asks::look(tasks); });
                    }
                }};
    }
    std::string check() const {
        for (std::size_t i = 0; i < pushed; ++i)
            if (all[i].runs != 1) return "a task is lost";
        return "";
    }
};

// A caller opens a region while the scheduler's thread falls asleep. That one looks at regions that are open, and who
// opens one asks in the place of all who sleep. For the rest as above. (Two callers are too many states; regions share
// nothing but the count of sleepers.)
template <std::size_t Rounds, bool AsksWhenItOpens = true>
struct falls_asleep_beside_a_caller {
    static constexpr std::size_t thief = 1, request = 0;  // its number; the first atomic of a stack

    stack tasks;
    atomic<std::uint32_t> taken{0};  // the region is open
    std::array<task, Rounds + 1> all;
    sleeper bed;
    sleeper_count count;

    // The calls that the stacks make to a crew.
    void wake_one() {
        asymmetric::light_fence();
        if (somebody_sleeps()) bed.wake(count);
    }
    bool somebody_sleeps() const { return count.asleep.load(std::memory_order_relaxed) != 0; }

    static void forget(std::uint64_t place) {
        machine::current()->handled(place);
        machine::current()->knows(std::array{0});
    }
    void call() {
        machine& explored = *machine::current();
        taken.exchange(1, std::memory_order_acquire);
        asymmetric::light_fence();
        if (AsksWhenItOpens && somebody_sleeps()) tasks.ask();
        for (std::size_t i = 0; i < Rounds; ++i) {
            all[i].input.set(static_cast<std::uint32_t>(i));
            const auto at = tasks.push(all[i]);
            if (tasks.asked()) tasks.serve(*this);
            if (!tasks.take_back(at)) return;
            all[i].run(static_cast<std::uint32_t>(i));
            forget(1 + i);
        }
        all[Rounds].input.set(Rounds);
        tasks.push(all[Rounds]);
        forget(1 + Rounds);
        do {
            explored.waits_again();
            if (explored.sleeps(thief) && explored.newest(request) == 0)
                explored.fail("a thief sleeps, and nobody asks for it");
        } while (!tasks.asked());
        tasks.serve(*this);
    }
    bool is_open() const { return taken.load(std::memory_order_relaxed) != 0; }
    std::vector<std::function<void()>> threads() {
        return {[this] { call(); },
                [this] {
                    for (;;) {
                        forget(0);
                        if (is_open())
                            if (task* const found = tasks.steal())
                                return found->run(static_cast<std::uint32_t>(found - all.data()));
                        bed.sleep(count, [this] { return is_open() && tasks.offers_work(); });
                    }
                }};
    }
    std::string check() const { return ""; }
};

// Callers that come at the same time, and again, while somebody goes along the list. (What lies in a region is plain
// data: two that have one at the same time, or see it before it was made, race.)
template <std::size_t Callers, std::size_t Calls>
struct callers_take_regions {
    struct region : croft::detail::listed_region<region, atomic> {
        data made, content;
    };
    region first;
    std::array<region, Callers * Calls> spare;  // places for those that are made
    croft::detail::region_list<region> list{first};

    callers_take_regions() { first.made.set(1); }
    void call(std::size_t caller) {
        for (std::size_t i = 0; i < Calls; ++i) {
            region& mine = list.take([&] {
                region& more = spare[caller * Calls + i];
                more.made.set(1);
                return &more;
            });
            const auto own = static_cast<std::uint32_t>(10 * caller + i);
            mine.content.set(own);
            if (mine.made.get() != 1 || mine.content.get() != own)
                machine::current()->fail("two callers have one region");
            list.give_back(mine);
        }
    }
    std::vector<std::function<void()>> threads() {
        std::vector<std::function<void()>> all;
        if (Callers < 3)  // a fourth thread would take too long
            all.push_back([this] {
                for (region* each = &first; each; each = list.after(*each))
                    if (each->made.get() != 1) machine::current()->fail("a region is found that was not made");
            });
        for (std::size_t i = 0; i < Callers; ++i) all.push_back([this, i] { call(i); });
        return all;
    }
    std::string check() const {
        for (region* each = const_cast<region*>(&first); each; each = list.after(*each))
            if (each->is_open()) return "a region stays taken";
        return "";
    }
};

// Where deques are shared nobody asks: who pushes looks whether anybody sleeps.
template <bool Looks = true>
struct sleeping_beside_a_deque {
    croft::detail::chase_lev_deque<task, 2, atomic, fences> deque;
    task one;
    sleeper bed;
    sleeper_count count;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    one.input.set(7);
                    deque.push(&one);
                    asymmetric::light_fence();
                    if (count.asleep.load(std::memory_order_relaxed) != 0) bed.wake(count);
                },
                [this] {
                    for (;;) {
                        if (task* const found = deque.steal()) return found->run(7);
                        bed.sleep(count, [this] { return Looks && deque.has_work(); });
                    }
                }};
    }
    std::string check() const { return one.runs == 1 ? "" : "not run"; }
};

// ---- counting children that were spawned elsewhere ----

// A parent waits for a child that was stolen; that one posts another, which a third thread runs.
template <bool CountsFirst = true>
struct posting_child {
    croft::detail::join_count<void, croft::detail::by_hardware, atomic> count;
    data of_child, of_posted;
    atomic<std::uint32_t> posted{0};

    posting_child() { count = 1; }
    std::vector<std::function<void()>> threads() {
        const auto again = [] {
            machine::current()->knows(std::array{0});
            machine::current()->waits_again();
        };
        return {[this, again] {
                    do again();
                    while (!count.none_left());
                    if (of_child.get() != 1 || of_posted.get() != 2)
                        machine::current()->fail("a parent does not wait for all, or does not see what they made");
                },
                [this] {
                    of_child.set(1);
                    if (CountsFirst) count.spawned_elsewhere();
                    posted.store(1, std::memory_order_release);
                    count.finished_elsewhere();
                    if (!CountsFirst) count.spawned_elsewhere();
                },
                [this, again] {
                    do again();
                    while (posted.load(std::memory_order_acquire) == 0);
                    of_posted.set(2);
                    count.finished_elsewhere();
                }};
    }
    std::string check() const { return ""; }
};

// ---- direct stealing by interrupts: two children of one parent, which runs in the victim ----

struct everywhere : interrupts {
    static void flush(place) { interrupts::flush(); }
    static void invalidate(place) { interrupts::invalidate(); }
};
// Leaves out one step each.
template <place Left>
struct without_flush : everywhere {
    static void flush(place at) {
        if (at != Left) everywhere::flush(at);
    }
};
template <place Left>
struct without_invalidate : everywhere {
    static void invalidate(place at) {
        if (at != Left) everywhere::invalidate(at);
    }
};
struct handler_forgets : everywhere {
    static void stay_disabled() {}
};
struct counts_interrupted : croft::paper::corrected {
    static constexpr bool counts_uninterrupted = false;
};
struct always_listens : croft::paper::corrected {
    static constexpr bool listens_while_empty = true;
};
struct reads_mailbox_first : croft::paper::corrected {
    static constexpr bool invalidates_before_mailbox = false;
};

template <class Form, class World, std::uint32_t Children, std::uint32_t Attempts>
struct interrupt_program {
    struct worker;
    struct child {
        croft::paper::interruptible_count<World>* parent = nullptr;
        data input, output;
        std::uint32_t number = 0;
        int runs = 0;
        std::size_t where() const { return input.where(); }
    };
    struct worker : croft::paper::interrupt_protocol<worker, child, World, Form, 4> {
        interrupt_program* all = nullptr;
        void run(child& one, worker&) {
            if (++one.runs > 1) return machine::current()->fail("a task is run twice");
            if (one.input.get() != 10 + one.number) machine::current()->fail("a child sees an old input");
            one.output.set(20 + one.number);
            machine::current()->remember(one.number);
        }
        // The victim has nobody to steal from: it only looks again.
        void steal_once() { all->idle(*this); }
    };

    interrupts chip;
    worker workers[2];
    child children[Children];
    croft::paper::interruptible_count<World> count;
    bool thief_ended = false;

    interrupt_program() {
        interrupts::current = &chip;
        chip.enabled = Form::listens_while_empty;
        chip.handler = [this] {
            const bool given = workers[0].hand_over(workers[1]);
            if (!given && !Form::listens_while_empty) machine::current()->fail("a handler finds nothing to give");
            return given;
        };
        for (worker& each : workers) each.all = this;
        for (std::uint32_t i = 0; i < Children; ++i) children[i].number = i;
    }
    void idle(worker&) {
        // The queue is empty. With a thief that is through, too, what has not been run or counted never will be.
        std::uint32_t ran = 0;
        for (const child& one : children) ran += static_cast<std::uint32_t>(one.runs);
        if (thief_ended && ran < Children)
            return machine::current()->fail("a child is not run, and its parent waits for ever");
        if (thief_ended && machine::current()->newest(count.rc.where()) != 0)
            return machine::current()->fail("a child is not counted, and its parent waits for ever");
        machine::current()->handled(ran);
        machine::current()->knows(std::array<std::uint32_t, 3>{chip.taken, thief_ended, chip.enabled});
        machine::current()->waits_again();
        interrupts::point();
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    count = static_cast<std::int32_t>(Children);
                    for (child& one : children) {
                        one.input.set(10 + one.number);
                        workers[0].spawn(one, count);
                    }
                    workers[0].wait(count);
                    for (child& one : children)
                        if (one.runs != 1 || one.output.get() != 20 + one.number)
                            machine::current()->fail("a parent does not have what its child made");
                    // Whoever asks from now on is refused.
                    chip.enabled = false;
                    machine::current()->handled(99);
                    machine::current()->knows(std::array<std::uint32_t, 1>{chip.taken});
                    while (chip.taken < Attempts) {
                        machine::current()->waits_again();
                        interrupts::point();
                    }
                },
                [this] {
                    for (std::uint32_t i = 1; i <= Attempts; ++i) {
                        chip.request.store(i, std::memory_order_relaxed);
                        std::uint32_t ran = 0;
                        for (const child& one : children) ran = 2 * ran + static_cast<std::uint32_t>(one.runs);
                        machine::current()->handled(i);
                        machine::current()->knows(std::array{ran});
                        std::uint32_t answer;
                        do {
                            machine::current()->waits_again();
                            answer = chip.answer.load(std::memory_order_relaxed);
                        } while (answer / 2 < i);
                        if (answer == 2 * i + 1) workers[1].take_from_mailbox(workers[0]);
                    }
                    thief_ended = true;
                }};
    }
    std::string check() const {
        for (const child& one : children)
            if (one.runs != 1) return "a task is lost";
        return machine::current()->newest(count.rc.where()) == 0 ? "" : "the count is wrong";
    }
};

}  // namespace

TEST_CASE("explorer: a Chase-Lev deque gives each task to exactly one") {
    hold<deque_program<fences, 1, 1>>();
    hold<deque_program<fences, 1, 2>>();
    hold<deque_program<fences, 2, 1>>();
    hold<deque_program<fences, 2, 2>>();
    hold<deque_program<fences, 1, 2, 2>>();
    hold<deque_program<fences, 1, 2, 0, 2>>();
}

TEST_CASE("explorer: a Chase-Lev deque without its fences, or without its release, is noticed") {
    CHECK(explore<deque_program<no_fences, 1, 2, 0, 2>>().violation != "");
    using program = deque_program<fences, 1, 2, 2>;
    const std::size_t bottom = explore<program>().atomics.at(1);
    for (const auto what : {weak_memory::weakened::loads, weak_memory::weakened::stores}) {
        machine one;
        one.weaken(bottom, what);
        CHECK(one.explore<program>().violation != "");
    }
}

TEST_CASE(
    "explorer: a stack's tasks are run once, by their owner or by a thief, whatever was asked and published when") {
    hold<stack_program<1, 1, 2, stack>>();
    hold<stack_program<1, 2, 3, stack>>();
    hold<stack_program<1, 3, 3, stack>>();
    hold<stack_program<2, 2, 1, stack>>();
}

TEST_CASE("explorer: a stack that takes back what was stolen, or publishes without release, is noticed") {
    CHECK(explore<stack_program<1, 1, 2, takes_public_back_unasked>>().violation != "");
    using program = stack_program<1, 2, 3, stack>;
    const std::size_t ends = explore<program>().atomics.at(1);
    for (const auto what : {weak_memory::weakened::loads, weak_memory::weakened::stores}) {
        machine one;
        one.weaken(ends, what);
        CHECK(one.explore<program>().violation != "");
    }
}

TEST_CASE("explorer: a sleeping worker is woken for work that came while it fell asleep") {
    hold<sleeping_thief<0>>();
    hold<sleeping_beside_a_deque<>>();
    CHECK(explore<sleeping_thief<0, asks_in_its_last_look, false>>().violation == "a thread sleeps for ever");
    CHECK(explore<sleeping_thief<0, does_not_look>>().violation == "a thread sleeps for ever");
    CHECK(explore<sleeping_beside_a_deque<false>>().violation == "a thread sleeps for ever");
}

TEST_CASE("explorer: a sleeping worker is not forgotten by an owner who takes its tasks back" *
          doctest::test_suite("slow")) {
    hold<sleeping_thief<1>>();
    CHECK(explore<sleeping_thief<1, asks_ahead>>().violation == "a thief sleeps, and nobody asks for it");
}

TEST_CASE("explorer: a worker that falls asleep while a caller opens a region is asked for there" *
          doctest::test_suite("slow")) {
    hold<falls_asleep_beside_a_caller<0>>();
    hold<falls_asleep_beside_a_caller<1>>();
    CHECK(explore<falls_asleep_beside_a_caller<0, false>>().violation == "a thief sleeps, and nobody asks for it");
}

TEST_CASE("explorer: callers that come at the same time have a region each, and one after the other the same") {
    hold<callers_take_regions<2, 1>>();
    hold<callers_take_regions<2, 2>>();
    hold<callers_take_regions<3, 1>>();
}

TEST_CASE("explorer: regions that are taken, given back or listed without order are noticed") {
    using program = callers_take_regions<2, 2>;
    const std::vector<std::size_t> atomics = explore<program>().atomics;  // taken and next of the first, ...
    for (const std::size_t word : {atomics.at(0), atomics.at(1)})
        for (const auto what : {weak_memory::weakened::loads, weak_memory::weakened::stores}) {
            machine one;
            one.weaken(word, what);
            CHECK(one.explore<program>().violation != "");
        }
}

TEST_CASE("explorer: a parent waits for children that were spawned elsewhere, and sees what they made") {
    hold<posting_child<>>();
    CHECK(explore<posting_child<false>>().violation != "");
    const std::size_t count = explore<posting_child<>>().atomics.at(0);
    for (const auto what : {weak_memory::weakened::loads, weak_memory::weakened::stores}) {
        machine one;
        one.weaken(count, what);
        CHECK(one.explore<posting_child<>>().violation != "");
    }
}

TEST_CASE("explorer: direct stealing by interrupts as corrected runs and counts every child once") {
    using croft::paper::corrected;
    hold<interrupt_program<corrected, everywhere, 1, 1>>();
    hold<interrupt_program<corrected, everywhere, 2, 1>>();
    hold<interrupt_program<corrected, everywhere, 2, 2>>();
    hold<interrupt_program<always_listens, everywhere, 2, 2>>();
    CHECK(explore<interrupt_program<corrected, handler_forgets, 2, 2>>().violation ==
          "a handler finds nothing to give");
}

TEST_CASE("explorer: figure 3c as it is printed loses a count and a task") {
    using croft::paper::corrected;
    CHECK(explore<interrupt_program<croft::paper::as_printed, everywhere, 2, 2>>().violation != "");
    CHECK(explore<interrupt_program<counts_interrupted, everywhere, 2, 2>>().violation ==
          "a child is not counted, and its parent waits for ever");
    CHECK(explore<interrupt_program<reads_mailbox_first, everywhere, 2, 2>>().violation ==
          "a child is not run, and its parent waits for ever");
}

TEST_CASE("explorer: direct stealing without one of its flushes or invalidates is noticed") {
    using croft::paper::corrected;
    CHECK(explore<interrupt_program<corrected, without_flush<place::handler>, 2, 1>>().violation != "");
    CHECK(explore<interrupt_program<corrected, without_flush<place::stolen>, 2, 1>>().violation != "");
    CHECK(explore<interrupt_program<corrected, without_invalidate<place::stolen>, 2, 1>>().violation != "");
    CHECK(explore<interrupt_program<corrected, without_invalidate<place::joined>, 2, 1>>().violation != "");
}

#endif
