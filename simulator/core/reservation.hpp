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
    void start(std::uint64_t line) { lines_.assign(1, line); }
    void add(std::uint64_t line) {
        if (held() && !covers(line)) lines_.push_back(line);
    }
    void lose() { lines_.clear(); }
    bool held() const { return !lines_.empty(); }
    bool covers(std::uint64_t line) const { return std::ranges::find(lines_, line) != lines_.end(); }
    // The line of a lone lr, to which an sc may store.
    bool permits_store(std::uint64_t line) const { return held() && first() == line; }
    std::uint64_t first() const { return held() ? lines_.front() : 0; }
    template <class Predicate>
    bool any(Predicate predicate) const {
        return std::ranges::any_of(lines_, predicate);
    }

    void serialise(Archive& archive) { archive(lines_); }

private:
    std::vector<std::uint64_t> lines_;  // none: none is held
};
static_assert(is_listed<Reservation, 24>);

}  // namespace croftsim
