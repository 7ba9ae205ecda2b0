#pragma once
// Things that a core has to do at times that it knows, in that order. Nearly every event is later than those that wait,
// so it goes to the end of the line, and none is moved. A heap takes several times as many steps.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"

namespace croftsim {

// Events of the same time are in the order of age.
struct Event {
    static constexpr bool is_plain = true;
    std::uint64_t time, age, place;
    bool before(const Event& other) const { return time != other.time ? time < other.time : age < other.age; }
};

class EventLine {
public:
    bool empty() const { return first_ == events_.size(); }
    const Event& first() const { return events_[first_]; }
    std::uint64_t next() const { return next_; }  // the first one's time, or never
    void push(const Event& event) {
        std::size_t at = events_.size();
        events_.push_back(event);
        for (; at > first_ && event.before(events_[at - 1]); --at) events_[at] = events_[at - 1];
        events_[at] = event;
        next_ = events_[first_].time;
    }
    Event pop() {
        const Event event = events_[first_++];
        if (first_ == events_.size()) {
            clear();
        } else if (first_ == most_gone) {
            events_.erase(events_.begin(), events_.begin() + most_gone);
            first_ = 0;
        }
        if (!empty()) next_ = events_[first_].time;
        return event;
    }
    void clear() {
        events_.clear();
        first_ = 0;
        next_ = never;
    }

    void serialise(Archive& archive) {
        archive(events_, first_, next_);
        if (first_ > events_.size()) Archive::damaged();
    }

private:
    static constexpr std::ptrdiff_t most_gone = 64;
    std::vector<Event> events_;  // the first of them gone
    std::size_t first_ = 0;
    std::uint64_t next_ = never;
};
static_assert(is_listed<EventLine, 40>);

}  // namespace croftsim
