#pragma once
// The threads of a network: the pool's (thread/thread_pool.hpp), or, where each has to begin on its own core, its own.
// None of them begins before all are there: so if one cannot be had, there is nothing under way that would have to be
// ended.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include <croft/memory/lines.hpp>
#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/plan.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/borrowed_as.hpp>
#include <croft/thread/core_claims.hpp>
#include <croft/thread/core_share.hpp>
#include <croft/thread/thread_pool.hpp>

namespace croft::detail {

// The work of each thread of a network.
template <class Policies>
class network_thread {
public:
    network_thread(builder<Policies>& made, const plan& by) : made_(made), by_(by) {}

    void pin(std::size_t i) const {
        if (by_.cores.empty() || by_.cores[i] == any_core || port::pin_this_thread(by_.cores[i])) return;
        throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                                "croft: no thread can be pinned to core " + std::to_string(by_.cores[i]));
    }
    void guarded_pin(std::size_t i) const {
        made_.state().guard([&] { pin(i); });
    }
    void run(std::size_t i) const { made_.thread(i).run(); }
    const plan& by() const { return by_; }

private:
    builder<Policies>& made_;
    const plan& by_;
};

// Borrowed from the pool, all before one of them is told anything.
template <class Policies>
class borrowed_threads {
public:
    borrowed_threads(network_thread<Policies> each, std::size_t first)
        : each_(each), first_(first), threads_(each.by().threads - first) {}
    void start() { threads_.start(*this); }
    void operator()(std::size_t i) const {
        const core_share::at_work here;
        borrowed_as thread;
        if (!each_.by().cores.empty() && thread.may_be_pinned()) each_.guarded_pin(first_ + i);
        each_.run(first_ + i);
    }
    void join() { threads_.join(); }

private:
    network_thread<Policies> each_;
    std::size_t first_;
    thread_pool::loan threads_;
};

// Started in the order of their cores. A simulated machine starts a thread on the first idle core, and a core that has
// a thread takes no other. So as long as each begins on its own core, none has to be waited for. After the first that
// does not, each is waited for until it has moved to its core.
template <class Policies>
class placed_threads {
public:
    placed_threads(network_thread<Policies> each, std::size_t first) : each_(each) {
        const plan& by = each.by();
        threads_.reserve(by.threads - first);
        try {
            int before = first == 1 && !by.cores.empty() ? by.cores[0] : lines::this_core();
            bool in_place = before == 0 && !by.cores.empty();
            for (const std::size_t i : in_order_of_cores(first)) {
                threads_.emplace_back([this, i] { begin(i); });
                in_place = in_place && by.cores[i] == ++before;
                if (!in_place) await(placed_, static_cast<std::uint32_t>(threads_.size()));
            }
        } catch (const std::system_error& error) {
            const std::size_t started = threads_.size();
            set_gate(given_up);
            join();
            throw std::system_error(error.code(), "croft: of " + std::to_string(by.threads - first) + " threads " +
                                                      std::to_string(started) + " could be started");
        }
        set_gate(open);
    }
    placed_threads(const placed_threads&) = delete;
    placed_threads& operator=(const placed_threads&) = delete;

    void join() {
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

private:
    std::vector<std::size_t> in_order_of_cores(std::size_t first) const {
        const plan& by = each_.by();
        std::vector<std::size_t> order(by.threads - first);
        std::iota(order.begin(), order.end(), first);
        if (!by.cores.empty())
            std::sort(order.begin(), order.end(),
                      [&](std::size_t a, std::size_t b) { return by.cores[a] < by.cores[b]; });
        return order;
    }

    static constexpr std::uint32_t closed = 0, open = 1, given_up = 2;

    void begin(std::size_t i) {
        each_.guarded_pin(i);
        placed_.fetch_add(1, std::memory_order_relaxed);  // it tells of nothing but itself
        placed_.notify_all();
        gate_.wait(closed, std::memory_order_acquire);
        if (gate_.load(std::memory_order_acquire) == open) each_.run(i);
    }
    static void await(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
        for (std::uint32_t found; (found = word.load(std::memory_order_relaxed)) != value;)
            word.wait(found, std::memory_order_relaxed);
    }
    // Release: the network was made before. (Starting a thread would say so too.)
    void set_gate(std::uint32_t value) {
        gate_.store(value, std::memory_order_release);
        gate_.notify_all();
    }

    network_thread<Policies> each_;
    std::vector<std::thread> threads_;
    std::atomic<std::uint32_t> gate_{closed}, placed_{0};
};

template <class Policies>
class network_threads {
public:
    // Starts thread `first` and those after it; if that is 1, the calling thread is thread 0. Throws std::system_error.
    network_threads(builder<Policies>& made, const plan& by, std::size_t first)
        : each_(made, by), claim_(port::waits_on_lines ? std::vector<int>{} : by.cores) {
        if constexpr (port::waits_on_lines) {
            if (first == 1) each_.pin(0);
            if (by.threads > first) others_.emplace(each_, first);
        } else {
            // A thread that is started may run where its starter may: so they are started before the starter is pinned.
            if (by.threads > first) others_.emplace(each_, first);
            if (first == 1) each_.pin(0);
            if (others_) others_->start();
        }
    }

    // Does the work of thread 0 in the calling one.
    void run_here() {
        [[maybe_unused]] const core_share::at_work here;
        each_.run(0);
    }
    void join() {
        if (others_) others_->join();
    }

private:
    network_thread<Policies> each_;
    core_claim claim_;
    std::optional<std::conditional_t<port::waits_on_lines, placed_threads<Policies>, borrowed_threads<Policies>>>
        others_;
};

#if defined(CROFT_COMPILED)
extern template class executor<policies>;
extern template class builder<policies>;
extern template class network_threads<policies>;
#endif

}  // namespace croft::detail
