#pragma once
// The service time of a stream: the average time between two successive results, over its steady part.
//
// The steady part leaves out the first results and the last ones. At either end these are as many as can be under way
// at once, but at most a quarter of the stream. In between, results may come in bursts of one from each worker. So the
// number of intervals measured is a multiple of the number of workers, if there are as many.
//
// A stream may also have no fixed length, and end when it has been measured well enough. That is after at least 300
// results. By then the mean over the second half of the steady part is within 1% of that over all of it.
//
// Reading the clocks costs something, so only the moments that matter are read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "moment.hpp"

namespace programs {

class service_time {
public:
    // For a stream of `results`, of which `under_way` may be in flight, made by `workers`. `until_stable`: that is the
    // most, and the stream may end when settled() says so.
    service_time(std::size_t results, std::size_t under_way, std::size_t workers, bool until_stable = false) {
        const std::size_t left_out = std::min(under_way, (until_stable ? std::min(results, fewest) : results) / 4);
        first_ = left_out;
        std::size_t intervals = results > 2 * left_out + 1 ? results - 2 * left_out - 1 : 0;
        if (intervals > workers) intervals -= intervals % workers;
        last_ = first_ + intervals;
        if (until_stable) step_ = (step + workers - 1) / workers * workers;
    }

    // To be called at every result.
    void result() {
        if (step_ != 0) {
            if (seen_ >= first_ && (seen_ - first_) % step_ == 0 && !settled_) check();
        } else {
            result(seen_);
        }
        ++seen_;
    }
    // The same of a stream of fixed length whose results are numbered as they come, by several threads.
    void result(std::size_t number) {
        if (number == first_) begin_ = moment::now();
        if (number == last_) end_ = moment::now();
    }
    // Whether the stream has been measured well enough.
    bool settled() const { return settled_; }

    // 0 for a stream of fewer than two results.
    double nanoseconds() const { return per_interval(programs::nanoseconds(begin_, end_)); }
    double cycles() const { return per_interval(programs::cycles(begin_, end_)); }

private:
    static constexpr std::size_t fewest = 300, step = 30;
    static constexpr double tolerance = 0.01;

    void check() {
        end_ = moment::now();
        last_ = seen_;
        checks_.push_back(end_.cycles);
        if (checks_.size() == 1) begin_ = end_;
        const std::size_t steps = checks_.size() - 1, half = steps / 2;
        if (seen_ + 1 < fewest || half == 0) return;
        const auto mean = [&](std::size_t from) {
            return static_cast<double>(checks_[steps] - checks_[from]) / static_cast<double>(steps - from);
        };
        const double whole = mean(0), later = mean(half);
        settled_ = std::max(whole, later) - std::min(whole, later) <= tolerance * whole;
    }
    double per_interval(double whole) const { return last_ > first_ ? whole / static_cast<double>(last_ - first_) : 0; }

    std::size_t first_, last_, seen_ = 0;
    moment begin_, end_;
    std::size_t step_ = 0;  // between two checks; 0: the stream's length is fixed
    bool settled_ = false;
    std::vector<std::uint64_t> checks_;  // when they were
};

}  // namespace programs
