// Memory read latency of a simulated many-core, by where the line is and how far away (paper 000, 4.2 and table 2). It
// times one load of a line that was brought into the wanted state. It does so over many pairs of requester and home and
// over all memory controllers.
//
// Prints a line for each row of the table and each placement, as in
//
//     read_latency requester=remote_home line_at=l2 mode=coherent core=0 home=9 hops=2 lines=8 cycles=45.00 least=45
//         most=45
//
// `cycles` is the mean over the lines.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <croft/port/port.hpp>

#include "common/middle_of_five.hpp"
#include "common/options.hpp"
#include "common/placements.hpp"
#include "common/prepared_lines.hpp"
#include "common/timed_access.hpp"

namespace {

using namespace programs;

#ifdef CROFT_MANY_CORE

using croft::port::home_none;

class measurement {
public:
    explicit measurement(std::size_t lines) : lines_(lines) {}

    // In the requester's own L1: it has just loaded the line.
    void own_l1(int core) {
        report("local", "l1", "any", {core, core}, [&] {
            lines_.in_memory(core);
            lines_.load_at(core);
        });
    }
    // In its own L2: the same, and then all of its L1 was dropped.
    void own_l2(int core) {
        report("local", "l2", "any", {core, core}, [&] {
            lines_.in_memory(core);
            lines_.load_at(core);
            croft::port::drop_cache();
        });
    }
    // In memory, on a page that is not kept coherent: there is no home to ask.
    void incoherent_memory(int core) {
        report("local", "memory", "incoherent", {core, core}, [&] {
            lines_.behind_clean_lines(core);
            lines_.in_memory(home_none);
            move_to(core);
        });
    }
    // In the L2 of another tile, the line's home.
    void home_l2(const placement& where) {
        report("remote_home", "l2", "coherent", where, [&] {
            lines_.behind_clean_lines(where.home);
            lines_.behind_clean_lines(where.requester);
            lines_.in_memory(where.home);
            lines_.at_home(where.home);
            move_to(where.requester);
        });
    }
    // In memory, from where another tile, the line's home, has to fetch it.
    void memory_behind_home(const placement& where) {
        report("remote_home", "memory", "coherent", where, [&] {
            lines_.behind_clean_lines(where.home);
            lines_.behind_clean_lines(where.requester);
            lines_.in_memory(where.home);
            move_to(where.requester);
        });
    }

private:
    template <class Prepare>
    void report(const char* requester, const char* line_at, const char* mode, const placement& where, Prepare prepare) {
        const summary times = middle_of_five(lines_.count(), prepare, [&](std::size_t i) {
            settle();
            return timed_load(lines_[i]);
        });
        const auto columns = static_cast<int>(croft::port::mesh_columns());
        std::printf(
            "read_latency requester=%s line_at=%s mode=%s core=%d home=%d hops=%d lines=%zu cycles=%.2f "
            "least=%.0f most=%.0f\n",
            requester, line_at, mode, where.requester, where.home, hops_between(where.requester, where.home, columns),
            lines_.count(), times.mean(), times.least(), times.most());
    }

    prepared_lines lines_;
};

int measure(std::size_t pairs, std::size_t lines) {
    const std::vector<int> cores = croft::port::allowed_cores();
    const auto columns = static_cast<int>(croft::port::mesh_columns());
    measurement measured(lines);
    for (const int core : spread(cores, 16 * pairs)) {
        measured.own_l1(core);
        measured.own_l2(core);
        measured.incoherent_memory(core);
    }
    for (const placement& where : pairs_of_every_distance(cores, columns, pairs)) {
        measured.home_l2(where);
        measured.memory_behind_home(where);
    }
    return 0;
}

#else

int measure(std::size_t, std::size_t) {
    throw usage_error(
        "it times the caches of a simulated many-core and runs on nothing else (native_latency measures "
        "this host)");
}

#endif

int body(int argc, char** argv) {
    std::size_t pairs = 4, lines = 8;
    options line("read_latency", "Measures how long a load takes, by where its line is and how far away.");
    line.number<std::size_t>("--pairs", pairs, 1, 1000, "of requester and home, for each distance");
    line.number<std::size_t>("--lines", lines, 1, 64, "each pair loads, in stripes of memory of their own");
    if (!line.parse(argc, argv)) return 0;
    return measure(pairs, lines);
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("read_latency", [&] { return body(argc, argv); });
}
