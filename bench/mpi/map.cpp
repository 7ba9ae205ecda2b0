// One item divided among processes: croft::mpi::across of a map beside MPI_Scatter, a loop, and MPI_Reduce, which its
// reader would write otherwise. At rank 0 alone, while the others wait, croft's map of threads and a plain loop run,
// too. All are medians of one interleaved run. `make bench-mpi` runs it with 2 and 4 processes.
//
// An item is a vector of numbers. A generator of random numbers makes so many steps from each. The result is the least
// number that it ends at.

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "process_rows.hpp"
#include "task.hpp"

namespace {

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

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& world) {
        const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
        const double total = argc > 2 ? std::atof(argv[2]) : 0.1;  // seconds of work a measurement
        std::uint32_t found = 0;
        const auto take = [&](std::uint32_t least) { found = least; };
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
            const std::vector<bench::row> rows = {
                {"a loop",
                 [&] {
                     bench::alone(world, [&] {
                         for (auto next = stream(); const auto one = next();) take(least_of(*one));
                     });
                 }},
                {"croft::map, threads of one process",
                 [&] { bench::alone(world, [&] { croft::run(stream(), map, take); }); }},
                {"croft::mpi::across of a map",
                 [&] { croft::mpi::run(stream(), croft::mpi::across(world, divided), take); }},
                {"MPI_Scatter, a loop, MPI_Reduce",
                 [&] {
                     const auto least = by_hand(MPI_COMM_WORLD, world.rank(), world.size(), elements, count,
                                                [&] { return item; });  // croft's communicator is croft's
                     take(least);
                 }},
            };
            const std::uint32_t expected = least_of(item);
            bench::measure(
                world,
                "a map of " + std::to_string(elements) + " elements, " + std::to_string(world.size()) + " processes",
                rows, rounds, count, 1e3, "us an item", [&](const bench::row& one) {
                    if (std::exchange(found, 0) != expected) throw std::runtime_error(one.name + ": another result");
                });
        }
    });
}
