#pragma once
// The messages that the networks have not taken yet, in the order in which they will. That is by injection, then by
// source, then by the order in which the source sent them. The order is total, so it does not depend on when they were
// put in.
//
// Nearly all are injected within some cycles of now. They lie in a ring of slots of one cycle each, and are put in
// order when their cycle has come. Those that are injected later wait in a heap.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "machine/cycle_ring.hpp"
#include "machine/event_queue.hpp"

namespace croftsim {

class Outbox {
public:
    static constexpr std::uint64_t slots = CycleRing::slots;

    // When the first is injected.
    std::uint64_t next() const { return next_ < later_.next() ? next_ : later_.next(); }

    void push(Message* message) {
        const std::uint64_t time = message->time;
        if (time - taken_ >= slots) return later_.push(message);
        const std::uint32_t slot = CycleRing::slot_of(time);
        ring_[slot].push_back({order_of(*message), message});
        occupied_.insert(slot);
        if (time < next_) next_ = time;
    }

    // Hands over all that are injected before `time`, which are all that ever will be.
    template <class Take>
    void take_before(std::uint64_t time, Take take) {
        while (next() < time) {
            const std::uint64_t now = next();
            std::vector<Entry>& slot = ring_[CycleRing::slot_of(now)];
            while (later_.next() == now) {
                Message* message = later_.pop();
                slot.push_back({order_of(*message), message});
            }
            if (slot.size() > 1) std::sort(slot.begin(), slot.end());
            for (const Entry& entry : slot) take(entry.message);
            slot.clear();
            occupied_.erase(CycleRing::slot_of(now));
            taken_ = now;
            next_ = occupied_.first(now + 1, now + slots);
        }
        taken_ = std::max(taken_, time);
    }

    // Hands over all there are. Others may still be injected before some of them.
    template <class Take>
    void take_all(Take take) {
        const std::uint64_t taken = taken_;
        while (next() != never) take_before(next() + 1, take);
        taken_ = taken;
    }

    template <class Visit>
    void for_each(Visit visit) {
        for (const auto& slot : ring_)
            for (const Entry& entry : slot) visit(*entry.message);
        later_.for_each(visit);
    }

    void serialise(Archive& archive) { archive(taken_, next_, occupied_, ring_, later_); }

private:
    struct Entry {
        std::uint64_t order;
        Message* message;
        void serialise(Archive& archive) { archive(order, message); }
        bool operator<(const Entry& other) const { return order < other.order; }
    };
    std::uint64_t taken_ = 0;  // all that is injected before has been handed over
    std::uint64_t next_ = never;
    CycleRing occupied_;  // the slots that are not empty
    std::array<std::vector<Entry>, slots> ring_;
    EventQueue later_;
};
static_assert(is_listed<Outbox, 6224>);

}  // namespace croftsim
