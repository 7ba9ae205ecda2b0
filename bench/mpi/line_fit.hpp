#pragma once
// A line through points, by least squares, with how far the points lie from it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

struct line_fit {
    double at_zero = 0, slope = 0;
    double residual = 0;  // root of the mean square
    double farthest = 0;  // from a point, as a share of the point
};

inline line_fit fit_line(const std::vector<double>& x, const std::vector<double>& y) {
    const auto count = static_cast<double>(x.size());
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum_x += x[i];
        sum_y += y[i];
        sum_xx += x[i] * x[i];
        sum_xy += x[i] * y[i];
    }
    line_fit found;
    found.slope = (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
    found.at_zero = (sum_y - found.slope * sum_x) / count;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double off = y[i] - found.at_zero - found.slope * x[i];
        squares += off * off;
        found.farthest = std::max(found.farthest, std::abs(off / y[i]));
    }
    found.residual = std::sqrt(squares / count);
    return found;
}

}  // namespace bench
