#pragma once
// The workforce of one scheduler (workforce.hpp). The first is the one it was made with. Another follows in the child
// of a fork, and after the scheduler has given back its threads. A thread that needs one and finds none makes it, and
// puts it where the next thread finds it. If several come at once, one's is taken. There is no lock, which a fork might
// find held.
//
// The child keeps the workforce that the scheduler had in its parent: the caller of fork() may be in a task there.

#include <atomic>
#include <new>
#include <system_error>
#include <utility>

#include <croft/port/misuse.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/task_scheduler_options.hpp>
#include <croft/task/workforce.hpp>
#include <croft/thread/thread_pool.hpp>

namespace croft::detail {

template <class Worker>
class workforces {
    using one = workforce<Worker>;
    using if_fewer = thread_pool::if_fewer;

public:
    using regions_type = typename one::regions_type;

    // `by` stays where it is. Throws std::system_error if a thread cannot be had.
    explicit workforces(const task_scheduler_options& by) : options_(by), now_(new one(by, if_fewer::none)) {}
    // The first one is made when it is needed, and does with the threads that there are.
    struct when_needed {
        explicit when_needed() = default;  // no aggregate: clang would take {.workers = 3} for it, too
    };
    workforces(const task_scheduler_options& by, when_needed) : options_(by) {}
    // (If a task of a static scheduler's calls exit(), one of its own workers comes here. It cannot wait for itself, so
    // all is left as it is.)
    ~workforces() {
        one* last = now_.load(std::memory_order_acquire);
        if (const Worker* const here = Worker::current(); here && last && last->work().has(here->all())) return;
        while (last) delete std::exchange(last, last->before);
    }
    workforces(const workforces&) = delete;
    workforces& operator=(const workforces&) = delete;

    regions_type& regions() { return here().work(); }
    bool has(const crew<Worker>& which) { return here().work().has(which); }

    // False: somebody is at work.
    bool give_back() {
        one* const now = now_.load(std::memory_order_acquire);
        if (!now || !now->is_of_this_process()) return true;
        if (now->work().is_used()) return false;
        now_.store(now->before, std::memory_order_release);
        delete now;
        return true;
    }

    // Throws std::system_error if there is no thread for them.
    void begin_posts() {
        here().begin_posts();
        posts_.store(true, std::memory_order_release);
    }
    // (In a child in which no thread can be had for it, it is run here: it must not be lost.)
    void post(detached& what) noexcept {
        port::check_use(posts_.load(std::memory_order_relaxed), "croft::task_scheduler: post() before begin_posts()");
        one* to = nullptr;
        try {
            to = &here();
        } catch (const std::bad_alloc&) {
        }
        if (to && to->has_posts()) return to->work().post(what);
        what.run();
    }

private:
    // Acquire: its maker has made it wholly.
    one& here() {
        one* const now = now_.load(std::memory_order_acquire);
        if (now && now->is_of_this_process()) [[likely]]
            return *now;
        return begin_anew(now);
    }
    [[gnu::noinline]] one& begin_anew(one* before) {
        auto* const made = new one(options_, if_fewer::some);
        made->before = before;
        try {
            if (posts_.load(std::memory_order_acquire)) made->begin_posts();
        } catch (const std::system_error&) {
        }
        // Release: see here(). Acquire: the other's is used.
        if (now_.compare_exchange_strong(before, made, std::memory_order_acq_rel, std::memory_order_acquire))
            return *made;
        delete made;
        return *before;
    }

    const task_scheduler_options& options_;
    std::atomic<one*> now_{nullptr};
    std::atomic<bool> posts_{false};
};

}  // namespace croft::detail
