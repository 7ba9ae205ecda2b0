#pragma once
// Runs small concurrent programs in every way that a memory model allows. The programs are the library's own code, with
// this file's atomics, fences and sleep in the place of the real ones.
//
// The memory model. Each thread has a store buffer. A store goes in; it reaches memory later, at any time. A thread sees
// its own buffer, others see memory. Stores to one location leave in order; a release store leaves after all stores
// before it; otherwise stores may overtake each other. A full fence and a read-modify-write wait for an empty buffer;
// a membarrier empties the buffers of all other threads, one after the other. Sleeping on a futex compares and falls
// asleep in one step. So: all of x86-TSO, and of weaker machines the reordering of stores. Loads happen in program
// order: a missing *acquire* is not found here (nor are races of plain data, which ThreadSanitizer finds).
//
// How. Threads are fibers that stop before every access. A state is memory, buffers, and what each thread has read so
// far (which, its code being deterministic, says where it is). Depth-first over all choices, by running again from the
// beginning, and not beyond a state that was seen before; so every reachable state is visited, and every step out of it.
// A program may say where its threads have forgotten what they read (local_state), which makes states equal that are.

#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace explorer {

struct outcome {
    std::string violation;  // empty: none
    std::size_t states = 0;
    std::size_t endings = 0;  // different complete runs, up to states that they share
};

class machine {
public:
    static machine*& current() {
        static machine* one = nullptr;
        return one;
    }

    // ---- what atomics and fences call; outside a thread of the program everything takes effect at once ----

    std::size_t new_location(std::uint64_t value) {
        memory_.push_back(value);
        return memory_.size() - 1;
    }
    std::uint64_t load(std::size_t where) {
        if (running_ < 0) return memory_[where];
        step(false);
        const auto& buffer = self().buffer;
        std::uint64_t value = memory_[where];
        for (const store& pending : buffer)
            if (pending.where == where) value = pending.value;
        remember(value);
        return value;
    }
    void put(std::size_t where, std::uint64_t value, bool release) {
        if (running_ < 0) return void(memory_[where] = value);
        step(false);
        self().buffer.push_back({where, value, release});
        remember(0);
    }
    std::uint64_t exchange(std::size_t where, std::uint64_t value) {
        if (running_ < 0) return std::exchange(memory_[where], value);
        step(true);
        const std::uint64_t before = std::exchange(memory_[where], value);
        remember(before);
        return before;
    }
    void full_fence() {
        step(true);
        remember(0);
    }
    void membarrier() {
        step(true);
        remember(0);
        const int caller = running_;
        for (std::size_t other = 0; other < threads_.size(); ++other) {
            if (static_cast<int>(other) == caller) continue;
            step(true);  // each other core when its turn comes
            for (const store& pending : threads_[other].buffer) memory_[pending.where] = pending.value;
            threads_[other].buffer.clear();
            remember(0);
        }
    }
    void sleep_while(std::size_t where, std::uint64_t value) {
        step(true);
        if (memory_[where] == value) {
            self().asleep_on = static_cast<int>(where);
            remember(1);
            step(true);  // goes on only when woken
        }
        remember(0);
    }
    void wake_one(std::size_t where) {
        step(true);
        remember(0);
        for (thread& one : threads_)
            if (one.asleep_on == static_cast<int>(where)) {
                one.asleep_on = -1;
                return;
            }
    }
    // Says that the calling thread's local state depends on nothing but `local` from here on, so that what it has read
    // before no longer tells states apart. And that it is back at the beginning of its waiting, where only the last
    // such statement matters. A thread that never says the first is taken at its word in nothing.
    void local_state(std::uint64_t local) {
        self().history = self().base = intern(no_base, local);
    }
    void waits_again() {
        if (self().base != no_base) self().history = intern(self().base, ~std::uint64_t{0});
    }
    void fail(const std::string& why) {
        if (violation_.empty()) violation_ = why;
    }

    // Explores Program: a class whose constructor makes the shared objects, whose `threads()` are the bodies, and whose
    // `check()` is called when all have ended and their stores have reached memory.
    template <class Program>
    outcome explore() {
        outcome result;
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
    static constexpr std::size_t stack_size = 64 * 1024;
    static constexpr std::size_t no_base = ~std::size_t{0};

    struct store {
        std::size_t where;
        std::uint64_t value;
        bool release;
    };
    struct thread {
        ucontext_t context;
        std::function<void()> body;
        std::vector<store> buffer;
        std::size_t history = 0;
        std::size_t base = no_base;
        int asleep_on = -1;
        bool needs_empty_buffer = false;
        bool ended = false;
    };
    struct choice {
        std::size_t thread;
        int drain;  // -1: the thread's next step, else which of its stores reaches memory
    };

    thread& self() { return threads_[static_cast<std::size_t>(running_)]; }

    void step(bool needs_empty_buffer) {
        self().needs_empty_buffer = needs_empty_buffer;
        swapcontext(&self().context, &scheduler_);
    }
    // What a thread has read so far, as a number: the same for the same readings, and for no others.
    void remember(std::uint64_t value) { self().history = intern(self().history, value); }
    std::size_t intern(std::size_t before, std::uint64_t value) {
        return histories_.emplace(std::pair(before, value), histories_.size() + 1).first->second;
    }

    static void make_fiber(thread& one, char* stack) {
        getcontext(&one.context);
        one.context.uc_stack.ss_sp = stack;
        one.context.uc_stack.ss_size = stack_size;
        one.context.uc_link = nullptr;
        makecontext(&one.context, &machine::enter, 0);
    }
    static void enter() {
        machine& m = *current();
        m.self().body();
        m.self().ended = true;
        swapcontext(&m.self().context, &m.scheduler_);
    }

    std::vector<choice> choices() const {
        std::vector<choice> found;
        for (std::size_t t = 0; t < threads_.size(); ++t) {
            const thread& one = threads_[t];
            if (!one.ended && one.asleep_on < 0 && (one.buffer.empty() || !one.needs_empty_buffer))
                found.push_back({t, -1});
            for (std::size_t i = 0; i < one.buffer.size(); ++i) {
                bool may_leave = !(one.buffer[i].release && i > 0);
                for (std::size_t before = 0; before < i; ++before)
                    may_leave = may_leave && one.buffer[before].where != one.buffer[i].where;
                if (may_leave) found.push_back({t, static_cast<int>(i)});
            }
        }
        return found;
    }
    void take(const choice& chosen) {
        thread& one = threads_[chosen.thread];
        if (chosen.drain >= 0) {
            const store leaving = one.buffer[static_cast<std::size_t>(chosen.drain)];
            memory_[leaving.where] = leaving.value;
            one.buffer.erase(one.buffer.begin() + chosen.drain);
            return;
        }
        running_ = static_cast<int>(chosen.thread);
        swapcontext(&scheduler_, &one.context);
        running_ = -1;
    }
    std::string state() const {
        std::string key;
        const auto add = [&key](std::uint64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
        for (const std::uint64_t value : memory_) add(value);
        for (const thread& one : threads_) {
            add(one.history);
            add(static_cast<std::uint64_t>(one.asleep_on + 1) << 1 | one.ended);
            add(one.buffer.size());
            for (const store& pending : one.buffer) {
                add(pending.where << 1 | pending.release);
                add(pending.value);
            }
        }
        return key;
    }

    template <class Program>
    void run_once(std::vector<std::size_t>& path, std::vector<std::size_t>& width, outcome& result) {
        memory_.clear();
        threads_.clear();
        current() = this;
        Program program;
        for (auto& body : program.threads()) {
            threads_.emplace_back();
            threads_.back().body = std::move(body);
        }
        while (stacks_.size() < threads_.size()) stacks_.push_back(std::make_unique<char[]>(stack_size));
        for (std::size_t t = 0; t < threads_.size(); ++t) make_fiber(threads_[t], stacks_[t].get());
        // Up to its first access a thread concerns nobody else.
        for (std::size_t t = 0; t < threads_.size(); ++t) take({t, -1});
        for (std::size_t depth = 0; violation_.empty(); ++depth) {
            const std::vector<choice> possible = choices();
            if (depth >= path.size()) {
                if (!seen_.insert(state()).second) return;
                if (possible.empty()) {
                    for (const thread& one : threads_)
                        if (!one.ended) return fail("a thread sleeps for ever");
                    ++result.endings;
                    const std::string wrong = program.check();
                    if (!wrong.empty()) fail(wrong);
                    return;
                }
                path.push_back(0);
                width.push_back(possible.size());
            }
            take(possible[path[depth]]);
        }
    }

    ucontext_t scheduler_;
    std::vector<std::uint64_t> memory_;
    std::vector<thread> threads_;
    std::vector<std::unique_ptr<char[]>> stacks_;
    int running_ = -1;
    std::string violation_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> histories_;
    std::unordered_set<std::string> seen_;
};

// In the place of std::atomic.
template <class T>
class atomic {
public:
    atomic(T value = T{}) : where_(machine::current()->new_location(static_cast<std::uint64_t>(value))) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order) const { return static_cast<T>(machine::current()->load(where_)); }
    void store(T value, std::memory_order order) {
        machine::current()->put(where_, static_cast<std::uint64_t>(value), order != std::memory_order_relaxed);
    }
    T exchange(T value, std::memory_order) {
        return static_cast<T>(machine::current()->exchange(where_, static_cast<std::uint64_t>(value)));
    }
    std::size_t where() const { return where_; }

private:
    std::size_t where_;
};

// Plain data in shared memory: a message of one word.
class data {
public:
    std::uint32_t get() const { return word_.load(std::memory_order_relaxed); }
    void set(std::uint32_t value) { word_.store(value, std::memory_order_relaxed); }

private:
    atomic<std::uint32_t> word_;
};

}  // namespace explorer
