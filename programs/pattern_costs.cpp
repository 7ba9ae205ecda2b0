// Measures how much the library's patterns add to a program's own work, on few cores:
//
//     farm      an item of a farm of two workers whose work is nothing
//     fork      a call of fib, each of which forks: one worker, so nobody steals
//     stolen    the same with two workers, which steal from each other; time divided by the calls of both
//
// Prints: pattern_costs what=fork count=2000 ns=2.60 cycles=6.36
// medians of the repeats; `cycles` are those of the machine's counter (port/README.md).

#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/port.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/scheduler.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"
#include "common/samples.hpp"

namespace {

using namespace programs;

struct settings {
    std::string what = "all";
    std::uint32_t count = 2000, repeats = 11;
};

// The first tenth of the results is not timed: threads begin meanwhile.
void farm(const settings& asked, samples& times) {
    std::uint64_t next = 0, sum = 0, seen = 0;
    const std::uint64_t first = asked.count / 10;
    moment begin, end;
    croft::run(
        [&]() -> std::optional<std::uint64_t> { return next < asked.count ? std::optional(next++) : std::nullopt; },
        croft::farm([](std::uint64_t item) { return item + 1; }, {.workers = 2}),
        [&](std::uint64_t result) {
            sum += result;
            if (++seen == first) begin = moment::now();
            if (seen == asked.count) end = moment::now();
        });
    times.add(begin, end, asked.count - first);
    if (sum != std::uint64_t{asked.count} * (asked.count + 1) / 2) throw std::runtime_error("an item was lost");
}

long fib(int n) {
    if (n < 2) return n;
    long x, y;
    croft::parallel_invoke([&x, n] { x = fib(n - 1); }, [&y, n] { y = fib(n - 2); });
    return x + y;
}
long calls_of(int n) { return n < 2 ? 1 : 1 + calls_of(n - 1) + calls_of(n - 2); }

void fork(const settings& asked, samples& times, std::size_t workers) {
    croft::task_scheduler scheduler({.workers = workers});
    int n = 1;
    while (calls_of(n) < static_cast<long>(asked.count)) ++n;
    moment begin, end;
    scheduler.run([&] {
        fib(n);  // so that code and predictors are warm, and workers awake
        begin = moment::now();
        fib(n);
        end = moment::now();
    });
    times.add(begin, end, static_cast<std::size_t>(calls_of(n)));
}
void alone(const settings& asked, samples& times) { fork(asked, times, 1); }
void stolen(const settings& asked, samples& times) { fork(asked, times, 2); }

int body(int argc, char** argv) {
    settings asked;
    options line("pattern_costs", "Measures what farms and forks add to a program's own work.");
    line.choice("--what", asked.what, {"all", "farm", "fork", "stolen"}, "only this");
    line.number<std::uint32_t>("--count", asked.count, 10, 100'000'000, "items and calls");
    line.number<std::uint32_t>("--repeats", asked.repeats, 1, 10'001, "of each, of which the median is printed");
    if (!line.parse(argc, argv)) return 0;
    if (croft::port::allowed_cores().size() < 2)
        throw usage_error("two cores are needed, and this program may use only one");

    const struct {
        const char* name;
        void (*measure)(const settings&, samples&);
    } all[] = {{"farm", farm}, {"fork", alone}, {"stolen", stolen}};
    for (const auto& each : all) {
        if (asked.what != "all" && asked.what != each.name) continue;
        samples times;
        for (std::uint32_t i = 0; i < asked.repeats; ++i) each.measure(asked, times);
        std::printf("pattern_costs what=%s count=%u ns=%.2f cycles=%.2f\n", each.name, asked.count, times.ns(),
                    times.cycles());
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("pattern_costs", [&] { return body(argc, argv); });
}
