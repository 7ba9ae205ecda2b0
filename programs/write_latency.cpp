// Latency of a synchronous store (store and memory fence) of a simulated many-core (paper 000, 4.2 and table 4). It
// depends on the state of the line, its distance, and the number of copies to invalidate.
//
// Prints a line for each row of the table, each placement, and each number of other cores' copies, as in
//
//    write_latency home=remote line_state=shared_at_home line_at=cache core=0 at=9 hops=2 copies=4 lines=8 cycles=81.00
//        least=81 most=81
//
// `home` is where the line's home is, seen from the core that stores; `at` which tile that is; `cycles` the mean over
// the lines.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
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

class measurement {
public:
    measurement(std::size_t lines, std::vector<int> cores) : lines_(lines), cores_(std::move(cores)) {}

    // Lines homed at another tile.
    void remote(const placement& where) {
        lines_.behind_clean_lines(where.home);
        lines_.behind_clean_lines(where.requester);

        // The requester's own caches hold the line, and its home does, as always; no other core.
        report<false>("remote", "exclusive_in_own_l1_l2", "cache", where, 0, [&] {
            lines_.in_memory(where.home);
            lines_.load_at(where.requester);
        });

        // Only the home holds it.
        report<false>("remote", "exclusive_at_home", "cache", where, 0, [&] {
            lines_.in_memory(where.home);
            lines_.at_home(where.home);
            move_to(where.requester);
        });

        for_each_number_of_copies(where, [&](std::size_t copies, const std::vector<int>& others) {
            // As above, and some others have loaded it; the requester last, so that it is in its L1.
            report<false>("remote", "shared_in_own_l1_l2", "cache", where, copies, [&] {
                lines_.in_memory(where.home);
                share(others, copies);
                lines_.load_at(where.requester);
            });

            // The home and some others hold it, the requester does not.
            report<false>("remote", "shared_at_home", "cache", where, copies, [&] {
                lines_.in_memory(where.home);
                lines_.at_home(where.home);
                share(others, copies);
                move_to(where.requester);
            });
        });

        // Nobody holds it, and nothing has to be written back to make room for it.
        const auto in_memory = [&] {
            lines_.in_memory(where.home);
            move_to(where.requester);
        };
        report<false>("remote", "none", "memory_with_read", where, 0, in_memory);
        report<true>("remote", "none", "memory_without_read", where, 0, in_memory);
    }

    // Lines homed at the core that stores.
    void local(int core) {
        const placement where{core, core};
        lines_.behind_clean_lines(core);
        report<false>("local", "exclusive", "l1", where, 0, [&] {
            lines_.in_memory(core);
            lines_.load_at(core);
        });

        report<false>("local", "exclusive", "l2", where, 0, [&] {
            lines_.in_memory(core);
            lines_.at_home(core);
        });

        for_each_number_of_copies(where, [&](std::size_t copies, const std::vector<int>& others) {
            report<false>("local", "shared", "cache", where, copies, [&] {
                lines_.in_memory(core);
                share(others, copies);
                lines_.load_at(core);
            });
        });

        // Nobody holds it, and the set of the own L2 where it will lie is full of dirty lines homed here. The same
        // holds in a program that works on its own data. One of these is written back to make room, and the store waits
        // for that.
        const auto behind_dirty_lines = [&] {
            lines_.in_memory(core);
            lines_.behind_dirty_lines(core);
        };
        report<false>("local", "none", "memory_with_read", where, 0, behind_dirty_lines);
        report<true>("local", "none", "memory_without_read", where, 0, behind_dirty_lines);
    }

private:
    // 1, 2, 4, ... and as many as there can be; the nearest cores to the home hold the copies.
    template <class Action>
    void for_each_number_of_copies(const placement& where, Action action) {
        const std::vector<int> others = others_by_distance(cores_, where.requester, where.home, columns_);
        for (std::size_t copies = 1; copies < others.size(); copies *= 2) action(copies, others);
        if (!others.empty()) action(others.size(), others);
    }

    void share(const std::vector<int>& others, std::size_t copies) {
        for (std::size_t i = 0; i < copies; ++i) lines_.load_at(others[i]);
    }

    template <bool Hint, class Prepare>
    void report(const char* home, const char* state, const char* line_at, const placement& where, std::size_t copies,
                Prepare prepare) {
        const summary times = middle_of_five(lines_.count(), prepare, [&](std::size_t i) {
            settle();
            return timed_synchronous_store<Hint>(lines_[i], ++written_);
        });
        for (std::size_t i = lines_.count(); i-- > 0;)
            if (*lines_[i] != written_ - (lines_.count() - 1 - i)) throw std::runtime_error("a store was lost");
        std::printf(
            "write_latency home=%s line_state=%s line_at=%s core=%d at=%d hops=%d copies=%zu lines=%zu "
            "cycles=%.2f least=%.0f most=%.0f\n",
            home, state, line_at, where.requester, where.home, hops_between(where.requester, where.home, columns_),
            copies, lines_.count(), times.mean(), times.least(), times.most());
    }

    prepared_lines lines_;
    std::vector<int> cores_;
    int columns_ = static_cast<int>(croft::port::mesh_columns());
    std::uint32_t written_ = 0;
};

int measure(std::size_t pairs, std::size_t lines) {
    const std::vector<int> cores = croft::port::allowed_cores();
    measurement measured(lines, cores);
    for (const int core : spread(cores, 16 * pairs)) measured.local(core);
    const auto columns = static_cast<int>(croft::port::mesh_columns());
    for (const placement& where : pairs_of_every_distance(cores, columns, pairs)) measured.remote(where);
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
    options line("write_latency", "Measures how long a store and its fence take, by the state of the line.");
    line.number<std::size_t>("--pairs", pairs, 1, 1000, "of core and home, for each distance");
    line.number<std::size_t>("--lines", lines, 1, 64, "each pair stores to, in stripes of memory of their own");
    if (!line.parse(argc, argv)) return 0;
    return measure(pairs, lines);
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("write_latency", [&] { return body(argc, argv); });
}
