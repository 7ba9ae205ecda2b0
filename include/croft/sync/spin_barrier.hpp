#pragma once
// A barrier of N threads on flags, for threads that meet often. Nobody enters the operating system unless waiting takes
// long (where the wait policy does so at all). No line is written by all of them.
//
// Dissemination: in round r thread i signals thread i + 2^r (modulo N) and waits for a signal from i - 2^r. After log2
// N rounds, rounded up, everyone has heard of everyone, directly or not. Each thread's flags, one a round, lie in a
// line of their own that is homed at its core, if the policies have such homes. The thread only reads them, and one
// other thread writes each.
//
// Flags count the times the barrier was used and are never reset, so the barrier can be used again at once. A signal
// may come for the next time before this time's was looked at, so a waiter waits for its number or a later one. (Not
// for more: the time after next begins for nobody before all have arrived at the next.)
//
// All that a thread did before it arrived is visible to all after they have left. Every signal releases and every wait
// acquires, and that goes on from round to round.
//
// The sibling: network_barrier.hpp, on the machine's network.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <croft/channel/flag.hpp>
#include <croft/channel/policies.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace detail {

template <class Policies = policies>
class basic_spin_barrier {
    using wait_policy = typename Policies::wait;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(part::message));
    using word = typename Policies::template atomic<std::uint32_t>;
    static constexpr std::size_t max_rounds = port::cache_line / sizeof(std::uint32_t);

    struct alignas(port::cache_line) flags {
        std::array<word, max_rounds> of_round{};
    };
    struct member {
        explicit member(int core)
            : signals(1, home::between({any_core, core, core}).at(part::message)), times(1, plain_lines(core)) {
            times[0] = 0;
        }
        line_array<flags, line_kind> signals;
        line_array<std::uint32_t, plain_lines> times;  // how often it has arrived
        wait_policy waiter;
    };

public:
    // `cores`: where each thread runs, if that is known. Throws std::invalid_argument for no threads at all.
    explicit basic_spin_barrier(std::size_t threads, const std::vector<int>& cores = {}) {
        if (threads == 0) throw std::invalid_argument("croft::spin_barrier: there has to be at least one thread");
        if (!cores.empty() && cores.size() != threads)
            throw std::invalid_argument("croft::spin_barrier: each thread has a core, or none has");
        for (std::size_t i = 0; i < threads; ++i)
            members_.push_back(std::make_unique<member>(cores.empty() ? any_core : cores[i]));
    }

    std::size_t size() const { return members_.size(); }

    // Called by thread `which`, 0 to N - 1: returns when all N have called it as often.
    void arrive_and_wait(std::size_t which) {
        member& own = *members_[which];
        const std::uint32_t time = ++own.times[0];
        for (std::size_t round = 0, distance = 1; distance < size(); ++round, distance *= 2) {
            member& other = *members_[(which + distance) % size()];
            auto&& signal = other.signals.kind().template event<false>(other.signals[0].of_round[round]);
            signal.store(time, std::memory_order_release);
            other.waiter.notify();
            const auto come = [&](auto load) {
                return static_cast<std::int32_t>(load(own.signals[0].of_round[round], own.signals.kind()) - time) >= 0;
            };
            while (!come(acquire_load{})) own.waiter.wait(come);
        }
    }

    // The waiter of thread `which`.
    wait_policy& waiter(std::size_t which) { return members_[which]->waiter; }

private:
    std::vector<std::unique_ptr<member>> members_;
};

}  // namespace detail

using spin_barrier = detail::basic_spin_barrier<>;

}  // namespace croft
