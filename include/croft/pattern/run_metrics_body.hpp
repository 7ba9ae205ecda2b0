#pragma once
// The body of run_metrics.hpp.

#include <algorithm>
#include <cstdio>

#include <croft/pattern/run_metrics.hpp>

namespace croft {

CROFT_INLINE std::string run_metrics::to_string() const {
    std::size_t widest = 4;
    for (const run_metrics::role& each : roles) widest = std::max(widest, each.name.size());
    const auto milliseconds = [](std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; };
    char line[128];
    std::snprintf(line, sizeof line, "%6s %10s %10s %10s %6s\n", "thread", "items", "busy ms", "waited ms", "fill");
    std::string text = "role" + std::string(widest - 4, ' ') + ' ' + line;
    for (const run_metrics::role& each : roles) {
        std::snprintf(line, sizeof line, "%6zu %10llu %10.3f %10.3f %6.1f\n", each.thread,
                      static_cast<unsigned long long>(each.items), milliseconds(each.busy), milliseconds(each.waited),
                      each.fill);
        text += each.name + std::string(widest - each.name.size(), ' ') + ' ' + line;
    }
    return text;
}

}  // namespace croft
