// Stealing by interrupts whose handler takes from the victim's stack and cuts its loops (interrupted_stack.hpp). An
// interrupt may come at every access of the victim's. Each of the mutants has to be caught.

#include <croft/task/interrupted_stack.hpp>

#include "explored_interrupts.hpp"
#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

struct victim_only {
    template <class T>
    using atomic = interrupts::own_word<T>;
    static void keep_order() {}
};

// A task or a chunk, with what it reads and makes.
struct job {
    data input, output;
    std::uint32_t number = 0;
    int runs = 0;

    void prepare() { input.set(10 + number); }
    void run() {
        if (++runs > 1) return machine::current()->fail("a task is run twice");
        if (input.get() != 10 + number) machine::current()->fail("a task sees an old input");
        output.set(20 + number);
        machine::current()->remember(number);
    }
    void check_output() const {
        if (runs != 1 || output.get() != 20 + number)
            machine::current()->fail("a parent does not have what its child made");
    }
};

struct task {
    interrupts::atomic<std::uint32_t> ended{0};
    job what;
};
struct loop {
    interrupts::atomic<std::uint32_t> back{0};
};
using stack = croft::detail::interrupted_stack<task, loop, victim_only, 4>;

// The steps of interrupt_stealing's hand_over, steal_once and join_policy; each mutant leaves out one.
struct all_steps {
    static constexpr bool handler_flushes = true, flushes_again = true, thief_flushes = true, thief_invalidates = true,
                          parent_invalidates = true, looks_last = true;
};
struct handler_does_not_flush : all_steps {
    static constexpr bool handler_flushes = false;
};
struct handler_flushes_once : all_steps {
    static constexpr bool flushes_again = false;
};
struct thief_does_not_flush : all_steps {
    static constexpr bool thief_flushes = false;
};
struct thief_does_not_invalidate : all_steps {
    static constexpr bool thief_invalidates = false;
};
struct parent_does_not_invalidate : all_steps {
    static constexpr bool parent_invalidates = false;
};
struct looks_first : all_steps {
    static constexpr bool looks_last = false;
};

// Looks whether the task was given away before it takes it, not afterwards.
struct hasty_stack : stack {
    bool take_back(place at) {
        if (bottom_.load(std::memory_order_relaxed) > at) return false;
        top_.store(at, std::memory_order_relaxed);
        return true;
    }
};
struct hasty_interval : stack::interval {
    using stack::interval::interval;
    bool take(chunk_number& chunk) {
        chunk = next.load(std::memory_order_relaxed);
        if (chunk >= last.load(std::memory_order_relaxed)) return false;
        next.store(chunk + 1, std::memory_order_relaxed);
        return true;
    }
};

template <class Steps>
struct chip {
    using stack_type = std::conditional_t<Steps::looks_last, stack, hasty_stack>;
    using interval_type = std::conditional_t<Steps::looks_last, stack::interval, hasty_interval>;

    interrupts hardware;
    stack_type tasks;
    interrupts::atomic<std::uint32_t> mailbox{0};
    stack::loot answer;  // the answer's word, which goes with it
    bool flushed = false, thief_ended = false;

    chip() {
        interrupts::current = &hardware;
        hardware.handler = [this] { return hand_over(); };
    }
    bool hand_over() {
        const stack::loot found = tasks.give();
        if (!found.work && !found.part.loop) return false;
        if (found.part.loop) mailbox.exchange(found.part.first << 8 | found.part.last, std::memory_order_relaxed);
        const bool shown = found.shown || (flushed && !Steps::flushes_again);
        if (!shown && Steps::handler_flushes) interrupts::flush();
        flushed = true;
        answer = found;
        return true;
    }
    template <class Word, class Test>
    void wait(Word& word, Test enough) {
        machine::current()->handled(word.where());
        for (;;) {
            // It knows what the thief has done and may still do; the request that is answered has no more to say.
            machine::current()->knows(std::array<std::uint32_t, 2>{hardware.taken, thief_ended});
            machine::current()->waits_again();
            if (enough(word.fetch_or(0, std::memory_order_relaxed))) break;
            if (thief_ended && !enough(static_cast<std::uint32_t>(machine::current()->newest(word.where()))))
                return machine::current()->fail("a parent waits for ever");
        }
        if (Steps::parent_invalidates) interrupts::invalidate();
    }
    void refuse_until(std::uint32_t attempts) {
        hardware.enabled = false;
        machine::current()->handled(99);
        machine::current()->knows(std::array<std::uint32_t, 1>{hardware.taken});
        while (hardware.taken < attempts) {
            machine::current()->waits_again();
            interrupts::point();
        }
    }
    // By the thief: true if it has something.
    bool ask(std::uint32_t attempt, std::uint32_t knows) {
        hardware.request.store(attempt, std::memory_order_relaxed);
        machine::current()->handled(attempt);
        machine::current()->knows(std::array{knows});
        std::uint32_t word;
        do {
            machine::current()->waits_again();
            word = hardware.answer.load(std::memory_order_relaxed);
        } while (word / 2 < attempt);
        if (word % 2 == 0) return false;
        if (Steps::thief_invalidates) interrupts::invalidate();
        return true;
    }
};

// Tasks forked one after the other and joined in the opposite order; then one more, in a place that was given away.
template <class Steps, std::uint32_t Tasks, std::uint32_t Attempts>
struct forks : chip<Steps> {
    task tasks_[Tasks + 1];

    forks() {
        for (std::uint32_t i = 0; i <= Tasks; ++i) tasks_[i].what.number = i;
    }
    auto fork(task& one) {
        one.what.prepare();
        return this->tasks.push(one);
    }
    void join(task& one, stack::place at) {
        if (this->tasks.take_back(at)) {
            one.what.run();
        } else {
            this->wait(one.ended, [](std::uint32_t ended) { return ended != 0; });
            this->tasks.remove(at);
        }
        one.what.check_output();
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    stack::place at[Tasks];
                    for (std::uint32_t i = 0; i < Tasks; ++i) at[i] = fork(tasks_[i]);
                    for (std::uint32_t i = Tasks; i-- > 0;) join(tasks_[i], at[i]);
                    join(tasks_[Tasks], fork(tasks_[Tasks]));
                    this->refuse_until(Attempts);
                },
                [this] {
                    std::uint32_t ran = 0;
                    for (std::uint32_t i = 1; i <= Attempts; ++i) {
                        if (!this->ask(i, ran)) continue;
                        task& stolen = *this->answer.work;
                        stolen.what.run();
                        ran |= 1u << stolen.what.number;
                        if (Steps::thief_flushes) interrupts::flush();
                        stolen.ended.exchange(1, std::memory_order_relaxed);
                    }
                    this->thief_ended = true;
                }};
    }
    std::string check() const {
        for (const task& one : tasks_)
            if (one.what.runs != 1) return "a task is lost";
        return "";
    }
};

// A loop of so many chunks, the first of which forks a task, if it is not given away itself.
template <class Steps, std::uint32_t Chunks, std::uint32_t Attempts>
struct cut_loop : chip<Steps> {
    static constexpr std::uint32_t whole = 5;
    loop all;
    job chunks[Chunks];
    task inner;
    int chunks_here = 0;

    cut_loop() {
        for (std::uint32_t i = 0; i < Chunks; ++i) chunks[i].number = i;
        inner.what.number = Chunks;
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (job& one : chunks) one.prepare();
                    typename chip<Steps>::interval_type mine(all, 0, Chunks, whole);
                    const stack::place at = this->tasks.push(mine, false);
                    for (std::uint32_t chunk; mine.take(chunk);) {
                        chunks[chunk].run();
                        if (chunks_here++ > 0) continue;
                        inner.what.prepare();
                        const stack::place above = this->tasks.push(inner);
                        if (this->tasks.take_back(above)) {
                            inner.what.run();
                        } else {
                            this->wait(inner.ended, [](std::uint32_t ended) { return ended != 0; });
                            this->tasks.remove(above);
                        }
                    }
                    this->tasks.remove(at);
                    const std::uint32_t left = mine.share.load(std::memory_order_relaxed);
                    if (left != whole) {
                        const std::uint32_t given = (1u << whole) - (1u << left);
                        this->wait(all.back, [given](std::uint32_t back) { return back == given; });
                    }
                    for (job& one : chunks) one.check_output();
                    if (chunks_here > 0) inner.what.check_output();
                    this->refuse_until(Attempts);
                },
                [this] {
                    std::uint32_t ran = 0;
                    for (std::uint32_t i = 1; i <= Attempts; ++i) {
                        if (!this->ask(i, ran)) continue;
                        const stack::loot stolen = this->answer;
                        if (stolen.work) {
                            stolen.work->what.run();
                            ran |= 1u << Chunks;
                            if (Steps::thief_flushes) interrupts::flush();
                            stolen.work->ended.exchange(1, std::memory_order_relaxed);
                            continue;
                        }
                        const std::uint32_t piece = this->mailbox.fetch_or(0, std::memory_order_relaxed);
                        for (std::uint32_t chunk = piece >> 8; chunk < (piece & 255); ++chunk) {
                            if (chunk >= Chunks) return machine::current()->fail("a thief has what it was not given");
                            chunks[chunk].run();
                            ran |= 1u << chunk;
                        }
                        if (Steps::thief_flushes) interrupts::flush();
                        stolen.part.loop->back.fetch_add(1u << stolen.part.share, std::memory_order_relaxed);
                    }
                    this->thief_ended = true;
                }};
    }
    std::string check() const {
        for (const job& one : chunks)
            if (one.runs != 1) return "a chunk is lost";
        return inner.what.runs == (chunks_here > 0) ? "" : "a task is lost";
    }
};

}  // namespace

TEST_CASE("explorer: a stack that interrupts take from gives each task to exactly one, with its data") {
    hold<forks<all_steps, 1, 1>>();
    hold<forks<all_steps, 2, 1>>();
    hold<forks<all_steps, 2, 2>>();
    hold<forks<all_steps, 3, 2>>();
}

TEST_CASE("explorer: a loop that interrupts cut has each chunk done once, and ends after all") {
    hold<cut_loop<all_steps, 1, 1>>();
    hold<cut_loop<all_steps, 2, 2>>();
    hold<cut_loop<all_steps, 3, 2>>();
}

TEST_CASE("explorer: who looks whether a task or a chunk was given away before taking it is noticed") {
    CHECK(explore<forks<looks_first, 1, 1>>().violation != "");
    CHECK(explore<cut_loop<looks_first, 2, 1>>().violation != "");
}

TEST_CASE("explorer: stealing by interrupts without one of its flushes or invalidates is noticed") {
    CHECK(explore<forks<handler_does_not_flush, 2, 1>>().violation != "");
    CHECK(explore<forks<handler_flushes_once, 2, 2>>().violation != "");
    CHECK(explore<forks<thief_does_not_flush, 2, 1>>().violation != "");
    CHECK(explore<forks<thief_does_not_invalidate, 2, 1>>().violation != "");
    CHECK(explore<forks<parent_does_not_invalidate, 2, 1>>().violation != "");
    CHECK(explore<cut_loop<handler_does_not_flush, 2, 1>>().violation != "");
    CHECK(explore<cut_loop<handler_flushes_once, 3, 2>>().violation != "");
    CHECK(explore<cut_loop<thief_does_not_flush, 2, 1>>().violation != "");
    CHECK(explore<cut_loop<parent_does_not_invalidate, 2, 1>>().violation != "");
}

#endif
