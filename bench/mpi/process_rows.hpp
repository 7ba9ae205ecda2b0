#pragma once
// Rows of a table (rows.hpp), each of which all processes do together; rank 0 prints the medians, each beside that of
// the first.

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <croft/mpi/processes.hpp>

#include "../rows.hpp"

namespace bench {

// By rank 0; the others are not to run, or to look for messages, meanwhile.
template <class Action>
void alone(const croft::mpi::processes& world, Action action) {
    if (world.rank() == 0) action();
    MPI_Request all;
    MPI_Ibarrier(world.comm(), &all);
    for (int done = 0; !done;) {
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
        if (!done) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

// A measurement is of `items` items; `unit`, which has that name, is what they are printed in, in nanoseconds.
// check(row), by rank 0 behind each, throws if its results are wrong. The first round makes what is made at first use,
// and does not count.
template <class Check>
void measure(const croft::mpi::processes& world, const std::string& title, std::vector<row> rows, int rounds,
             double items, double unit, const char* unit_name, Check check) {
    for (int round = 0; round <= rounds; ++round)
        for (row& each : rows) {
            MPI_Barrier(world.comm());
            const double took = seconds_of(each.action);
            if (round > 0) each.found.push_back({took, 0});
            if (world.rank() == 0) check(each);
        }
    if (world.rank() != 0) return;
    const double first = median(rows[0].found, {});
    std::printf("\n%-44s %12s %12s\n", title.c_str(), unit_name, "speedup");
    for (const row& each : rows) {
        const double took = median(each.found, {}), nanoseconds = took / items * 1e9;
        std::printf("  %-42s %12.*f %12.2f\n", each.name.c_str(), unit > 1 ? 1 : 0, nanoseconds / unit, first / took);
        record(title, each.name, nanoseconds);
    }
    std::fflush(stdout);
}

}  // namespace bench
