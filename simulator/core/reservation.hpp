#pragma once
// The lines a core has reserved: by lr, which starts a new set, and by croft.watch, which adds to it. As soon as
// another core's write to any of its lines reaches this core, the set is lost as a whole. (Zalrsc permits any larger
// set, and any spurious loss.) A waiting core (wrs.nto, wrs.sto) sleeps until then.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

// If a line has a reservation in it, its owner keeps it from others for so many cycles at most. That is enough for the
// loops that must make progress (chapter "A").
constexpr std::uint64_t reservation_hold = 32;

class Reservation {
public:
    void start(std::uint64_t line) {
        lines_.assign(1, line);
        held_ = true;
    }
    void add(std::uint64_t line) {
        if (held_ && std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(line);
    }
    void lose() {
        held_ = false;
        lines_.clear();
    }
    bool held() const { return held_; }
    bool covers(std::uint64_t line) const {
        return held_ && std::find(lines_.begin(), lines_.end(), line) != lines_.end();
    }
    // The line of a lone lr, to which an sc may store.
    bool permits_store(std::uint64_t line) const { return held_ && !lines_.empty() && lines_.front() == line; }
    std::uint64_t first() const { return lines_.empty() ? 0 : lines_.front(); }
    template <class Predicate>
    bool any(Predicate predicate) const {
        return held_ && std::any_of(lines_.begin(), lines_.end(), predicate);
    }

    void serialise(Archive& archive) { archive(lines_, held_); }

private:
    std::vector<std::uint64_t> lines_;
    bool held_ = false;
};
static_assert(is_listed<Reservation, 32>);

}  // namespace croftsim
