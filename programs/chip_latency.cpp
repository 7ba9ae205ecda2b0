// Read and synchronous-write latency of a simulated chip with several levels of caches (paper 000, tables 1 and 3). It
// depends on the state of the line, and on who has it where. The program times one access to a line that was brought
// into the wanted state. The measuring core itself did that, another core of its chip, or cores of another chip.
//
// States: modified (one core has written the line), exclusive (one core has read it, and nobody else), shared (two
// cores have read it). Levels: where its holders have it, because they have read so much else since; `memory`: nobody
// has it. Its memory is that of the chip that is named as the source.
//
// Prints a line for each row and each pair of cores, as in
//
//     chip_latency access=read source=same_chip state=modified level=l1 core=0 other=3 second=3 lines=32
//         cycles=108.00 least=106 most=110

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <croft/port/port.hpp>

#include "common/middle_of_five.hpp"
#include "common/options.hpp"
#include "common/placements.hpp"
#include "common/prepared_lines.hpp"
#include "common/timed_access.hpp"

namespace {

using namespace programs;

struct settings {
    int chip = 0;                     // cores of a chip; 0: all
    int controllers = 1;              // of a chip
    std::uint32_t l1 = 32, l2 = 256;  // KiB
    std::size_t pairs = 3, lines = 32;
};

#ifdef CROFT_MANY_CORE

// Lines of which a core reads so many that its own caches have no others.
class ballast {
public:
    explicit ballast(std::size_t bytes) : pages_(bytes + beyond), bytes_(bytes) {}
    void read() const {
        for (std::size_t at = 0; at < bytes_; at += croft::port::cache_line)
            static_cast<void>(*reinterpret_cast<const volatile std::uint32_t*>(pages_.data() + at));
        croft::port::full_fence();
    }

private:
    // A core that speculates reads on behind the last line, and must not find a line there that is measured.
    static constexpr std::size_t beyond = 2 * croft::port::page_bytes;
    homed_pages pages_;
    std::size_t bytes_;
};

class measurement {
public:
    explicit measurement(const settings& asked)
        : asked_(asked),
          bytes_((asked.lines * line_step + croft::port::page_bytes - 1) / croft::port::page_bytes *
                 croft::port::page_bytes),
          pages_(bytes_) {}

    void local(int core, int other) {
        const std::vector<int> alone{core},
            both{other, core};  // the other has it in its L1, whatever level is measured
        for (const char* const level : {"l1", "l2", "l3"}) {
            report("read", "local", "any", level, alone, core, false);
            report("write", "local", "modified_or_exclusive", level, alone, core, true);
        }
        for (const char* const level : {"l1", "l2"}) report("write", "local", "shared", level, both, core, false);
    }
    // `seconds`: those with which the first one shares a line. A load may find a copy nearer than that. A store has to
    // have all of them taken away.
    void held_by(const char* source, int core, int first, const std::vector<int>& seconds) {
        for (const char* const access : {"read", "write"})
            for (const char* const level : {"l1", "l2", "l3"}) {
                report(access, source, "modified", level, {first}, core, true);
                report(access, source, "exclusive", level, {first}, core, false);
                report(access, source, "shared", level, {first, seconds[0]}, core, false);
                for (std::size_t i = 1; i < seconds.size() && access == std::string("write"); ++i)
                    report(access, source, "shared", level, {first, seconds[i]}, core, false);
            }
    }
    void memory(const char* source, int core, int at) {
        for (const char* const access : {"read", "write"}) report(access, source, "none", "memory", {at}, core, false);
    }

private:
    // The holders have read the lines, one after the other, or the only one has written them.
    void report(const std::string& access, const char* source, const char* state, const std::string& level,
                const std::vector<int>& holders, int core, bool written) {
        const auto prepare = [&] {
            if (!croft::port::set_controller(pages_.data(), bytes_, controller_of(holders[0])))
                throw std::runtime_error("this machine does not let a program choose a page's memory controller");
            pages_.set_home(holders[0]);  // and so nobody has a copy
            for (const int holder : holders) {
                if (level == "memory") break;
                move_to(holder);
                // A core that guesses wrong where move_to() returns to may come here. It gets no further than this.
                croft::port::full_fence();
                for (std::size_t i = 0; i < asked_.lines; ++i)
                    if (written)
                        *at(i) = 1;
                    else
                        static_cast<void>(*at(i));
                croft::port::full_fence();
                if (holder != core && holders.back() == core) continue;
                if (level != "l1") behind_l1_.try_emplace(holder, 2048ull * asked_.l1).first->second.read();
                if (level == "l3") behind_l2_.try_emplace(holder, 2048ull * asked_.l2).first->second.read();
            }
            move_to(core);
        };
        const summary times = middle_of_five(asked_.lines, prepare, [&](std::size_t i) {
            settle();
            auto* const word = const_cast<std::uint32_t*>(at(i));
            return access == "read" ? timed_load(word) : timed_synchronous_store<false>(word, 2);
        });
        std::printf(
            "chip_latency access=%s source=%s state=%s level=%s core=%d other=%d second=%d lines=%zu cycles=%.2f "
            "least=%.0f most=%.0f\n",
            access.c_str(), source, state, level.c_str(), core, holders.front(), holders.back(), asked_.lines,
            times.mean(), times.least(), times.most());
    }
    int controller_of(int core) { return core / asked_.chip * asked_.controllers + next_++ % asked_.controllers; }
    volatile std::uint32_t* at(std::size_t i) const {
        return reinterpret_cast<volatile std::uint32_t*>(pages_.data() + i * line_step);
    }

    // Further apart than a line, so that the lines are not in one page alone, and in other sets.
    static constexpr std::size_t line_step = 17 * croft::port::cache_line;
    const settings asked_;
    const std::size_t bytes_;
    homed_pages pages_;
    std::map<int, ballast> behind_l1_, behind_l2_;  // each core has its own, so that nobody shares a line of it
    int next_ = 0;
};

int measure(settings asked) {
    const auto cores = static_cast<int>(croft::port::allowed_cores().size());
    if (asked.chip == 0) asked.chip = cores;
    if (asked.chip < 3) throw usage_error("three cores of a chip are needed");
    measurement measured(asked);
    const auto pairs = static_cast<int>(asked.pairs);
    for (int i = 0; i < pairs; ++i) {
        const int core = i * asked.chip / pairs;
        const auto neighbour = [&](int distance) { return (core + distance) % asked.chip; };
        const int near = neighbour(1 + i * (asked.chip - 1) / pairs),
                  next = neighbour(2 + i * (asked.chip - 2) / pairs);
        measured.local(core, near);
        measured.memory("local", core, core);
        const int third = near == next ? neighbour(asked.chip - 1) : next;
        measured.held_by("same_chip", core, near, {third});
        if (2 * asked.chip > cores) continue;
        // The second one is on the other chip as well, or on the measuring core's.
        measured.held_by("other_chip", core, asked.chip + near, {asked.chip + third, near});
        measured.memory("other_chip", core, asked.chip + near);
    }
    return 0;
}

#else

int measure(const settings&) {
    throw usage_error(
        "it times the caches of a simulated many-core and runs on nothing else (native_latency measures this host)");
}

#endif

int body(int argc, char** argv) {
    settings asked;
    options line("chip_latency", "Times reads and synchronous writes by state and place of their line.");
    line.number("--chip", asked.chip, 0, 1024, "cores of a chip; 0: all");
    line.number("--controllers", asked.controllers, 1, 64, "memory controllers of a chip");
    line.number<std::uint32_t>("--l1", asked.l1, 1, 1 << 16, "KiB of a core's first cache");
    line.number<std::uint32_t>("--l2", asked.l2, 1, 1 << 16, "KiB of its second one");
    line.number<std::size_t>("--pairs", asked.pairs, 1, 64, "pairs of cores for each row");
    line.number<std::size_t>("--lines", asked.lines, 1, 1024, "lines for each");
    if (!line.parse(argc, argv)) return 0;
    return measure(asked);
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("chip_latency", [&] { return body(argc, argv); });
}
