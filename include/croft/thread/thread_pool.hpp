#pragma once
// Threads that stay: who needs some for a while borrows them, and gives them back. To start a thread takes 15 to 30
// microseconds and to wake one about as long; one that was given back looks for its next work for a moment before it
// sleeps, so that of runs that follow each other only the first pays.
//
//     std::vector<int> seen(3);
//     auto work = [&](std::size_t i) { seen[i] = 1; };
//     croft::thread_pool::loan borrowed(3);             // throws std::system_error, and nothing has begun
//     borrowed.start(work);                             // on each of the three, all at the same time
//     borrowed.join();                                  // or its destructor
//
// Each borrowed thread is a thread of its own until it is given back: the three may wait for each other. Threads are
// named croft-worker-0, -1 ... in the order in which they were first needed; as many stay as were ever borrowed at the
// same time, at most `most_idle`. on_thread_start() and on_thread_stop() name hooks that each of them calls.
//
// On a machine whose cores wait on lines, where threads cost what they cost in its papers, none stays.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <croft/channel/policies.hpp>
#include <croft/memory/home.hpp>
#include <croft/port/port.hpp>

namespace croft {

class thread_pool {
    using hook = std::function<void(std::size_t)>;

    // One thread, and what it is told. Its work is there when `given` is ahead of `done`; both only count, so nothing
    // has to be put back.
    struct member {
        explicit member(std::size_t n) : number(n) {}

        const std::size_t number;
        std::thread thread;
        policies::wait bell, caller;  // the thread waits at the one, who joins it at the other
        void (*work)(void*, std::size_t) = nullptr;
        void* of = nullptr;
        std::size_t index = 0;
        std::atomic<std::uint32_t> given{0}, done{0};
        bool ends = false;
    };

public:
    // How long an idle thread looks for work before it sleeps. Not at all if all cores have work.
    static constexpr std::chrono::nanoseconds spin{50'000};
    static constexpr std::size_t most_idle = port::waits_on_lines ? 0 : 256;

    // Called by each thread of the pool with its number, when it starts and before it ends; to be set before the first
    // is borrowed, or the threads that are there already have not called it. A hook must not throw.
    static void on_thread_start(hook call) { common().set(common().at_start_, std::move(call)); }
    static void on_thread_stop(hook call) { common().set(common().at_stop_, std::move(call)); }

    // Borrowed threads. Used by one thread.
    class loan {
    public:
        // Throws std::system_error if there are not enough, and no more can be started.
        explicit loan(std::size_t threads) : members_(common().borrow(threads)) {}
        ~loan() {
            join();
            common().take_back(std::move(members_));
        }
        loan(const loan&) = delete;
        loan& operator=(const loan&) = delete;

        std::size_t size() const { return members_.size(); }

        // Each calls body(its index). Once; the body stays where it is until join().
        template <class Body>
        void start(Body& body) {
            for (std::size_t i = 0; i < size(); ++i) start_one(i, body);
        }
        template <class Body>
        void start_one(std::size_t i, Body& body) {
            member& one = *members_[i];
            one.work = [](void* of, std::size_t index) { (*static_cast<Body*>(of))(index); };
            one.of = const_cast<void*>(static_cast<const void*>(&body));
            one.index = i;
            // Release: the work, and all that was made for it, goes with it.
            one.given.store(one.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
            one.bell.notify();
        }
        // Returns when all that were started have returned.
        void join() {
            for (const std::unique_ptr<member>& each : members_) {
                const std::uint32_t given = each->given.load(std::memory_order_relaxed);
                // Acquire: what the thread has done is seen.
                while (each->done.load(std::memory_order_acquire) != given)
                    each->caller.wait([&](auto load) { return load(each->done, plain_lines{}) == given; });
            }
        }

    private:
        std::vector<std::unique_ptr<member>> members_;
    };

    // Made when first asked for; its idle threads end with the program.
    static thread_pool& common() {
        static thread_pool one;
        return one;
    }
    ~thread_pool() {
        const std::lock_guard guard(lock_);
        for (const std::unique_ptr<member>& each : idle_) end(*each);
    }

private:
    thread_pool() = default;

    std::vector<std::unique_ptr<member>> borrow(std::size_t threads) {
        std::vector<std::unique_ptr<member>> found;
        found.reserve(threads);
        const std::lock_guard guard(lock_);
        idle_.reserve(idle_.size() + threads);  // so that taking them back cannot fail
        // Those first that were given back last: they may be awake still.
        while (found.size() < threads && !idle_.empty()) {
            found.push_back(std::move(idle_.back()));
            idle_.pop_back();
        }
        const std::size_t before = found.size();
        try {
            while (found.size() < threads) {
                auto made = std::make_unique<member>(made_);
                made->thread = std::thread([this, one = made.get()] { serve(*one); });
                ++made_;
                found.push_back(std::move(made));
            }
        } catch (const std::system_error& error) {
            const std::size_t started = found.size();
            for (std::unique_ptr<member>& each : found) idle_.push_back(std::move(each));
            throw std::system_error(error.code(), "croft: of " + std::to_string(threads - before) + " threads " +
                                                      std::to_string(started - before) + " could be started");
        }
        busy_.fetch_add(threads, std::memory_order_relaxed);
        return found;
    }
    void take_back(std::vector<std::unique_ptr<member>> members) noexcept {
        busy_.fetch_sub(members.size(), std::memory_order_relaxed);
        const std::lock_guard guard(lock_);
        while (!members.empty()) {
            if (idle_.size() < most_idle)
                idle_.push_back(std::move(members.back()));
            else
                end(*members.back());
            members.pop_back();
        }
    }
    // It has nothing to do, or has done it.
    static void end(member& one) {
        one.ends = true;
        one.given.store(one.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        one.bell.notify();
        one.thread.join();
    }

    // (A template, as there are bells that know no time.)
    template <class Bell>
    static void stay_awake(Bell& bell, bool worth_it) {
        if constexpr (requires { bell.spin_for(spin); }) bell.spin_for(worth_it ? spin : std::chrono::nanoseconds{0});
    }
    void serve(member& own) {
        port::name_this_thread(("croft-worker-" + std::to_string(own.number)).c_str());
        call(at_start_, own.number);
        for (std::uint32_t done = 0;;) {
            // Acquire: see start_one().
            while (own.given.load(std::memory_order_acquire) == done) {
                // Looking is worth a core only where one is free. (Those that are lent, this one perhaps among them,
                // and one that borrowed.)
                stay_awake(own.bell, busy_.load(std::memory_order_relaxed) < cores_);
                own.bell.wait([&](auto load) { return load(own.given, plain_lines{}) != done; });
            }
            if (own.ends) break;
            own.work(own.of, own.index);
            own.done.store(++done, std::memory_order_release);
            own.caller.notify();
        }
        call(at_stop_, own.number);
    }
    void set(hook& which, hook call) {
        const std::lock_guard guard(hooks_);
        which = std::move(call);
    }
    void call(const hook& which, std::size_t number) {
        hook own;
        {
            const std::lock_guard guard(hooks_);
            own = which;
        }
        if (own) own(number);
    }

    std::mutex lock_;  // of what is idle; held while one of these ends, which may call a hook
    std::mutex hooks_;
    std::vector<std::unique_ptr<member>> idle_;
    std::size_t made_ = 0;
    std::atomic<std::size_t> busy_{0};  // relaxed: a hint
    const std::size_t cores_ = port::core_count();
    hook at_start_, at_stop_;
};

}  // namespace croft
