#pragma once
// The results of all of a program's task_scheduler::run(), one after the other. The lab is told when the program ends.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <croft/paper/analysis/dag_meter.hpp>

#if defined(CROFT_MANY_CORE)

namespace croft::analysis {

class report {
public:
    report() = default;
    report(const report&) = delete;
    report& operator=(const report&) = delete;
    // A line on standard error that `croft run --analyze` takes out (python/croft/recording/analysis.py).
    ~report() {
        char line[200];
        const int length =
            std::snprintf(line, sizeof line,
                          "\x1e"
                          "croft-analysis runs=%llu work=%llu span=%llu spawns=%llu syncs=%llu\n",
                          static_cast<unsigned long long>(runs_), static_cast<unsigned long long>(all_.work),
                          static_cast<unsigned long long>(all_.span), static_cast<unsigned long long>(all_.spawns),
                          static_cast<unsigned long long>(all_.syncs));
        // One call, so that nothing comes between; and there is nobody left to tell of a failure.
        if (::write(2, line, static_cast<std::size_t>(length)) != length) return;
    }

    void add(const dag_meter::totals& one) {
        ++runs_;
        all_.work += one.work;
        all_.span += one.span;
        all_.spawns += one.spawns;
        all_.syncs += one.syncs;
    }

private:
    std::uint64_t runs_ = 0;
    dag_meter::totals all_;
};

inline report the_report;

}  // namespace croft::analysis

#endif
