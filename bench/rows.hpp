#pragma once
// Rows of a table: ways of doing the same work, measured in turn, so that a disturbance falls on all.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline double seconds_of(const std::function<void()>& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct row {
    std::string name;
    std::function<void()> action;
    std::vector<double> found = {};
    double median() {
        std::sort(found.begin(), found.end());
        return found[found.size() / 2];
    }
};

// Measures all rows in turn; the first one is the sequential loop.
inline void compare(const std::string& title, std::vector<row> rows, int items, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (row& each : rows) each.found.push_back(seconds_of(each.action));
    const double alone = rows[0].median();
    std::printf("\n%-58s %12s %12s\n", title.c_str(), "ns an item", "/ sequential");
    for (row& each : rows)
        std::printf("  %-56s %12.1f %12.2f\n", each.name.c_str(), each.median() / items * 1e9, each.median() / alone);
}

}  // namespace bench
