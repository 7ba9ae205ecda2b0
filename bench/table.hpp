#pragma once
// Measurements that are repeated in turn, so that a disturbance falls on all of them. Their medians stand beside those
// of the raw bounces of the same run.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "results.hpp"
#include "samples.hpp"
#include "two_cores.hpp"

namespace bench {

class table {
public:
    enum class unit { bounce, latency, stream };  // nanoseconds one way; for streams, million messages a second

    table() {
        add(unit::bounce, "one line bounced, both directions in it", [] { return bounce_one_line(); });
        add(unit::bounce, "two lines bounced, one for each direction", bounce_two_lines);
    }
    void add(unit kind, std::string name, std::function<double()> measure) {
        rows_.push_back({kind, std::move(name), std::move(measure), {}});
    }
    void measure(int rounds) {
        for (int round = 0; round < rounds; ++round)
            for (row& each : rows_) {
                const double apart = cores_apart();
                each.found.push_back({each.measure(), apart});
            }
    }
    void print() {
        const distance at = told({"latency", "stream"}, rows_);
        const double one = median(rows_[0].found, at), two = median(rows_[1].found, at);
        for (const row& each : rows_)
            if (each.kind == unit::bounce)
                std::printf("%-54s %9.1f ns one way\n", each.name.c_str(), median(each.found, at));
        record("bounced", "one line", one);
        record("bounced", "two lines", two);
        std::printf("\n%-54s %9s %14s %14s\n", "latency", "ns", "/ two lines", "/ one line");
        for (row& each : rows_)
            if (const double found = median(each.found, at); each.kind == unit::latency) {
                std::printf("%-54s %9.1f %14.2f %14.2f\n", each.name.c_str(), found, found / two, found / one);
                record("latency", each.name, found);
            }
        std::printf("\n%-54s %9s %14s %14s\n", "stream", "ns", "million/s", "in two lines");  // the time of a bounce
        for (row& each : rows_)
            if (const double found = median(each.found, at); each.kind == unit::stream) {
                std::printf("%-54s %9.2f %14.1f %14.1f\n", each.name.c_str(), 1e3 / found, found, found * two / 1e3);
                record("stream", each.name, 1e3 / found);
            }
    }

private:
    struct row {
        unit kind;
        std::string name;
        std::function<double()> measure;
        std::vector<sample> found;
    };
    std::vector<row> rows_;
};

}  // namespace bench
