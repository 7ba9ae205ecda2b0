#pragma once
// Ways of doing the same work by all processes, measured in turn, so that a disturbance falls on all; rank 0 prints the
// medians, each beside that of the first way.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <croft/mpi/processes.hpp>

#include "../results.hpp"

namespace bench {

struct way {
    std::string name;
    std::function<void()> action;          // by all processes
    std::vector<double> nanoseconds = {};  // an item
};

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
// check(way), by rank 0 behind each, throws if its results are wrong. The first round makes what is made at first use,
// and does not count.
template <class Check>
void measure(const croft::mpi::processes& world, const std::string& title, std::vector<way> ways, int rounds,
             double items, double unit, const char* unit_name, Check check) {
    using clock = std::chrono::steady_clock;
    for (int round = 0; round <= rounds; ++round)
        for (way& each : ways) {
            MPI_Barrier(world.comm());
            const auto begin = clock::now();
            each.action();
            const double took = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
            if (round > 0) each.nanoseconds.push_back(took / items);
            if (world.rank() == 0) check(each);
        }
    if (world.rank() != 0) return;
    const auto median = [](std::vector<double> all) {
        std::sort(all.begin(), all.end());
        return all[all.size() / 2];
    };
    const double first = median(ways[0].nanoseconds);
    std::printf("\n%-44s %12s %12s\n", title.c_str(), unit_name, "speedup");
    for (const way& each : ways) {
        const double found = median(each.nanoseconds);
        std::printf("  %-42s %12.*f %12.2f\n", each.name.c_str(), unit > 1 ? 1 : 0, found / unit, first / found);
        record(title, each.name, found);
    }
    std::fflush(stdout);
}

}  // namespace bench
