// One item divided among processes: croft::mpi::across of a map beside MPI_Scatter, a loop, and MPI_Reduce, which is
// what its reader would write otherwise; and, at rank 0 alone while the others wait, croft's map of threads and a plain
// loop. In one interleaved run of medians. Run it by mpiexec, with 2 or 4 processes (make bench-mpi does).
//
// An item is a vector of numbers, and what is looked for the least of what so many steps of a generator of random
// numbers make of each.

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/map.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../results.hpp"
#include "task.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t steps = 30;  // some 20 ns an element

std::uint32_t least_of(const numbers& all, croft::slice own) {
    std::uint32_t least = UINT32_MAX;
    for (std::size_t i = own.begin; i < own.end; ++i) least = std::min(least, bench::steps_of(all[i], steps));
    return least;
}
std::uint32_t least_of(const numbers& all) { return least_of(all, {0, all.size()}); }

std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
numbers cut(numbers& of, croft::share part) {
    const croft::slice own = part.of(of.size());
    return {of.begin() + static_cast<std::ptrdiff_t>(own.begin), of.begin() + static_cast<std::ptrdiff_t>(own.end)};
}

// The sizes are multiples of the number of processes. Returns the last result.
std::uint32_t by_hand(MPI_Comm comm, int rank, int size, std::size_t elements, int count,
                      const std::function<numbers()>& next) {
    const int each = static_cast<int>(elements) / size;
    numbers item, own(static_cast<std::size_t>(each));
    std::uint32_t result = 0;
    for (int i = 0; i < count; ++i) {
        if (rank == 0) item = next();
        MPI_Scatter(item.data(), each, MPI_UINT32_T, own.data(), each, MPI_UINT32_T, 0, comm);
        const std::uint32_t least = least_of(own);
        MPI_Reduce(&least, &result, 1, MPI_UINT32_T, MPI_MIN, 0, comm);
    }
    return result;
}

struct row {
    std::string name;
    std::function<void()> action;
    std::vector<double> us = {};  // an item
};

double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& world) {
        const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
        const double total = argc > 2 ? std::atof(argv[2]) : 0.1;  // seconds of work a measurement
        const bool root = world.rank() == 0;
        std::uint32_t found = 0;
        const auto take = [&](std::uint32_t least) { found = least; };
        // Others are not to run, or to look for messages, while one process works alone.
        const auto alone = [&](auto action) {
            if (root) action();
            MPI_Request all;
            MPI_Ibarrier(world.comm(), &all);
            for (int done = 0; !done;) {
                MPI_Test(&all, &done, MPI_STATUS_IGNORE);
                if (!done) std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        };
        for (const std::size_t elements : {1'600u, 16'000u, 160'000u}) {
            const int count = std::max(4, static_cast<int>(total / (20e-9 * static_cast<double>(elements))));
            numbers item(elements);
            std::iota(item.begin(), item.end(), 1u);
            const auto stream = [&item, count] {
                return [&item, left = count]() mutable { return left-- > 0 ? std::optional(item) : std::nullopt; };
            };
            const auto map = croft::map(
                [](const numbers& all, croft::share mine) { return least_of(all, mine.of(all.size())); }, smaller);
            const auto divided =
                croft::map([](const numbers& own, croft::share) { return least_of(own); }, smaller, {}, cut);
            std::vector<row> rows = {
                {"a loop",
                 [&] {
                     alone([&] {
                         for (auto next = stream(); const auto one = next();) take(least_of(*one));
                     });
                 }},
                {"croft::map, threads of one process", [&] { alone([&] { croft::run(stream(), map, take); }); }},
                {"croft::mpi::across of a map",
                 [&] { croft::mpi::run(stream(), croft::mpi::across(world, divided), take); }},
                {"MPI_Scatter, a loop, MPI_Reduce",
                 [&] {
                     const auto least = by_hand(MPI_COMM_WORLD, world.rank(), world.size(), elements, count,
                                                [&] { return item; });  // croft's communicator is croft's
                     take(least);
                 }},
            };
            for (int round = 0; round < rounds; ++round)
                for (row& each : rows) {
                    found = 0;
                    MPI_Barrier(world.comm());
                    const auto begin = clock_type::now();
                    each.action();
                    each.us.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - begin).count() /
                                      count);
                    if (root && found != least_of(item)) throw std::runtime_error(each.name + ": another result");
                }
            if (!root) continue;
            const std::string title =
                "a map of " + std::to_string(elements) + " elements, " + std::to_string(world.size()) + " processes";
            const double loop = median(rows[0].us);
            std::printf("\n%-44s %12s %12s\n", title.c_str(), "us an item", "speedup");
            for (const row& each : rows) {
                const double us = median(each.us);
                std::printf("  %-42s %12.1f %12.2f\n", each.name.c_str(), us, loop / us);
                bench::record(title, each.name, us * 1e3);
            }
            std::fflush(stdout);
        }
    });
}
