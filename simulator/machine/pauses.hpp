#pragma once
// The times at which the machine stands still for somebody who looks at it: for checkpoints, and for statistics every
// so many cycles. Such a time is a bound that no window crosses, like a limit of cycles, so it changes nothing of the
// run (machine/window.md).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "contract/simulation.hpp"

namespace croftsim {

class Pauses {
public:
    explicit Pauses(const RunOptions& options) : options_(options) { plan_from(0); }

    std::uint64_t next() const { return std::min({interval_at_, checkpoint_at_, asked_at_}); }
    // At `time`, the earliest at which the machine can stand still, a checkpoint is wanted; `stops`: and the run ends
    // there. False if nobody wants any.
    bool ask(std::uint64_t time, bool stops) {
        if (!options_.checkpoint) return false;
        asked_at_ = std::min(asked_at_, time);
        stops_ |= stops;
        return true;
    }
    bool asks_by_time() const { return options_.checkpoint && options_.checkpoint_due && options_.checkpoint_due(); }
    bool stops() const { return stops_ && asked_at_ == never; }  // and has been looked at

    // The machine stands still at `now`, which is next() or the end of the run. counts(): the statistics;
    // save(): the state, or throws CheckpointError.
    template <class Counts, class Save>
    void look(const Progress& at, bool is_limit, Counts counts, Save save) {
        const std::uint64_t now = at.cycles;
        if (options_.interval && interval_at_ <= now) cut(now, counts());
        const bool keeps = options_.checkpoint && (checkpoint_at_ <= now || asked_at_ <= now || is_limit);
        plan_from(now);
        if (!keeps) return;
        try {
            const std::vector<std::uint8_t> state = save();
            options_.checkpoint({at, state, {}});
        } catch (const CheckpointError& error) {
            options_.checkpoint({at, {}, error.what()});
        }
    }

    // The run has ended.
    void finish(std::uint64_t now, const std::vector<Statistic>& counts) {
        if (options_.interval) cut(now, counts);
    }
    const std::vector<Interval>& intervals() const { return intervals_; }

    // For a run that is restored, at `now`.
    void serialise(Archive& archive, std::uint64_t now) {
        archive(intervals_, before_);
        if (archive.loads()) plan_from(now);
    }

private:
    void plan_from(std::uint64_t now) {
        const auto behind = [now](std::uint64_t every) { return every ? (now / every + 1) * every : never; };
        interval_at_ = behind(options_.interval);
        checkpoint_at_ = options_.checkpoint ? behind(options_.checkpoint_every) : never;
        asked_at_ = never;
    }
    void cut(std::uint64_t now, const std::vector<Statistic>& counts) {
        const std::uint64_t begin = intervals_.empty() ? 0 : intervals_.back().end;
        if (begin == now && !intervals_.empty()) return;
        before_.resize(counts.size());
        Interval interval{begin, now, 0, std::vector<std::int64_t>(counts.size())};
        for (std::size_t i = 0; i < counts.size(); ++i) {
            interval.grew[i] = static_cast<std::int64_t>(counts[i].value - before_[i]);
            before_[i] = counts[i].value;
        }
        intervals_.push_back(std::move(interval));
    }

    const RunOptions& options_;
    std::uint64_t interval_at_ = never, checkpoint_at_ = never, asked_at_ = never;
    bool stops_ = false;
    std::vector<Interval> intervals_;
    std::vector<std::uint64_t> before_;  // the counts at the last cut
};

}  // namespace croftsim
