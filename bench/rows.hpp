#pragma once
// Rows of a table: ways of doing the same work, measured in turn, so that a disturbance falls on all.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "results.hpp"
#include "samples.hpp"

namespace bench {

inline double seconds_of(const std::function<void()>& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct row {
    std::string name;
    std::function<void()> action;
    std::function<void()> before = {}, after = {};  // around each measurement, and not in it
    std::vector<sample> found = {};
};

// Measures all rows in turn; the first one is what the others are compared with: the sequential loop, if nothing else
// is said.
inline void compare(const std::string& title, std::vector<row> rows, int items, int rounds,
                    const char* beside = "/ sequential") {
    for (int round = 0; round < rounds; ++round)
        for (row& each : rows) {
            const double apart = cores_apart();
            if (each.before) each.before();
            each.found.push_back({seconds_of(each.action), apart});
            if (each.after) each.after();
        }
    const distance at = told({title}, rows);
    const double alone = median(rows[0].found, at);
    std::printf("\n%-58s %12s %12s\n", title.c_str(), "ns an item", beside);
    for (row& each : rows) {
        const double found = median(each.found, at);
        std::printf("  %-56s %12.1f %12.2f\n", each.name.c_str(), found / items * 1e9, found / alone);
        record(title, each.name, found / items * 1e9);
    }
}

}  // namespace bench
