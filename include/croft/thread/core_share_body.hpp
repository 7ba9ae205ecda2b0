#pragma once
// The bodies of core_share.hpp.

#include <algorithm>
#include <atomic>
#include <mutex>

#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/core_share.hpp>
#include <croft/thread/thread_limit.hpp>

namespace croft::detail {

inline constinit thread_local bool works_for_a_share = false;

// Both ascend; none, where the system does not tell.
inline bool have_one_in_common(const std::vector<int>& a, const std::vector<int>& b) {
    if (a.empty() && b.empty()) return true;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (*i == *j) return true;
        ++(*i < *j ? i : j);
    }
    return false;
}

struct share_of_cores::all_shares {
    process_mutex lock;
    share_of_cores* first = nullptr;
    std::atomic<std::size_t> threads{0};  // relaxed: a hint for those who have not the lock
    this_process process;

    // In a child nobody has any: those of its parent's threads lie on stacks that are no more.
    void begin() {
        if (process.still()) return;
        first = nullptr;
        threads.store(0, std::memory_order_relaxed);
        process = this_process();
    }
    // How many of `cores` are free for threads that are not there yet, beside the one that asks.
    std::size_t free(const std::vector<int>& cores) const {
        std::size_t taken = works_for_a_share ? 0 : 1;
        for (const share_of_cores* each = first; each; each = each->next_)
            if (have_one_in_common(each->cores_, cores)) taken += each->counted_;
        const std::size_t all = std::min(port::core_count(cores.size()), thread_limit::now());
        return all > taken ? all - taken : 0;
    }
    void count(share_of_cores& one, std::size_t now) {
        threads.store(threads.load(std::memory_order_relaxed) - one.counted_ + now, std::memory_order_relaxed);
        one.counted_ = now;
    }
};

CROFT_INLINE share_of_cores::all_shares& share_of_cores::all() {
    static port::never_destroyed<all_shares> one;
    return one.get();
}

CROFT_INLINE share_of_cores::share_of_cores(std::size_t threads, caller asks)
    : threads_(threads), cores_(port::allowed_cores()) {
    const std::lock_guard guard(all().lock);
    all().begin();
    // The thread that asks is one of those that a limit allows, whether it works or not.
    const std::size_t most = thread_limit::now() - (asks == caller::works ? 0 : 1);
    threads_ = std::min(threads_, std::max<std::size_t>(most, 1));
    if (threads_ == 0)
        threads_ = asks == caller::works ? all().free(cores_) + 1 : std::max<std::size_t>(all().free(cores_), 1);
    next_ = all().first;
    all().first = this;
    all().count(*this, asks == caller::works && works_for_a_share ? threads_ - 1 : threads_);
}

CROFT_INLINE share_of_cores::~share_of_cores() {
    if (!process_.still()) return;
    const std::lock_guard guard(all().lock);
    share_of_cores** at = &all().first;
    while (*at != this) at = &(*at)->next_;
    *at = next_;
    all().count(*this, 0);
}

CROFT_INLINE void share_of_cores::keep(std::size_t threads) {
    if (!process_.still() || threads == threads_) return;
    const std::lock_guard guard(all().lock);
    const std::size_t elsewhere = threads_ - counted_;
    threads_ = threads;
    all().count(*this, threads_ - elsewhere);
}

CROFT_INLINE std::size_t share_of_cores::left() {
    const std::vector<int> cores = port::allowed_cores();
    const std::lock_guard guard(all().lock);
    all().begin();
    return all().free(cores) + 1;
}

CROFT_INLINE std::size_t share_of_cores::threads_at_work() { return all().threads.load(std::memory_order_relaxed); }

CROFT_INLINE share_of_cores::at_work::at_work() : before_(works_for_a_share) { works_for_a_share = true; }
CROFT_INLINE share_of_cores::at_work::~at_work() { works_for_a_share = before_; }

}  // namespace croft::detail
