#pragma once
// The service time of a stream: the average time between two successive results, over its steady part.
//
// The steady part leaves out the first results and the last ones: as many at either end as can be under way at once,
// but at most a quarter of the stream. In between, results may come in bursts of one from each worker; so the number of
// intervals measured is a multiple of the number of workers, if there are as many.
//
// Reading the clocks costs something, so only the two moments that matter are read.

#include <algorithm>
#include <cstddef>

#include "moment.hpp"

namespace programs {

class service_time {
public:
    // Of a stream of `results`, of which `under_way` may be in flight, made by `workers`.
    service_time(std::size_t results, std::size_t under_way, std::size_t workers) {
        const std::size_t left_out = std::min(under_way, results / 4);
        first_ = left_out;
        std::size_t intervals = results > 2 * left_out + 1 ? results - 2 * left_out - 1 : 0;
        if (intervals > workers) intervals -= intervals % workers;
        last_ = first_ + intervals;
    }

    // To be called at every result.
    void result() {
        if (seen_ == first_) begin_ = moment::now();
        if (seen_ == last_) end_ = moment::now();
        ++seen_;
    }

    // 0 for a stream of fewer than two results.
    double nanoseconds() const { return per_interval(programs::nanoseconds(begin_, end_)); }
    double cycles() const { return per_interval(programs::cycles(begin_, end_)); }

private:
    double per_interval(double whole) const { return last_ > first_ ? whole / static_cast<double>(last_ - first_) : 0; }

    std::size_t first_, last_, seen_ = 0;
    moment begin_, end_;
};

}  // namespace programs
