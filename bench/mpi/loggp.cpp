// The parameters of the LogGP model (Alexandrov et al., 1995) of two processes, for croft's link of frames and for
// MPI's own messages. Beside them stands what a task of a farm across processes costs when it is nothing. From these
// alone bench/loggp_model.py says what farms come to (docs/across.md).
//
//     mpiexec -n 2 bench_loggp [rounds]       (Open MPI: --bind-to none)
//
//     o_send, o_receive   what a message of 8 bytes takes its sender; and its receiver, once it has come
//     L                   half a round trip of 8 bytes, less both. Below zero if a receiver does part of its work while
//                         nothing comes: the link posts its receives anew then
//     g                   the time of a message in a stream of them, of 8 bytes
//     G                   what a byte adds to that, by least squares over 8 bytes to 64 KiB
//     switch              half a round trip if both share a core that they give away, less o_send and o_receive
//     task                of nothing, of croft::mpi::across where the root only gives; a task's time
//
// All are the medians of rounds, which measure everything in turn. A round takes the least of some short bursts,
// because the cores were taken away during a burst that takes long.

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/port/port.hpp>

#include "../results.hpp"
#include "line_fit.hpp"
#include "message_ways.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using croft::mpi::processes;

constexpr int bursts = 10, trips = 200, few = 8, tasks = 100'000;
constexpr std::size_t smallest = 8;

double nanoseconds_since(clock_type::time_point begin) {
    return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count();
}

// Looks again at once, or lets the other process have the core.
constexpr auto spin = [] {};
constexpr auto give_core = [] { sched_yield(); };

// Medians, by what was measured.
class medians {
public:
    void add(const std::string& name, double value) { found_[name].push_back(value); }
    double operator[](const std::string& name) {
        std::vector<double>& all = found_[name];
        std::sort(all.begin(), all.end());
        return all.at(all.size() / 2);
    }

private:
    std::map<std::string, std::vector<double>> found_;
};

template <class Action>
double least_of_bursts(const processes& group, Action action) {
    double least = 0;
    for (int burst = 0; burst < bursts; ++burst) {
        MPI_Barrier(group.comm());
        const double took = action();
        least = burst == 0 ? took : std::min(least, took);
    }
    return least;
}

template <class Way, class Idle>
double half_round_trip(const processes& group, Way& way, Idle idle) {
    return least_of_bursts(group, [&] {
        const auto begin = clock_type::now();
        for (int i = 0; i < trips; ++i) {
            if (group.rank() == 0) way.send(smallest, idle);
            way.receive(idle);
            if (group.rank() == 1) way.send(smallest, idle);
        }
        return nanoseconds_since(begin) / trips / 2;
    });
}

// From rank 0 to rank 1.
template <class Way>
void stream(const processes& group, Way& way, int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
        if (group.rank() == 0)
            way.send(bytes, spin);
        else
            way.receive(spin);
    }
}

// Sends fewer messages than there are slots. Returns what sending one takes at rank 0, and what receiving one takes at
// rank 1, which looks only when all have come.
template <class Way>
double overhead(const processes& group, Way& way) {
    return least_of_bursts(group, [&] {
        if (group.rank() == 1)
            for (const auto met = clock_type::now(); nanoseconds_since(met) < 200'000;) {
            }
        const auto begin = clock_type::now();
        stream(group, way, few, smallest);
        const double took = nanoseconds_since(begin) / few;
        // Nobody meets the others, which takes messages, while they are measured.
        for (const auto done = clock_type::now(); nanoseconds_since(done) < 300'000;) {
        }
        return took;
    });
}

template <class Way>
double gap(const processes& group, Way& way, std::size_t bytes) {
    const int count = bytes <= 1024 ? 2'000 : 300;
    return least_of_bursts(group, [&] {
        const auto begin = clock_type::now();
        stream(group, way, count, bytes);
        if (group.rank() == 1) way.send(smallest, spin);
        if (group.rank() == 0) way.receive(spin);
        return nanoseconds_since(begin) / count;
    });
}

// Tells rank 0 what was measured at rank 1.
double at_rank_1(const processes& group, double value) {
    MPI_Bcast(&value, 1, MPI_DOUBLE, 1, group.comm());
    return value;
}

// A process has a core of its own, or both have the first.
void pin(const processes& group, bool together) {
    static const std::vector<int> cores = croft::port::allowed_cores();
    const std::size_t place = together ? 0 : static_cast<std::size_t>(group.rank());
    croft::port::pin_this_thread(cores[place % cores.size()]);
    MPI_Barrier(group.comm());
}

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> all;
    for (std::size_t bytes = smallest; bytes <= bench::most_bytes; bytes *= 2) all.push_back(bytes);
    return all;
}

template <class Way>
void measure(const processes& group, Way& way, const std::string& name, medians& all) {
    pin(group, false);
    half_round_trip(group, way, spin);  // what is made at first use is made
    all.add(name + " trip", half_round_trip(group, way, spin));
    const double own = overhead(group, way);
    all.add(name + " o_send", own);
    all.add(name + " o_receive", at_rank_1(group, own));
    for (const std::size_t bytes : sizes()) all.add(name + " " + std::to_string(bytes), gap(group, way, bytes));
    pin(group, true);
    all.add(name + " together", half_round_trip(group, way, give_core));
}

double task_of_nothing(const processes& group) {
    struct task {
        std::uint32_t number, steps;
    };
    std::uint32_t next = 0;
    std::uint64_t sum = 0;
    MPI_Barrier(group.comm());
    const auto begin = clock_type::now();
    croft::mpi::run(
        [&]() -> std::optional<task> { return next < tasks ? std::optional(task{next++, 0}) : std::nullopt; },
        croft::mpi::across(group, croft::farm([](const task& one) { return one; }), {.root_works = false}),
        [&](const task& one) { sum += one.number; });
    return nanoseconds_since(begin) / tasks;
}

void print(const std::string& name, medians& all) {
    std::vector<double> x, y;
    for (const std::size_t bytes : sizes()) {
        x.push_back(static_cast<double>(bytes));
        y.push_back(all[name + " " + std::to_string(bytes)]);
    }
    const bench::line_fit line = bench::fit_line(x, y);
    const double send = all[name + " o_send"], receive = all[name + " o_receive"];
    const std::pair<const char*, double> found[] = {{"L", all[name + " trip"] - send - receive},
                                                    {"o_send", send},
                                                    {"o_receive", receive},
                                                    {"g", y.front()},
                                                    {"G", line.slope},
                                                    {"switch", all[name + " together"] - send - receive}};
    std::printf("  %-14s", name.c_str());
    for (const auto& [parameter, value] : found) {
        std::printf(" %10.*f", value < 10 ? 4 : 0, value);
        bench::record("LogGP", name + " " + parameter, value);
    }
    std::printf("   %.0f; %.0f %%\n", line.residual, line.farthest * 100);
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const processes& world) {
        if (world.size() != 2) throw croft::mpi::error("two processes, please");
        const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
        medians all;
        for (int round = -1; round < rounds; ++round) {  // before this thread has a core for good
            const double took = task_of_nothing(world);
            if (round >= 0) all.add("task", took);
        }
        bench::by_link link(world);
        bench::by_mpi mpi(world);
        for (int round = 0; round < rounds; ++round) {
            measure(world, link, "link", all);
            measure(world, mpi, "MPI", all);
        }
        if (world.rank() != 0) return;
        std::printf("\n  %-14s %10s %10s %10s %10s %10s %10s   %s\n", "LogGP, in ns", "L", "o_send", "o_receive", "g",
                    "G", "switch", "G's residual; the farthest");
        print("link", all);
        print("MPI", all);
        std::printf("  a task of nothing, the root only gives: %.1f\n", all["task"]);
        bench::record("LogGP", "task", all["task"]);
    });
}
