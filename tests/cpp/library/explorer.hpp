#pragma once
// Runs small concurrent programs in every way that a memory model allows. The programs are the library's own code, with
// explored.hpp's atomics, fences and plain data in the place of the real ones.
//
// The memory model is weak_memory.hpp's: release/acquire with relaxed accesses, sequentially consistent fences, and
// races of plain data found. A load may find old values, so a missing acquire is noticed as well as a missing release
// or fence. All that x86-64, AArch64 and RISC-V do is in it, load buffering excepted. A membarrier makes all other
// threads execute a full fence, one after the other, at any time until it returns. Sleeping on a futex compares and
// falls asleep in one step, and orders like a full fence, as waking does.
//
// How. Threads are fibers that stop before every access to an atomic. A state is the memory, and what each thread has
// read so far. The latter also says where a thread is, because its code is deterministic. The search goes depth-first
// over all choices: of a thread, and of what it reads or where its store comes. It runs again from the beginning, and
// not beyond a state that was seen before. So it visits every reachable state, and takes every step out of it. A
// program may say where its threads have forgotten what they read (knows). Then states that are equal look equal.
//
// A program may be too large to be explored whole. Then it is explored up to a number of preemptions: switches away
// from a thread that could go on. (Most faults need two or fewer: Musuvathi and Qadeer, PLDI 2007.)
//
// To explore a program, write a class whose constructor makes the shared objects. threads() returns the bodies.
// check(), called when all have ended, says what is wrong. Then call explorer::machine().explore<Program>().
//     build/release/tests/cpp/test_library -tc='explorer*' -s      runs them all and tells the numbers of states

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fiber.hpp"
#include "weak_memory.hpp"

namespace explorer {

struct outcome {
    std::string violation;  // empty: none
    std::size_t states = 0;
    std::size_t endings = 0;           // different complete runs, up to states that they share
    std::vector<std::size_t> atomics;  // the places of the atomics, in the run with most of them
};

class machine {
public:
    static machine*& current() {
        static machine* one = nullptr;
        return one;
    }

    // ---- what atomics and fences call; outside a thread of the program everything takes effect at once ----

    std::size_t new_location(std::uint64_t value) { return memory_.make(running_, value); }
    std::uint64_t load(std::size_t where, bool acquire) {
        step(access::load, where);
        const std::uint64_t value = memory_.load(running_, where, picked_, acquire);
        remember(value);
        return value;
    }
    void store(std::size_t where, std::uint64_t value, bool release) {
        step(access::store, where);
        memory_.store(running_, where, picked_, value, release);
        remember(0);
    }
    std::uint64_t exchange(std::size_t where, std::uint64_t value, bool release) {
        step(access::store, where);
        const std::uint64_t before = memory_.exchange(running_, where, picked_, value, release);
        remember(before);
        return before;
    }
    template <class Change>
    std::uint64_t update(std::size_t where, Change change, bool acquire, bool release) {
        step(access::store, where);
        const std::uint64_t before = memory_.update(running_, where, picked_, change, acquire, release);
        remember(before);
        return before;
    }
    // Instructions of a software-coherent cache (weak_memory.hpp).
    void flush() {
        step(access::other);
        memory_.flush(running_);
        remember(0);
    }
    void invalidate() {
        step(access::other);
        memory_.invalidate(running_);
        remember(0);
    }
    void full_fence() {
        if (running_ == weak_memory::setting_up) return;
        step(access::other);
        memory_.full_fence(running_);
        remember(0);
    }
    void membarrier() {
        full_fence();
        for (std::size_t other = 0; other < threads_.size(); ++other) {
            if (other == running_) continue;
            step(access::other);  // each other core when its turn comes
            memory_.full_fence(other);
            remember(0);
        }
        full_fence();
    }
    // One that may give up does so at any time, or not; then it is false, and nothing is ordered.
    bool sleep_while(std::size_t where, std::uint64_t value, bool may_give_up = false) {
        step(access::other);
        memory_.full_fence(running_);
        // The newest: reading an older one, of before a ringer's exchange, is the same as having come before that.
        if (memory_.load(running_, where, memory_.readable(running_, where) - 1, false) == value) {
            self().asleep_on = where;
            self().may_give_up = may_give_up;
            remember(1 + may_give_up);
            step(access::other);  // goes on only when woken, or when it gives up
            if (std::exchange(self().asleep_on, awake) != awake) return remember(1), false;
            memory_.full_fence(running_);
        }
        remember(0);
        return true;
    }
    void wake_one(std::size_t where) {
        full_fence();
        for (thread& one : threads_)
            if (one.asleep_on == where) {
                one.asleep_on = awake;
                return remember(1);
            }
    }

    // ---- plain data ----

    // Named by its first clock, that of the writes; those of each thread's reads come after.
    static constexpr std::size_t most_threads = 4;
    std::size_t new_plain() {
        const std::size_t writes = memory_.make_clock(running_);
        for (std::size_t i = 0; i < most_threads; ++i) memory_.make_clock(running_);
        return writes;
    }
    void read(std::size_t data) {
        if (running_ == weak_memory::setting_up) return;
        if (!memory_.is_current(running_, data)) fail("a race: read while it may be written");
        memory_.tick(running_, data + 1 + running_);
    }
    void write(std::size_t data) {
        if (!memory_.is_current(running_, data)) fail("a race: written while it may be written");
        for (std::size_t clock = data + 1; clock <= data + most_threads; ++clock)
            if (!memory_.is_current(running_, clock)) fail("a race: written while it may be read");
        memory_.tick(running_, data);
    }

    // A pointer is stored as a number that does not depend on where the run's objects happen to lie.
    void name_pointer(std::uint64_t number, void* pointer) { pointers_[number] = pointer; }
    void* pointer_of(std::uint64_t number) const { return pointers_.at(number); }

    // ---- what programs say ----

    // handled() says how many messages the calling thread has handled. knows() says that beside this number the thread
    // knows nothing but `words`. So what it has read before no longer tells states apart. waits_again() says that the
    // thread is back at the beginning of its waiting, where only its last knows() matters. If a thread never calls
    // knows(), the other two change nothing.
    void handled(std::uint64_t number) { self().handled = number; }
    void gave_up() { ++self().handled; }  // a number of its own, because it goes on elsewhere
    template <class Words>
    void knows(const Words& words) {
        std::size_t all = intern(no_base, self().handled);
        for (const std::uint64_t word : words) all = intern(all, word);
        self().history = self().base = all;
    }
    void waits_again() {
        if (self().base != no_base) self().history = intern(self().base, ~std::uint64_t{0});
    }
    // Whether that thread sleeps, and nobody has woken it yet.
    bool sleeps(std::size_t number) const { return threads_[number].asleep_on != awake; }
    // Which thread runs, by its number in threads().
    std::size_t running() const { return running_; }
    // For checks only, of what no thread can tell.
    std::uint64_t newest(std::size_t where) const { return memory_.newest(where); }
    // Adds to what a thread knows something that it has not read in an atomic.
    void remember(std::uint64_t value) {
        if (running_ != weak_memory::setting_up) self().history = intern(self().history, value);
    }
    void fail(const std::string& why) {
        if (violation_.empty()) violation_ = why;
    }
    void weaken(std::size_t where, weak_memory::weakened what) { weak_where_ = where, weak_what_ = what; }

    static constexpr std::size_t unlimited = ~std::size_t{0};
    template <class Program>
    outcome explore(std::size_t preemptions = unlimited) {
        outcome result;
        most_preemptions_ = preemptions;
        std::vector<std::size_t> path, width;  // the choice taken at each step, of how many
        do {
            run_once<Program>(path, width, result);
            while (!path.empty() && path.back() + 1 == width.back()) path.pop_back(), width.pop_back();
            if (!path.empty()) ++path.back();
        } while (!path.empty() && violation_.empty());
        result.violation = violation_;
        result.states = seen_.size();
        return result;
    }

private:
    static constexpr std::size_t no_base = ~std::size_t{0}, awake = ~std::size_t{0}, nobody = ~std::size_t{0};

    enum class access { load, store, other };
    struct thread {
        thread(std::function<void()> body, fiber::stack& stack) : code(std::move(body), stack) {}

        fiber code;
        std::size_t history = 0;
        std::size_t base = no_base;
        std::uint64_t handled = 0;
        std::size_t asleep_on = awake;
        bool may_give_up = false;
        access next = access::other;
        std::size_t next_where = 0;
    };
    struct choice {
        std::size_t thread;
        std::size_t which;  // of the values that it may read, or of the places that its store may take
    };

    thread& self() { return threads_[running_]; }

    void step(access next, std::size_t where = 0) {
        picked_ = 0;
        if (running_ == weak_memory::setting_up) return;
        self().next = next;
        self().next_where = where;
        self().code.stop();
        if (next != access::other && !memory_.is_made_for(running_, where))
            fail("an object is used that may not be made yet");
    }
    // A number for what a thread has read so far: the same for the same readings, and for no others.
    std::size_t intern(std::size_t before, std::uint64_t value) {
        return histories_.emplace(std::pair(before, value), histories_.size() + 1).first->second;
    }

    bool may_go_on(std::size_t number) const {
        if (number == nobody) return false;
        const thread& one = threads_[number];
        return !one.code.ended() && (one.asleep_on == awake || one.may_give_up);
    }
    std::vector<choice> choices() const {
        std::vector<choice> found;
        for (std::size_t t = 0; t < threads_.size(); ++t) {
            const thread& one = threads_[t];
            if (!may_go_on(t)) continue;
            if (preemptions_ == most_preemptions_ && t != ran_last_ && may_go_on(ran_last_)) continue;
            std::size_t ways = 1;
            if (one.next == access::load) ways = memory_.readable(t, one.next_where);
            if (one.next == access::store) ways = memory_.places(t, one.next_where);
            for (std::size_t which = 0; which < ways; ++which) found.push_back({t, which});
        }
        return found;
    }
    void take(const choice& chosen) {
        if (most_preemptions_ != unlimited) {
            preemptions_ += chosen.thread != ran_last_ && may_go_on(ran_last_);
            ran_last_ = chosen.thread;
        }
        running_ = chosen.thread;
        picked_ = chosen.which;
        self().code.resume();
        running_ = weak_memory::setting_up;
    }
    void abandon() {
        for (running_ = 0; running_ < threads_.size(); ++running_) self().code.abandon();
        running_ = weak_memory::setting_up;
    }
    std::string state() const {
        std::string key;
        for (const thread& one : threads_)
            for (const std::size_t value : {one.history, one.asleep_on << 1 | one.code.ended()})
                key.append(reinterpret_cast<const char*>(&value), sizeof(value));
        for (const std::size_t value : {ran_last_, preemptions_})  // always the same where there is no limit
            key.append(reinterpret_cast<const char*>(&value), sizeof(value));
        memory_.describe(key);
        return key;
    }

    template <class Program>
    void run_once(std::vector<std::size_t>& path, std::vector<std::size_t>& width, outcome& result) {
        memory_ = weak_memory();
        memory_.weaken(weak_where_, weak_what_);
        threads_.clear();
        pointers_.clear();
        current() = this;
        Program program;
        auto bodies = program.threads();
        stacks_.resize(bodies.size());
        for (std::size_t t = 0; t < bodies.size(); ++t) threads_.emplace_back(std::move(bodies[t]), stacks_[t]);
        memory_.begin(threads_.size());
        // Up to its first access a thread concerns nobody else.
        for (std::size_t t = 0; t < threads_.size(); ++t) take({t, 0});
        preemptions_ = 0;
        ran_last_ = nobody;  // it is the first choice who begins
        if (run_to_new_end(path, width)) {
            ++result.endings;
            const std::string wrong = program.check();
            if (!wrong.empty()) fail(wrong);
        }
        std::vector<std::size_t> atomics;
        for (std::size_t where = 0; where < memory_.size(); ++where)
            if (!memory_.is_clock(where)) atomics.push_back(where);
        if (atomics.size() > result.atomics.size()) result.atomics = atomics;
        abandon();
    }
    // True if all threads have ended, in a way not seen before.
    bool run_to_new_end(std::vector<std::size_t>& path, std::vector<std::size_t>& width) {
        for (std::size_t depth = 0; violation_.empty(); ++depth) {
            const std::vector<choice> possible = choices();
            if (depth >= path.size()) {
                if (!seen_.insert(state()).second) return false;
                if (possible.empty()) {
                    for (const thread& one : threads_)
                        if (!one.code.ended()) return fail("a thread sleeps for ever"), false;
                    return true;
                }
                path.push_back(0);
                width.push_back(possible.size());
            }
            take(possible[path[depth]]);
        }
        return false;
    }

    weak_memory memory_;
    std::deque<thread> threads_;
    std::vector<fiber::stack> stacks_;
    std::size_t running_ = weak_memory::setting_up;
    std::size_t picked_ = 0;
    std::size_t most_preemptions_ = unlimited, preemptions_ = 0, ran_last_ = nobody;
    std::map<std::uint64_t, void*> pointers_;
    std::string violation_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> histories_;
    std::unordered_set<std::string> seen_;
    std::size_t weak_where_ = ~std::size_t{0};
    weak_memory::weakened weak_what_ = weak_memory::weakened::nothing;
};

}  // namespace explorer
