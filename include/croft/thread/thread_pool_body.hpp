#pragma once
// The bodies of thread_pool.hpp.

#include <string>
#include <system_error>
#include <utility>

#include <croft/thread/thread_pool.hpp>

namespace croft {

namespace detail {
// (A template, as there are bells that know no time.)
template <class Bell>
void stay_awake(Bell& bell, std::chrono::nanoseconds time) {
    if constexpr (requires { bell.spin_for(time); }) bell.spin_for(time);
}
}  // namespace detail

CROFT_INLINE void thread_pool::on_thread_start(hook call) { common().set(common().at_start_, std::move(call)); }
CROFT_INLINE void thread_pool::on_thread_stop(hook call) { common().set(common().at_stop_, std::move(call)); }

CROFT_INLINE thread_pool::loan::loan(std::size_t threads) : members_(common().borrow(threads)) {}

CROFT_INLINE thread_pool::loan::~loan() {
    join();
    common().take_back(std::move(members_));
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
    for (const std::unique_ptr<member>& each : members_) {
        const std::uint32_t given = each->given.load(std::memory_order_relaxed);
        // Acquire: what the thread has done is seen.
        while (each->done.load(std::memory_order_acquire) != given)
            each->caller.wait([&](auto load) { return load(each->done, plain_lines{}) == given; });
    }
}

CROFT_INLINE thread_pool& thread_pool::common() {
    static thread_pool one;
    return one;
}

CROFT_INLINE thread_pool::~thread_pool() {
    const std::lock_guard guard(lock_);
    for (const std::unique_ptr<member>& each : idle_) end(*each);
}

CROFT_INLINE std::vector<std::unique_ptr<thread_pool::member>> thread_pool::borrow(std::size_t threads) {
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

CROFT_INLINE void thread_pool::take_back(std::vector<std::unique_ptr<member>> members) noexcept {
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
CROFT_INLINE void thread_pool::end(member& one) {
    one.ends = true;
    one.given.store(one.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    one.bell.notify();
    one.thread.join();
}

CROFT_INLINE void thread_pool::serve(member& own) {
    port::name_this_thread(("croft-worker-" + std::to_string(own.number)).c_str());
    call(at_start_, own.number);
    for (std::uint32_t done = 0;;) {
        // Acquire: see start_one().
        while (own.given.load(std::memory_order_acquire) == done) {
            // Looking is worth a core only where one is free. (Those that are lent, this one perhaps among them,
            // and one that borrowed.)
            const bool worth_it = busy_.load(std::memory_order_relaxed) < cores_;
            detail::stay_awake(own.bell, worth_it ? spin : std::chrono::nanoseconds{0});
            own.bell.wait([&](auto load) { return load(own.given, plain_lines{}) != done; });
        }
        if (own.ends) break;
        own.work(own.of, own.index);
        own.done.store(++done, std::memory_order_release);
        own.caller.notify();
    }
    call(at_stop_, own.number);
}

CROFT_INLINE void thread_pool::set(hook& which, hook call) {
    const std::lock_guard guard(hooks_);
    which = std::move(call);
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
