#pragma once
// The instructions of a window that have not issued, of which there may be so many. Each has an entry from its dispatch
// until it issues, in whatever order they do. The issue cycle of most is known as soon as they are dispatched; the
// others wait for a value first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"

namespace croftsim {

class IssueQueue {
public:
    // `entries`: 0 for any number.
    explicit IssueQueue(std::uint32_t entries) : entries_(entries) { issuing_.reserve(2 * std::size_t{entries} + 1); }

    bool is_limited() const { return entries_ != 0; }
    // Whether an instruction dispatched then finds an entry. Nothing asks about the past any more.
    bool has_room(std::uint64_t time) {
        if (entries_ == 0) return true;
        while (first_ != issuing_.size() && issuing_[first_].time <= time) ++first_;
        return waiting_ + (issuing_.size() - first_) < entries_;
    }
    // If there is none: when the first entry becomes free, as far as is known; perhaps never.
    std::uint64_t room() const {
        if (waiting_ >= entries_) return never;
        const std::size_t too_many = waiting_ + (issuing_.size() - first_) - entries_;
        return issuing_[first_ + too_many].time;
    }

    void enter() { ++waiting_; }
    // One that has entered will issue then.
    void issues(std::uint64_t sequence, std::uint64_t time) {
        --waiting_;
        if (entries_ == 0) return;
        if (first_ > entries_) {
            issuing_.erase(issuing_.begin(), issuing_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        std::size_t at = issuing_.size();
        issuing_.push_back({});
        for (; at > first_ && issuing_[at - 1].time > time; --at) issuing_[at] = issuing_[at - 1];
        issuing_[at] = {time, sequence};
    }
    // All from that one on are undone; of them so many wait for a value.
    void undo(std::uint64_t first, std::uint64_t waiting) {
        waiting_ -= waiting;
        const auto is_undone = [&](const Issuing& one) { return one.sequence >= first; };
        issuing_.erase(
            std::remove_if(issuing_.begin() + static_cast<std::ptrdiff_t>(first_), issuing_.end(), is_undone),
            issuing_.end());
    }
    void clear() {
        issuing_.clear();
        first_ = 0;
        waiting_ = 0;
    }

    // ---- if none waits for a value: who issues after `from`, in words of 32 bits (schedule_memory.hpp)

    template <class Add>
    void write_from(std::uint64_t from, Add add) const {
        for (std::size_t at = first_; at != issuing_.size(); ++at)
            if (issuing_[at].time > from) add(issuing_[at].time - from);
    }
    template <class Next>
    void read_from(std::uint64_t from, std::uint64_t words, Next next) {
        clear();
        for (; words > 0; --words) issuing_.push_back({from + next(), 0});
    }

    void serialise(Archive& archive) {
        archive(issuing_, first_, waiting_);
        if (first_ > issuing_.size()) Archive::damaged();
    }

private:
    struct Issuing {
        static constexpr bool is_plain = true;
        std::uint64_t time = 0, sequence = 0;
    };
    std::uint64_t entries_;
    std::vector<Issuing> issuing_;  // in the order of time; before `first_` they have
    std::size_t first_ = 0;
    std::uint64_t waiting_ = 0;
};
static_assert(is_listed<IssueQueue, 48>);

}  // namespace croftsim
