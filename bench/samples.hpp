#pragma once
// The samples of a row, each with the distance of the two cores just then. Where a hypervisor moves virtual cores, a
// pair has a cache in common at one time and none at another. With a common cache lines travel in a seventh of the
// time. So what was measured here and there has no common median.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "results.hpp"
#include "two_cores.hpp"

namespace bench {

struct sample {
    double value, apart;  // apart: nanoseconds one way
};

// Nanoseconds one way, from few trips; 0 if there is one core.
inline double cores_apart() { return cores[0] == cores[1] ? 0 : bounce_one_line(500); }

// Distances that count as one.
struct distance {
    double least = 0, most = std::numeric_limits<double>::infinity();
    bool has(double apart) const { return least <= apart && apart <= most; }
};

// That at which most of them are, give or take a factor of two.
inline distance most_common(std::vector<double> distances) {
    std::sort(distances.begin(), distances.end());
    distance found;
    std::ptrdiff_t most = 0;
    for (auto each = distances.begin(); each != distances.end(); ++each) {
        const auto end = std::upper_bound(each, distances.end(), 2 * *each);
        if (end - each <= most) continue;
        most = end - each;
        found = {*each, 2 * *each};
    }
    return found;
}

// The median of the samples at that distance, or of all samples if none is there.
inline double median(const std::vector<sample>& samples, const distance& at) {
    std::vector<double> values, all;
    for (const sample& each : samples) {
        all.push_back(each.value);
        if (at.has(each.apart)) values.push_back(each.value);
    }
    if (values.empty()) values.swap(all);
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// The distance at which rows, whose samples are `found`, are told in the tables named; says so if the cores were not
// always there.
template <class Rows>
distance told(const std::vector<std::string>& tables, const Rows& rows) {
    std::vector<double> distances;
    for (const auto& row : rows)
        for (const sample& each : row.found) distances.push_back(each.apart);
    const distance found = most_common(distances);
    const auto there = std::count_if(distances.begin(), distances.end(), [&](double each) { return found.has(each); });
    const double share = static_cast<double>(there) / static_cast<double>(distances.size());
    if (share < 0.95)
        std::printf("\nTold of the %.0f %% of the samples at which the two cores were %.0f to %.0f ns apart.\n",
                    100 * share, found.least, found.most);
    for (const std::string& table : tables) record("cores apart", table, found.least);
    return found;
}

}  // namespace bench
