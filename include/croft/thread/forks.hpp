#pragma once
// How this library survives fork(). The child has one thread, the one that called fork(), and a copy of all memory.
// Much in that memory tells of threads that the child does not have. So
//
//   this_process   is kept beside state that tells of threads: still() tells whether they can be there. If the state is
//                  another process's, the next thread that comes by forgets it. Nothing is done in a child that only
//                  executes another program.
//   process_lock   guards state of which the process has one. fork() takes all of them. So in the child none is held by
//                  a thread that is not there, and the state is whole.
//
// Nobody holds two of those at a time, or calls what is the user's while it holds one: fork() takes them in any
// order. The handlers are registered when the first of either is made, and cost nothing but at a fork.
//
// A simulated machine has one process: there this_process is nothing, and process_lock a mutex.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <pthread.h>

#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// How many forks lie between the first process and ours. Relaxed wherever it is read: it changes only while the process
// has one thread, and starting another thread shows it the value.
inline constinit std::atomic<std::uint32_t> forks{0};

class process_mutex;

// The process_mutexes there are.
class process_mutexes {
public:
    static void watch_forks();
    static void add(process_mutex& one);
    static void remove(process_mutex& one) noexcept;

private:
    static void take_all() noexcept;
    static void give_all() noexcept;

    // The lock of the list; taken before its members.
    static std::mutex& lock() {
        static port::never_destroyed<std::mutex> one;
        return one.get();
    }
    inline static constinit process_mutex* first_ = nullptr;
};

class process_mutex {
public:
    process_mutex() { process_mutexes::add(*this); }
    ~process_mutex() { process_mutexes::remove(*this); }
    process_mutex(const process_mutex&) = delete;
    process_mutex& operator=(const process_mutex&) = delete;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    friend process_mutexes;
    std::mutex mutex_;
    process_mutex* next_ = nullptr;
};

inline void process_mutexes::take_all() noexcept {
    // These are found out once, and take long. If another thread is at work on them, this waits until it is done,
    // because the child would wait for that thread for ever.
    port::decide_fences();
    port::core_count();
    port::allowed_cores_by_node();
    lock().lock();
    for (process_mutex* each = first_; each; each = each->next_) each->lock();
}
inline void process_mutexes::give_all() noexcept {
    for (process_mutex* each = first_; each; each = each->next_) each->unlock();
    lock().unlock();
}
// (Should there be no memory for it, forks are not watched.)
inline void process_mutexes::watch_forks() {
    [[maybe_unused]] static const int registered = ::pthread_atfork(&take_all, &give_all, [] {
        forks.fetch_add(1, std::memory_order_relaxed);
        give_all();
    });
}
inline void process_mutexes::add(process_mutex& one) {
    watch_forks();
    const std::lock_guard guard(lock());
    one.next_ = first_;
    first_ = &one;
}
inline void process_mutexes::remove(process_mutex& one) noexcept {
    const std::lock_guard guard(lock());
    process_mutex** at = &first_;
    while (*at != &one) at = &(*at)->next_;
    *at = one.next_;
}

// The process in which this was made.
class one_of_processes {
public:
    one_of_processes() { process_mutexes::watch_forks(); }
    bool still() const { return made_in_ == forks.load(std::memory_order_relaxed); }
    // A caller would wait here, for ever, for threads that stayed behind in another process. Instead this ends the
    // process.
    void check() const {
        if (!still()) [[unlikely]]
            end_here();
    }

private:
    [[noreturn, gnu::cold, gnu::noinline]] static void end_here() {
        std::fputs(
            "croft: the child of a fork has come back to what it was forked in, a stage, a task or a step of a "
            "loop: the threads that work on it are its parent's\n",
            stderr);
        std::abort();
    }

    std::uint32_t made_in_ = forks.load(std::memory_order_relaxed);
};

struct the_only_process {
    static constexpr bool still() { return true; }
    static constexpr void check() {}
};

// Keeps an object that must be neither used nor destroyed in this process, and is no leak.
inline void keep_for_ever(std::shared_ptr<void> what) {
    struct list {
        process_mutex lock;
        std::vector<std::shared_ptr<void>> all;
    };
    static port::never_destroyed<list> kept;
    const std::lock_guard guard(kept.get().lock);
    kept.get().all.push_back(std::move(what));
}

using this_process = std::conditional_t<port::waits_on_lines, the_only_process, one_of_processes>;
using process_lock = std::conditional_t<port::waits_on_lines, std::mutex, process_mutex>;

}  // namespace croft::detail
