// How much a program has to compute for each word of memory (paper 003, V.A, figure 6, right). In a map each worker has
// a part of an array, multiplies each of its elements so often, and stores the results in another array. All items have
// the same number of multiplications: the more an element gets, the fewer elements there are.
//
// Prints: memory_grain per_element=16 elements=262144 workers=54 time_ns=... time_cycles=...            (in one line)
// time: of the item, from a running map whose workers wait for it to its last result. The input comes from memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include <croft/pattern/map.hpp>
#include <croft/pattern/run.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"
#include "common/striped_pages.hpp"

namespace {

using namespace programs;

constexpr std::uint32_t factor = 1664525;

struct settings {
    std::size_t workers = 4;
    std::size_t per_element = 16;
    std::size_t multiplications = std::size_t{1} << 22;
    bool check = false;
};

struct arrays {
    const std::uint32_t* from;
    std::uint32_t* to;
    std::size_t size, per_element;
};

[[gnu::noinline]] void multiply(const arrays& item, croft::slice part) {
    for (std::size_t i = part.begin; i < part.end; ++i) {
        std::uint32_t element = item.from[i];
#pragma GCC unroll 4
        for (std::size_t times = 0; times < item.per_element; ++times) {
            element *= factor;
            asm volatile("" : "+r"(element));  // or a compiler may find a shorter way
        }
        item.to[i] = element;
    }
}

struct duration {
    moment begin, end;
};

// The first item is nothing: with its last result the map runs, and every worker waits.
duration run(const settings& asked, const arrays& item) {
    duration time;
    if (asked.workers == 0) {
        time.begin = moment::now();
        multiply(item, {0, item.size});
        time.end = moment::now();
        return time;
    }
    const arrays nothing{item.from, item.to, 0, item.per_element};
    std::size_t emitted = 0;
    croft::run(
        [&]() -> std::optional<const arrays*> {
            if (emitted == 2) return std::nullopt;
            return emitted++ == 0 ? &nothing : &item;
        },
        croft::map(
            [](const arrays* mine, croft::share part) {
                multiply(*mine, part.of(mine->size));
                return part.first;
            },
            {.workers = asked.workers}),
        [&](std::size_t, croft::map_part part) {
            if (part.last) (part.item == 0 ? time.begin : time.end) = moment::now();
        },
        {.place = croft::placements::thread_a_role{.pinned = true}});
    return time;
}

void check_all(const arrays& item) {
    std::uint32_t product = 1;
    for (std::size_t i = 0; i < item.per_element; ++i) product *= factor;
    for (std::size_t i = 0; i < item.size; ++i)
        if (item.to[i] != product * item.from[i])
            throw std::runtime_error("element " + std::to_string(i) + " is not what it should be");
    std::printf("check: %zu elements are what they should be\n", item.size);
}

int body(int argc, char** argv) {
    settings asked;
    options line("memory_grain", "Maps multiplications of the elements of an array on workers.");
    line.number<std::size_t>("--workers", asked.workers, 0, 4096, "of the map; 0: one thread");
    line.number<std::size_t>("--per-element", asked.per_element, 1, 1 << 20, "multiplications of each element");
    line.number<std::size_t>("--multiplications", asked.multiplications, 1, 1'000'000'000, "of all elements together");
    line.flag("--check", asked.check, "look at the results");
    if (!line.parse(argc, argv)) return 0;

    const std::size_t size = std::max<std::size_t>(1, asked.multiplications / asked.per_element);
    const striped_pages from(size * sizeof(std::uint32_t)), to(size * sizeof(std::uint32_t));
    const arrays item{static_cast<std::uint32_t*>(from.data()), static_cast<std::uint32_t*>(to.data()), size,
                      asked.per_element};
    // An element's value does not matter to the time. Where a check looks at them, they differ.
    if (asked.check || !croft::port::waits_on_lines)
        for (std::size_t i = 0; i < size; ++i)
            static_cast<std::uint32_t*>(from.data())[i] = static_cast<std::uint32_t>(i * 2 + 1);
    from.send_to_memory();
    to.send_to_memory();
    const duration time = run(asked, item);
    if (asked.check) check_all(item);
    std::printf("memory_grain per_element=%zu elements=%zu workers=%zu time_ns=%.1f time_cycles=%.1f\n",
                asked.per_element, size, asked.workers, nanoseconds(time.begin, time.end),
                cycles(time.begin, time.end));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("memory_grain", [&] { return body(argc, argv); });
}
