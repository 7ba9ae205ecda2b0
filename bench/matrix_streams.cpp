// The papers' two smallest streams on this host, of 32-bit numbers. The farm makes convolutions of 32 x 32, and the map
// multiplies matrices of 56 x 56 with a vector. Items have one time and eight times the work. They stand beside the
// sequential loop, oneTBB, OpenMP and FastFlow.
//
//     bench_matrix_streams [ROUNDS]
//
// The farm's items are numbers of pictures that lie in memory, and its results are the pictures' sums. So next to
// nothing but the work has to be done. It runs once more with whole matrices in the slots. Then the emitter makes them,
// and the collector adds them up.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/run.hpp>

#include "../programs/common/convolution.hpp"
#include "helper.hpp"
#include "peers/stream_peers.hpp"
#include "rows.hpp"

namespace {

using namespace bench;

constexpr int all = 100'000;  // units of work in a stream

// A picture has a margin of one around it, so that a compiler can make vectors of whole rows.
struct picture {
    std::array<std::int32_t, 34 * 34> cells;
};
struct matrix {
    std::array<std::int32_t, 32 * 32> cells;
};

std::vector<picture> pictures(16);
int repeat = 1;  // units of work an item

void fill_pictures() {
    std::int32_t number = 1;
    for (picture& each : pictures)
        for (std::int32_t& cell : each.cells) cell = number = number * 7919 % 255;
}

[[gnu::noinline]] void convolve(const programs::filter<std::int32_t>& by, const std::int32_t* __restrict in,
                                std::int32_t* __restrict made) {
    const programs::filter<std::int32_t> weights = by;
    programs::convolve_inner(weights, in, made, 32);
}
std::uint32_t sum_of(const matrix& made) {
    std::uint32_t sum = 0;
    for (const std::int32_t cell : made.cells) sum += static_cast<std::uint32_t>(cell);
    return sum;
}
void filter(const picture& in, matrix& made) {
    static const auto by = programs::make_filter<std::int32_t>("emboss");
    for (int i = 0; i < repeat; ++i) convolve(by, in.cells.data(), made.cells.data());
}
// The sum of what comes out; `part` is for peers that divide the work, which none does here.
std::uint64_t filtered(std::uint64_t number, int) {
    thread_local matrix made;
    filter(pictures[number % pictures.size()], made);
    return sum_of(made);
}

void farm(int rounds) {
    stream_work work{all / repeat, filtered};
    std::uint64_t expected = 0;
    for (int i = 0; i < work.items; ++i) expected += filtered(static_cast<std::uint64_t>(i), 0);
    const auto checked = [&work, expected](std::function<void()> action) {
        return [&work, expected, action] {
            work.sum = 0;
            action();
            if (work.sum != expected) std::abort();
        };
    };
    const auto some = [](int first, int last) {
        std::uint64_t sum = 0;
        for (int i = first; i < last; ++i) sum += filtered(static_cast<std::uint64_t>(i), 0);
        return sum;
    };
    std::vector<row> rows;
    rows.push_back({"sequential loop", checked([&] { work.sum = some(0, work.items); })});
    // The limit: two threads that are there already, with a half each.
    const auto other = std::make_shared<std::unique_ptr<helper>>();
    if (cores[0] != cores[1])
        rows.push_back({"sequential loops, a half on each of two cores", checked([&, other] {
                            std::uint64_t sum = 0;
                            (*other)->begin([&] { sum = some(work.items / 2, work.items); });
                            work.sum = some(0, work.items / 2);
                            (*other)->end();
                            work.sum += sum;
                        }),
                        [other] { *other = std::make_unique<helper>(); }, [other] { other->reset(); }});
    rows.push_back({"croft farm", checked([&work] {
                        int next = 0;
                        croft::run(
                            [&]() -> std::optional<std::uint64_t> {
                                if (next == work.items) return std::nullopt;
                                return static_cast<std::uint64_t>(next++);
                            },
                            croft::farm([](std::uint64_t number) { return filtered(number, 0); }),
                            [&work](std::uint64_t sum) { work.sum += sum; });
                    })});
    rows.push_back(
        {"croft farm, as in the README", checked([&work] {
             int next = 0;
             croft::run(
                 [&]() -> std::optional<int> { return next < work.items ? std::optional(next++) : std::nullopt; },
                 croft::farm([](int number) { return filtered(static_cast<std::uint64_t>(number), 0); },
                             {.workers = 2, .ordered = true}),
                 [&](std::uint64_t sum) { work.sum += sum; });
         })});
    rows.push_back({"croft farm, matrices in its slots", checked([&work] {
                        int next = 0;
                        croft::run(
                            [&](picture& slot) {
                                if (next == work.items) return false;
                                slot = pictures[static_cast<std::size_t>(next++) % pictures.size()];
                                return true;
                            },
                            croft::farm([](const picture& in, matrix& made) { filter(in, made); }),
                            [&work](const matrix& made) { work.sum += sum_of(made); });
                    })});
    const int threads = static_cast<int>(croft::port::core_count());
    for (const stream_peer& peer : stream_peers())
        rows.push_back({peer.name, checked([&work, peer, threads] { peer.farm(work, threads); })});
    compare("farm of 32 x 32 convolutions, " + std::to_string(repeat) + " an item", std::move(rows), work.items,
            rounds);
}

struct product {
    std::array<std::int32_t, 56 * 56> cells;
    std::array<std::int32_t, 56> result;
};
[[gnu::noinline]] void multiply(const std::int32_t* __restrict cells, const std::int32_t* __restrict by,
                                std::int32_t* __restrict result, std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) {
        std::int32_t sum = 0;
        for (std::size_t x = 0; x < 56; ++x) sum += cells[56 * y + x] * by[x];
        result[y] = sum;
    }
}
void map(int rounds) {
    const int items = all / repeat;
    std::vector<product> set(16);
    std::array<std::int32_t, 56> by;
    std::int32_t number = 1;
    for (product& each : set)
        for (std::int32_t& cell : each.cells) cell = number = number * 7919 % 255;
    for (std::int32_t& cell : by) cell = number = number * 7919 % 255;
    std::vector<std::array<std::int32_t, 56>> expected;
    for (product& each : set) {
        multiply(each.cells.data(), by.data(), each.result.data(), 0, 56);
        expected.push_back(each.result);
    }
    const auto multiply_rows = [&by](product* each, std::size_t begin, std::size_t end) {
        for (int i = 0; i < repeat; ++i) multiply(each->cells.data(), by.data(), each->result.data(), begin, end);
    };
    const auto checked = [&](std::function<void()> action) {
        return [&set, &expected, action] {
            for (product& each : set) each.result.fill(0);
            action();
            for (std::size_t i = 0; i < set.size(); ++i)
                if (set[i].result != expected[i]) std::abort();
        };
    };
    std::vector<row> rows;
    rows.push_back({"sequential loop", checked([&] {
                        for (int i = 0; i < items; ++i)
                            multiply_rows(&set[static_cast<std::size_t>(i) % set.size()], 0, 56);
                    })});
    rows.push_back({"croft map", checked([&] {
                        int next = 0;
                        croft::run(
                            [&]() -> std::optional<product*> {
                                if (next == items) return std::nullopt;
                                return &set[static_cast<std::size_t>(next++) % set.size()];
                            },
                            croft::map([&](product* each, croft::share mine) {
                                const croft::slice rows = mine.of(56);
                                multiply_rows(each, rows.begin, rows.end);
                            }),
                            [](product*) {});
                    })});
    compare("map of 56 x 56 matrices times a vector, " + std::to_string(repeat) + " products an item", std::move(rows),
            items, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
    fill_pictures();
    for (const int times : {1, 8}) {
        repeat = times;
        farm(rounds);
        map(rounds);
    }
    return 0;
}
