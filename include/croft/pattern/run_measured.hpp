#pragma once
// Runs a pattern, and tells what each of its roles did meanwhile.
//
//     const croft::run_metrics seen = croft::run_measured(source, croft::farm(simulate), sink);
//     std::fputs(seen.to_string().c_str(), stdout);
//
// A role that is busy all the time limits the run; so does one that its fellows' full inputs wait for. A measured run
// looks at a clock a few times for each item, which is some 100 ns. Other runs have nothing of this.
//
// Measured are the source, the sink, and each stage that is a callable, in each worker of a farm. (A map's workers, and
// a graph's nodes, have parts of their own, which tell nothing.)

#include <utility>

#include <croft/channel/policies.hpp>
#include <croft/pattern/run.hpp>
#include <croft/pattern/run_metrics.hpp>

namespace croft {

namespace detail {
struct measured_policies : policies {
    static constexpr bool is_measured = true;
};
struct measured_options : run_options {
    run_metrics* metrics = nullptr;
};
}  // namespace detail

// Throws what run() does; then nothing is told.
template <class Source, class Pattern, class Sink>
run_metrics run_measured(Source&& source, Pattern&& pattern, Sink&& sink, const run_options& options = {}) {
    run_metrics seen;
    detail::run_by<detail::measured_policies>(std::forward<Source>(source), std::forward<Pattern>(pattern),
                                              std::forward<Sink>(sink), detail::measured_options{options, &seen});
    return seen;
}

}  // namespace croft
