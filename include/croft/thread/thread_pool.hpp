#pragma once
// Threads that stay: a caller borrows some for a while, and gives them back. All threads that croft starts natively are
// these: patterns borrow them for a run, accelerators and schedulers for as long as they live. To start a thread takes
// 15 to 30 microseconds, and to wake one about as long. A thread that was given back looks for its next work for a
// moment before it sleeps. So if runs follow each other, only the first pays.
//
//     std::vector<int> seen(3);
//     auto work = [&](std::size_t i) { seen[i] = 1; };
//     croft::thread_pool::loan borrowed(3);             // throws std::system_error, and nothing has begun
//     borrowed.start(work);                             // on each of the three, all at the same time
//     borrowed.join();                                  // or its destructor
//
// Each borrowed thread is a thread of its own until it is given back: the three may wait for each other. Threads are
// named croft-worker-0, -1 ... in the order in which they were first needed, and no two have the same name. As many
// stay as were ever borrowed at the same time, at most `most_idle`. on_thread_start() and on_thread_stop() name hooks.
// Each thread calls each of them once in its life, whatever it is borrowed for. (A scheduler has hooks of its own, for
// threads that come to it and leave it: task_scheduler_options.)
//
// Nobody ends the threads, or waits for them, when the program ends: they are there for the destructors of globals,
// too. shut_down.hpp ends those that are idle. In the child of a fork there are none. There the first caller who needs
// some has them started anew (forks.hpp), and a loan of its parent's is empty.
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

#include <croft/channel/wait.hpp>
#include <croft/memory/home.hpp>
#include <croft/port/compiled.hpp>
#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>

namespace croft {

class thread_pool {
    using hook = std::function<void(std::size_t)>;

    // One thread, and what it is told. Its work is there when `given` is ahead of `done`; both only count, so nothing
    // has to be put back.
    struct member {
        explicit member(std::size_t n) : number(n) {}

        const std::size_t number;
        std::thread thread;
        waits::best bell, caller;  // the thread waits at `bell`, the one that joins it at `caller`
        void (*work)(void*, std::size_t) = nullptr;
        void* of = nullptr;
        std::size_t index = 0;
        std::atomic<std::uint32_t> given{0}, done{0};
        bool ends = false;
    };
    using members = std::vector<std::unique_ptr<member>>;

public:
    // How long an idle thread looks for work before it sleeps. Not at all if all cores have work.
    static constexpr std::chrono::nanoseconds spin{50'000};
    static constexpr std::size_t most_idle = port::waits_on_lines ? 0 : 256;

    // Each thread of the pool calls this with its number, when it starts and before it ends. Set it before the first
    // thread is borrowed; threads that are there already have not called it. A hook must not throw.
    static void on_thread_start(hook call);
    static void on_thread_stop(hook call);

    // How many to give if there cannot be as many as asked for.
    enum class if_fewer { none, some };

    // Borrowed threads. Used by one thread.
    class loan {
    public:
        // Throws std::system_error if there are not enough, and no more can be started; those that were, for this, have
        // ended then. With if_fewer::some there are as many as can be had, perhaps none.
        explicit loan(std::size_t threads, if_fewer given = if_fewer::none);
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

        members members_;
        [[no_unique_address]] detail::this_process process_;
    };

    // Made when first asked for, and never destroyed.
    static thread_pool& common();

    // As croft::shut_down() (shut_down.hpp).
    bool end_idle();

private:
    friend port::never_destroyed<thread_pool>;
    thread_pool() = default;
    ~thread_pool() = default;

    members borrow(std::size_t threads, if_fewer given);
    void take_back(members from) noexcept;
    void begin_in_this_process();
    static void forget(members& those) noexcept;
    static void end(members& those, std::size_t first);
    void leave();
    void serve(member& own);
    void set(hook& which, hook call);
    void call(const hook& which, std::size_t number);

    detail::process_lock lock_;  // of all but the hooks; not held while a thread starts or ends
    detail::process_lock hooks_;
    members idle_;
    std::size_t made_ = 0, lent_ = 0;
    const std::size_t cores_ = port::core_count();
    hook at_start_, at_stop_;
    [[no_unique_address]] detail::this_process process_;
};

}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/thread/thread_pool_body.hpp>
#endif
