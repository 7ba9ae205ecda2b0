#pragma once
// The messages that the networks have not taken yet, in the order in which they will: by injection, then by source,
// then in the order in which the source sent them. The order is total, so it does not depend on when they were put in.
//
// Nearly all are injected within some cycles of now. They lie in a ring of slots of one cycle each, and are put in
// order when their cycle has come; what is injected later waits in a heap.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "contract/event_queue.hpp"

namespace croftsim {

class Outbox {
public:
    static constexpr std::uint64_t slots = 256;

    // When the first is injected.
    std::uint64_t next() const { return next_ < later_.next() ? next_ : later_.next(); }

    void push(Message* message) {
        const std::uint64_t time = message->time;
        if (time - taken_ >= slots) return later_.push(message);
        const std::uint64_t slot = time % slots;
        ring_[slot].push_back({std::uint64_t{message->source} << 48 | message->sequence, message});
        occupied_[slot / 64] |= std::uint64_t{1} << slot % 64;
        if (time < next_) next_ = time;
    }

    // Hands over all that are injected before `time`, which are all that ever will be.
    template <class Take>
    void take_before(std::uint64_t time, Take take) {
        while (next() < time) {
            const std::uint64_t now = next();
            std::vector<Entry>& slot = ring_[now % slots];
            while (later_.next() == now) {
                Message* message = later_.pop();
                slot.push_back({std::uint64_t{message->source} << 48 | message->sequence, message});
            }
            if (slot.size() > 1) std::sort(slot.begin(), slot.end());
            for (const Entry& entry : slot) take(entry.message);
            slot.clear();
            occupied_[now % slots / 64] &= ~(std::uint64_t{1} << now % 64);
            taken_ = now;
            next_ = first_behind(now);
        }
        taken_ = std::max(taken_, time);
    }

    template <class Visit>
    void for_each(Visit visit) {
        for (const auto& slot : ring_)
            for (const Entry& entry : slot) visit(*entry.message);
        later_.for_each(visit);
    }

private:
    struct Entry {
        std::uint64_t order;
        Message* message;
        bool operator<(const Entry& other) const { return order < other.order; }
    };
    std::uint64_t first_behind(std::uint64_t time) const {
        for (std::uint64_t at = time + 1, end = time + slots; at < end; at += 64 - at % 64) {
            const std::uint64_t rest = occupied_[at % slots / 64] >> at % 64;
            if (!rest) continue;
            const std::uint64_t found = at + static_cast<std::uint64_t>(std::countr_zero(rest));
            return found < end ? found : never;
        }
        return never;
    }

    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t taken_ = 0;  // all that is injected before has been handed over
    std::uint64_t next_ = never;
    std::array<std::uint64_t, slots / 64> occupied_{};
    std::array<std::vector<Entry>, slots> ring_;
    EventQueue later_;
};

}  // namespace croftsim
