#pragma once
// A barrier of N threads on the machine's network. It is spin_barrier.hpp's with a notification
// (channel/notifications.hpp) for every signal, so that it writes no shared line. It takes no hardware queue of its
// own. A core may be in any number of such barriers, and have any number of channels with notified events beside.
//
// A notification sets a flag, it does not count. So even and odd times have flags of their own. Otherwise a
// notification for the next time could be taken for, or lost beside, one of this time that was not looked at yet. No
// third set is needed: see there.

#include <croft/channel/notifications.hpp>

#if defined(CROFT_MANY_CORE)

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <croft/memory/line_array.hpp>

namespace croft {

class network_barrier {
    static constexpr std::uint32_t max_rounds = 16;

    struct flags {
        std::array<event_flag, 2 * max_rounds> of_round{};
        bool odd = false;
    };
    struct member {
        explicit member(int at)
            : core(at), signals(1, detail::plain_lines(at)), number(signals[0].of_round.data(), nullptr) {}
        int core;
        detail::line_array<flags, detail::plain_lines> signals;
        notifications::registration number;
    };

public:
    // `cores`: where each thread runs. Throws std::invalid_argument for no threads, std::length_error for too many
    // barriers.
    explicit network_barrier(const std::vector<int>& cores) {
        if (cores.empty()) throw std::invalid_argument("croft::network_barrier: there has to be at least one thread");
        for (const int core : cores) members_.push_back(std::make_unique<member>(core));
    }

    std::size_t size() const { return members_.size(); }

    // Called by thread `which`, 0 to N - 1: returns when all N have called it as often. Throws std::logic_error if that
    // thread runs elsewhere than was said.
    void arrive_and_wait(std::size_t which) {
        member& own = *members_[which];
        if (own.core != static_cast<int>(port::this_core()))
            throw std::logic_error("croft::network_barrier: a thread that was to run on core " +
                                   std::to_string(own.core) + " runs on core " + std::to_string(port::this_core()));
        flags& mine = own.signals[0];
        std::uint32_t round = mine.odd ? max_rounds : 0;
        mine.odd = !mine.odd;
        for (std::size_t distance = 1; distance < size(); ++round, distance *= 2) {
            const member& other = *members_[(which + distance) % size()];
            std::atomic_thread_fence(std::memory_order_release);
            notifications::notify(port::address(static_cast<unsigned>(other.core), notifications::tag),
                                  other.number.tuple(round), notifications::kind::ready);
            event_flag& signal = mine.of_round[round];
            waits::notified().wait([&](auto load) { return load(signal) != 0; });
            signal.store(0, std::memory_order_relaxed);
            // All that the senders of this signal did before is visible.
            std::atomic_thread_fence(std::memory_order_acquire);
        }
    }

private:
    std::vector<std::unique_ptr<member>> members_;
};

}  // namespace croft

#endif
