#pragma once
// The bodies of thread_pool.hpp.

#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include <croft/port/never_destroyed.hpp>
#include <croft/thread/core_share.hpp>
#include <croft/thread/keeps_threads.hpp>
#include <croft/thread/thread_pool.hpp>
#include <croft/thread/unloading.hpp>

namespace croft {

namespace detail {
// (A template, because there are bells that know no time.)
template <class Bell>
void stay_awake(Bell& bell, std::chrono::nanoseconds time) {
    if constexpr (requires { bell.spin_for(time); }) bell.spin_for(time);
}
}  // namespace detail

CROFT_INLINE void thread_pool::on_thread_start(hook call) { common().set(common().at_start_, std::move(call)); }
CROFT_INLINE void thread_pool::on_thread_stop(hook call) { common().set(common().at_stop_, std::move(call)); }

CROFT_INLINE thread_pool::loan::loan(std::size_t threads, if_fewer given) : members_(common().borrow(threads, given)) {}

CROFT_INLINE thread_pool::loan::~loan() {
    join();
    if (process_.still())
        common().take_back(std::move(members_));
    else
        forget(members_);
}

CROFT_INLINE void thread_pool::loan::hand(std::size_t i, void (*work)(void*, std::size_t), void* of) {
    member& one = *members_[i];
    one.work = work;
    one.of = of;
    one.index = i;
    // Release: the work, and all that was made for it, goes with it.
    one.given.store(one.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    one.bell.notify();
}

CROFT_INLINE void thread_pool::loan::join() {
    if (!process_.still()) return;
    for (const std::unique_ptr<member>& each : members_) {
        const std::uint32_t given = each->given.load(std::memory_order_relaxed);
        // Acquire: all that the thread has done is seen.
        while (each->done.load(std::memory_order_acquire) != given)
            each->caller.wait([&](auto load) { return load(each->done, detail::plain_lines{}) == given; });
    }
}

CROFT_INLINE thread_pool& thread_pool::common() {
    static port::never_destroyed<thread_pool> one;
#if defined(CROFT_MAY_BE_UNLOADED)
    detail::stay_where_statics_are(&one);
    detail::unloading::calls([] { one.get().leave(); });
#endif
    return one.get();
}

CROFT_INLINE thread_pool::members thread_pool::borrow(std::size_t threads, if_fewer given) {
    members found;
    found.reserve(threads);
    std::size_t first_new = 0, borrowed = 0;
    {
        const std::lock_guard guard(lock_);
        begin_in_this_process();
        idle_.reserve(most_idle);  // so that taking them back cannot fail
        // Those first that were given back last: they may be awake still.
        while (found.size() < threads && !idle_.empty()) {
            found.push_back(std::move(idle_.back()));
            idle_.pop_back();
        }
        borrowed = found.size();
        first_new = std::exchange(made_, made_ + threads - borrowed);
        lent_ += threads;
    }
    std::exception_ptr why;
    try {
        while (found.size() < threads) {
            found.push_back(std::make_unique<member>(first_new + found.size() - borrowed));
            member& made = *found.back();
            made.thread = std::thread([this, &made] { serve(made); });
        }
        return found;
    } catch (...) {
        why = std::current_exception();
    }
    if (!found.empty() && !found.back()->thread.joinable()) found.pop_back();
    const std::size_t started = found.size() - borrowed;
    // If all are needed, those that were started for this end, so that there is room for a caller that asks for fewer.
    if (given == if_fewer::none) end(found, borrowed);
    {
        const std::lock_guard guard(lock_);
        lent_ -= threads - found.size();
    }
    if (given == if_fewer::some) return found;
    take_back(std::move(found));
    try {
        std::rethrow_exception(why);
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "croft: of " + std::to_string(threads - borrowed) + " threads " +
                                                  std::to_string(started) + " could be started");
    }
}

CROFT_INLINE void thread_pool::take_back(members from) noexcept {
    {
        const std::lock_guard guard(lock_);
        lent_ -= from.size();
        while (!from.empty() && idle_.size() < most_idle) {
            idle_.push_back(std::move(from.back()));
            from.pop_back();
        }
    }
    end(from, 0);
}

CROFT_INLINE bool thread_pool::end_idle() {
    const bool given_back = detail::keeps_threads::all_give_back();
    members idle;
    idle.reserve(most_idle);
    bool all = false;
    {
        const std::lock_guard guard(lock_);
        begin_in_this_process();
        idle.swap(idle_);
        all = lent_ == 0;
    }
    end(idle, 0);
    return given_back && all;
}

// Before the memory goes in which all this is.
CROFT_INLINE void thread_pool::leave() {
    end_idle();
    members room;
    const std::lock_guard guard(lock_);
    if (idle_.empty()) room.swap(idle_);
}

// With the lock. In a child it notes that nobody has any: those who had some in its parent know that theirs are not
// there.
CROFT_INLINE void thread_pool::begin_in_this_process() {
    if (process_.still()) return;
    forget(idle_);
    made_ = lent_ = 0;
    process_ = detail::this_process();
}

// Their threads are another process's. A handle that is destroyed would say that a thread is missing, so another handle
// takes its place.
CROFT_INLINE void thread_pool::forget(members& those) noexcept {
    for (const std::unique_ptr<member>& each : those) ::new (&each->thread) std::thread();
    those.clear();
}

// Those from `first` on. They have nothing to do, or have done it.
CROFT_INLINE void thread_pool::end(members& those, std::size_t first) {
    for (std::size_t i = first; i < those.size(); ++i) {
        member& one = *those[i];
        one.ends = true;
        one.given.store(one.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        one.bell.notify();
    }
    for (std::size_t i = first; i < those.size(); ++i) those[i]->thread.join();
    those.resize(first);
}

CROFT_INLINE void thread_pool::serve(member& own) {
    const detail::this_process process;
    char name[40];  // no string: here is nobody to be told that there is no memory
    std::snprintf(name, sizeof name, "croft-worker-%zu", own.number);
    port::name_this_thread(name);
    call(at_start_, own.number);
    for (std::uint32_t done = 0;;) {
        // Acquire: see start_one().
        while (own.given.load(std::memory_order_acquire) == done) {
            // Looking is worth a core only if one is free. Runs may still count this thread, because it may have been
            // part of one until now. So one is free for it unless runs take all cores and one more.
            const bool worth_it = detail::share_of_cores::threads_at_work() <= cores_;
            detail::stay_awake(own.bell, worth_it ? spin : std::chrono::nanoseconds{0});
            own.bell.wait([&](auto load) { return load(own.given, detail::plain_lines{}) != done; });
        }
        if (own.ends) break;
        own.work(own.of, own.index);
        process.check();
        own.done.store(++done, std::memory_order_release);
        own.caller.notify();
    }
    call(at_stop_, own.number);
}

CROFT_INLINE void thread_pool::set(hook& which, hook call) {
    const std::lock_guard guard(hooks_);
    which.swap(call);
}

CROFT_INLINE void thread_pool::call(const hook& which, std::size_t number) {
    hook own;
    {
        const std::lock_guard guard(hooks_);
        own = which;
    }
    if (own) own(number);
}

}  // namespace croft
