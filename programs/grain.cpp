// How long a task has to be for its distribution to pay (paper 003, V.A, figure 6, left). It is a map of
// multiplications and nothing else, no memory. An item is so many multiplications, which the workers share.
//
// Prints: grain multiplications=160000 workers=54 whole_ns=... whole_cycles=... service_time_ns=...
//         service_time_cycles=...                                                               (in one line)
// whole: a map made for one item, threads and all. service_time: of a stream of such items (common/service_time.hpp).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

#include <croft/pattern/map.hpp>
#include <croft/pattern/run.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"
#include "common/service_time.hpp"

namespace {

using namespace programs;

constexpr std::uint32_t factor = 1664525;

// Each waits for the one before.
[[gnu::noinline]] std::uint32_t multiply(std::size_t count) {
    std::uint32_t product = 1;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
        product *= factor;
        asm volatile("" : "+r"(product));  // or a compiler may find a shorter way
    }
    return product;
}

// The same by squaring.
std::uint32_t power(std::size_t count) {
    std::uint32_t product = 1, square = factor;
    for (; count != 0; count /= 2, square *= square)
        if (count % 2 != 0) product *= square;
    return product;
}

struct settings {
    std::size_t workers = 4;
    std::size_t multiplications = 100'000;
    std::size_t count = 12;
};

// Maps `items` items, and tells `time` of each result.
void run(const settings& asked, std::size_t items, service_time& time) {
    std::size_t emitted = 0;
    std::uint32_t product = 1;
    const std::uint32_t expected = power(asked.multiplications);
    const auto complete = [&] {
        if (product != expected) throw std::runtime_error("a product is not what it should be");
        product = 1;
        time.result();
    };
    if (asked.workers == 0) {
        for (; emitted < items; ++emitted) {
            product = multiply(asked.multiplications);
            complete();
        }
        return;
    }
    std::vector<std::uint32_t> products(items, 1);  // parts of different items may mix
    croft::run(
        [&]() -> std::optional<std::size_t> {
            return emitted++ < items ? std::optional(asked.multiplications) : std::nullopt;
        },
        croft::map(
            [](std::size_t multiplications, croft::share mine) { return multiply(mine.of(multiplications).size()); },
            {.workers = asked.workers}),
        [&](std::uint32_t part, croft::map_part which) {
            products[which.item] *= part;
            if (!which.last) return;
            product = products[which.item];
            complete();
        },
        {.place = croft::placements::thread_a_role{.pinned = true}});
}

int body(int argc, char** argv) {
    settings asked;
    options line("grain", "Maps tasks of multiplications, and nothing else, on workers.");
    line.number<std::size_t>("--workers", asked.workers, 0, 4096, "of the map; 0: one thread");
    line.number<std::size_t>("--multiplications", asked.multiplications, 1, 1'000'000'000, "in an item");
    line.number<std::size_t>("--count", asked.count, 2, 100'000'000, "items in the stream");
    if (!line.parse(argc, argv)) return 0;

    service_time one(1, 1, 1), stream(asked.count, 4, 1);
    const moment begin = moment::now();
    run(asked, 1, one);
    const moment end = moment::now();
    run(asked, asked.count, stream);
    std::printf("grain multiplications=%zu workers=%zu whole_ns=%.1f whole_cycles=%.1f ", asked.multiplications,
                asked.workers, nanoseconds(begin, end), cycles(begin, end));
    std::printf("service_time_ns=%.1f service_time_cycles=%.1f\n", stream.nanoseconds(), stream.cycles());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("grain", [&] { return body(argc, argv); });
}
