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

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <croft/channel/policies.hpp>
#include <croft/memory/home.hpp>
#include <croft/port/compiled.hpp>
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
    static void on_thread_start(hook call);
    static void on_thread_stop(hook call);

    // Borrowed threads. Used by one thread.
    class loan {
    public:
        // Throws std::system_error if there are not enough, and no more can be started.
        explicit loan(std::size_t threads);
        ~loan();
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
            hand(
                i, [](void* of, std::size_t index) { (*static_cast<Body*>(of))(index); },
                const_cast<void*>(static_cast<const void*>(&body)));
        }
        // Returns when all that were started have returned.
        void join();

    private:
        void hand(std::size_t i, void (*work)(void*, std::size_t), void* of);

        std::vector<std::unique_ptr<member>> members_;
    };

    // Made when first asked for; its idle threads end with the program.
    static thread_pool& common();
    ~thread_pool();

private:
    thread_pool() = default;

    std::vector<std::unique_ptr<member>> borrow(std::size_t threads);
    void take_back(std::vector<std::unique_ptr<member>> members) noexcept;
    static void end(member& one);
    void serve(member& own);
    void set(hook& which, hook call);
    void call(const hook& which, std::size_t number);

    std::mutex lock_;  // of what is idle; held while one of these ends, which may call a hook
    std::mutex hooks_;
    std::vector<std::unique_ptr<member>> idle_;
    std::size_t made_ = 0;
    std::atomic<std::size_t> busy_{0};  // relaxed: a hint
    const std::size_t cores_ = port::core_count();
    hook at_start_, at_stop_;
};

}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/thread/thread_pool_body.hpp>
#endif
