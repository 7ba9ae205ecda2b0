#pragma once
// Measurements that are repeated in turn, so that a disturbance falls on all of them, and their medians beside those of
// the raw bounces of the same run.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "two_cores.hpp"

namespace bench {

class table {
public:
    enum class unit { latency, stream };  // nanoseconds one way; million messages a second

    void add(unit kind, std::string name, std::function<double()> measure) {
        rows_.push_back({kind, std::move(name), std::move(measure), {}});
    }
    void measure(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            one_.push_back(bounce_one_line());
            two_.push_back(bounce_two_lines());
            for (row& each : rows_) each.found.push_back(each.measure());
        }
    }
    void print() {
        const double one = median(one_), two = median(two_);
        std::printf("%-54s %9.1f ns one way\n", "one line bounced, both directions in it", one);
        std::printf("%-54s %9.1f ns one way\n", "two lines bounced, one for each direction", two);
        std::printf("\n%-54s %9s %14s %14s\n", "latency", "ns", "/ two lines", "/ one line");
        for (row& each : rows_)
            if (const double found = median(each.found); each.kind == unit::latency)
                std::printf("%-54s %9.1f %14.2f %14.2f\n", each.name.c_str(), found, found / two, found / one);
        std::printf("\n%-54s %9s %14s\n", "stream", "million/s", "in two lines");  // messages in the time of a bounce
        for (row& each : rows_)
            if (const double found = median(each.found); each.kind == unit::stream)
                std::printf("%-54s %9.1f %14.1f\n", each.name.c_str(), found, found * two / 1e3);
    }

private:
    struct row {
        unit kind;
        std::string name;
        std::function<double()> measure;
        std::vector<double> found;
    };
    static double median(std::vector<double>& values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    }
    std::vector<row> rows_;
    std::vector<double> one_, two_;
};

}  // namespace bench
