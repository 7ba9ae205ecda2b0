#pragma once
// The threads of a network. None of them begins before all have been started: so if one cannot be, there is nothing
// under way that would have to be ended.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <croft/memory/lines.hpp>
#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/plan.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {
template <class Policies>
class network_threads {
public:
    // Starts thread `first` and those after it; if that is 1, the calling thread is thread 0. Throws std::system_error.
    network_threads(builder<Policies>& made, const plan& by, std::size_t first) : made_(made), by_(by) {
        threads_.reserve(by.threads - first);
        if (first == 1) pin(0);
        try {
            int before = first == 1 && !by.cores.empty() ? by.cores[0] : lines::this_core();
            bool in_place = before == 0 && !by.cores.empty();
            for (const std::size_t i : in_order_of_cores(first)) {
                threads_.emplace_back([this, i] { begin(i); });
                if constexpr (port::waits_on_lines) {
                    in_place = in_place && by.cores[i] == ++before;
                    if (!in_place) await(placed_, static_cast<std::uint32_t>(threads_.size()));
                }
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
    network_threads(const network_threads&) = delete;
    network_threads& operator=(const network_threads&) = delete;

    // Does the work of thread 0 in the calling one.
    void run_here() { made_.thread(0).run(); }
    void join() {
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

private:
    // A simulated machine starts a thread on the first idle core, and one that has a thread takes no other. So as long
    // as each begins on its own core, none has to be waited for; afterwards each is, until it has moved to its core.
    std::vector<std::size_t> in_order_of_cores(std::size_t first) const {
        std::vector<std::size_t> order(by_.threads - first);
        std::iota(order.begin(), order.end(), first);
        if (!by_.cores.empty())
            std::sort(order.begin(), order.end(),
                      [&](std::size_t a, std::size_t b) { return by_.cores[a] < by_.cores[b]; });
        return order;
    }

    static constexpr std::uint32_t closed = 0, open = 1, given_up = 2;

    void begin(std::size_t i) {
        made_.state().guard([&] { pin(i); });
        placed_.fetch_add(1, std::memory_order_relaxed);  // it tells of nothing but itself
        placed_.notify_all();
        gate_.wait(closed, std::memory_order_acquire);
        if (gate_.load(std::memory_order_acquire) == open) made_.thread(i).run();
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
    void pin(std::size_t i) {
        if (by_.cores.empty() || by_.cores[i] == any_core || port::pin_this_thread(by_.cores[i])) return;
        throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                                "croft: no thread can be pinned to core " + std::to_string(by_.cores[i]));
    }

    builder<Policies>& made_;
    const plan& by_;
    std::vector<std::thread> threads_;
    std::atomic<std::uint32_t> gate_{closed}, placed_{0};
};

#if defined(CROFT_COMPILED)
extern template class executor<policies>;
extern template class builder<policies>;
extern template class network_threads<policies>;
#endif

}  // namespace croft::detail
