#pragma once
// The parts of a run that its program wants counted, between two system calls each (docs/instructions.md). The growth
// of the statistics in each is added up. The rows of a machine are always the same ones in the same order.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.hpp"
#include "contract/simulation.hpp"

namespace croftsim {

class Regions {
public:
    // `counts` at the time `now`. False, and nothing happens, if a region has begun already; if none has.
    // `place`: where the program has begun it.
    bool begin(std::vector<Statistic> counts, std::uint64_t now, std::uint64_t place) {
        if (begun_) return false;
        begun_ = Begun{now, place, std::move(counts)};
        ++count_;
        return true;
    }
    bool end(const std::vector<Statistic>& counts, std::uint64_t now) {
        if (!begun_) return false;
        add(counts, now);
        begun_.reset();
        return true;
    }

    // From now on each is kept by itself, too.
    void keep_each() { keeps_each_ = true; }
    // Each of them; one that goes on ends now.
    std::vector<Interval> each(const std::vector<Statistic>& counts, std::uint64_t now) const {
        Regions closed = *this;
        if (begun_) closed.add(counts, now);
        return closed.each_;
    }

    // Whether there was any.
    bool any() const { return count_ > 0; }
    // The sum of all of them; one that goes on ends now.
    std::vector<Statistic> total(const std::vector<Statistic>& counts, std::uint64_t now) const {
        Regions closed = *this;
        if (begun_) closed.add(counts, now);
        closed.total_.push_back({"region", 0, "cycles", "cycles", closed.cycles_});
        closed.total_.push_back({"region", 0, "regions", "regions", count_});
        return closed.total_;
    }

    void serialise(Archive& archive) { archive(begun_, total_, each_, cycles_, count_); }

private:
    struct Begun {
        std::uint64_t time = 0, place = 0;
        std::vector<Statistic> counts;
        void serialise(Archive& archive) { archive(time, place, counts); }
    };
    void add(const std::vector<Statistic>& counts, std::uint64_t now) {
        cycles_ += now - begun_->time;
        if (total_.empty()) {
            total_ = counts;
            for (Statistic& row : total_) row.value = 0;
        }
        for (std::size_t i = 0; i < total_.size(); ++i) {
            // A few are differences of counts that grow at different times.
            const std::uint64_t before = begun_->counts[i].value;
            if (counts[i].value > before) total_[i].value += counts[i].value - before;
        }
        if (!keeps_each_) return;
        Interval& one = each_.emplace_back(Interval{begun_->time, now, begun_->place, {}});
        for (std::size_t i = 0; i < counts.size(); ++i)
            one.grew.push_back(static_cast<std::int64_t>(counts[i].value - begun_->counts[i].value));
    }

    std::optional<Begun> begun_;
    std::vector<Statistic> total_;
    std::vector<Interval> each_;
    bool keeps_each_ = false;
    std::uint64_t cycles_ = 0, count_ = 0;
};
static_assert(is_listed<Regions, 120>);

}  // namespace croftsim
