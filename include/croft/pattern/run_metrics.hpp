#pragma once
// The numbers that a measured run gives for each of its roles (run_measured.hpp).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <croft/port/compiled.hpp>

namespace croft {

struct run_metrics {
    struct role {
        std::string name;         // as the plan has it: "farm.worker 2.stage"
        std::size_t thread = 0;   // that it ran on; 0 is the calling one
        std::uint64_t items = 0;  // a source: made; others: taken, without those that a filter before had let fall
        // In the user's own function and, natively, a clock's two readings around each item.
        std::chrono::nanoseconds busy{0};
        // How long its thread had nothing to do, for any of its roles.
        std::chrono::nanoseconds waited{0};
        // How many items were ready in its input, this one included, on the average over those that it took from
        // another thread. They are counted as far as they lie beside each other in the channel's ring. 0: it took none
        // from there.
        double fill = 0;
    };

    std::chrono::nanoseconds took{0};  // from the first thread's first step to the last one's end
    std::vector<role> roles;           // those that call the user's functions, in the order in which items pass them

    // A line for each role, under a line of headings.
    std::string to_string() const;
};

}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/pattern/run_metrics_body.hpp>
#endif
