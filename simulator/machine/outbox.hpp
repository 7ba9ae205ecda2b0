#pragma once
// The messages that the networks have not taken yet, in the order in which they will. That is by injection, then by
// source, then by the order in which the source sent them. The order is total, so it does not depend on when they were
// put in.
//
// Nearly all are injected within some cycles of now. They lie in a ring of slots of one cycle each, and are put in
// order when their cycle has come. A slot is a list of entries that lie close together and are used again at once.
// Those that are injected later wait in a queue.

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

    Outbox() { heads_.fill(none); }

    // When the first is injected.
    std::uint64_t next() const { return next_ < later_.next() ? next_ : later_.next(); }

    void push(Message* message) {
        const std::uint64_t time = message->time;
        if (time - taken_ >= slots) return later_.push(message);
        const std::uint32_t slot = CycleRing::slot_of(time);
        put(slot, message);
        occupied_.insert(slot);
        if (time < next_) next_ = time;
    }

    // Hands over all that are injected before `time`, which are all that ever will be.
    template <class Take>
    void take_before(std::uint64_t time, Take take) {
        while (next() < time) {
            const std::uint64_t now = next();
            const std::uint32_t slot = CycleRing::slot_of(now);
            while (later_.next() == now) put(slot, later_.pop());
            due_.clear();
            for (std::uint32_t& at = heads_[slot]; at != none;) {
                due_.push_back({entries_[at].order, entries_[at].message, none});
                const std::uint32_t behind = entries_[at].behind;
                entries_[at].behind = free_;
                free_ = at;
                at = behind;
            }
            if (due_.size() > 1) std::sort(due_.begin(), due_.end());
            for (const Entry& entry : due_) take(entry.message);
            occupied_.erase(slot);
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
        for (const std::uint32_t head : heads_)
            for (std::uint32_t at = head; at != none; at = entries_[at].behind) visit(*entries_[at].message);
        later_.for_each(visit);
    }

    void serialise(Archive& archive) {
        std::vector<Message*> messages;
        for_each([&](Message& message) { messages.push_back(&message); });
        std::ranges::sort(messages, comes_before);
        archive(taken_, messages);
        if (archive.loads())
            for (Message* message : messages) push(message);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        std::uint64_t order = 0;
        Message* message = nullptr;
        std::uint32_t behind = none;  // in its slot's list, or in that of free entries
        bool operator<(const Entry& other) const { return order < other.order; }
    };
    void put(std::uint32_t slot, Message* message) {
        if (free_ == none) {
            free_ = static_cast<std::uint32_t>(entries_.size());
            entries_.emplace_back();
        }
        const std::uint32_t at = free_;
        free_ = entries_[at].behind;
        entries_[at] = {order_of(*message), message, heads_[slot]};
        heads_[slot] = at;
    }
    std::uint64_t taken_ = 0;  // all that is injected before has been handed over
    std::uint64_t next_ = never;
    CycleRing occupied_;  // the slots that are not empty
    std::array<std::uint32_t, slots> heads_;
    std::uint32_t free_ = none;
    std::vector<Entry> entries_, due_;
    EventQueue later_;
};
static_assert(is_listed<Outbox, 1184>);

}  // namespace croftsim
