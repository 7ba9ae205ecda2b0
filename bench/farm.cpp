// What a farm and a pipeline of three stages cost, from 0.1 microseconds to 1 millisecond of work an item, beside a
// sequential loop, oneTBB and OpenMP tasks; with as many threads as cores, and with four times as many; a farm of
// matrices that lie in its slots; and what an accelerator uses of the processor while nothing is offloaded.
//
//     bench_farm [ROUNDS]
//
// All rows are measured in turn, so that a disturbance falls on all; times are medians, and the ratio is to the
// sequential loop of the same work.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm_of.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "../programs/common/convolution.hpp"
#include "peers/stream_peers.hpp"

namespace {

using namespace bench;
using steady = std::chrono::steady_clock;

int grain = 1;  // steps of work an item

// `grain` dependent multiplications, which nothing can shorten.
std::uint64_t work_of(std::uint64_t item, int part) {
    for (int i = part ? grain * (part - 1) / 3 : 0, end = part ? grain * part / 3 : grain; i < end; ++i)
        item = item * 6364136223846793005u + 1442695040888963407u;
    return item;
}

double seconds_of(const std::function<void()>& action) {
    const auto begin = steady::now();
    action();
    return std::chrono::duration<double>(steady::now() - begin).count();
}

struct row {
    std::string name;
    std::function<void()> action;
    std::vector<double> found = {};
    double median() {
        std::sort(found.begin(), found.end());
        return found[found.size() / 2];
    }
};
// Measures all rows in turn; the first one is the sequential loop.
void compare(const std::string& title, std::vector<row> rows, int items, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (row& each : rows) each.found.push_back(seconds_of(each.action));
    const double alone = rows[0].median();
    std::printf("\n%-58s %12s %12s\n", title.c_str(), "ns an item", "/ sequential");
    for (row& each : rows)
        std::printf("  %-56s %12.1f %12.2f\n", each.name.c_str(), each.median() / items * 1e9, each.median() / alone);
}

auto source_of(int items) {
    return [next = 0, items]() mutable -> std::optional<std::uint64_t> {
        return next < items ? std::optional<std::uint64_t>(next++) : std::nullopt;
    };
}

void streams(double microseconds, int rounds, int threads) {
    grain = 100'000;
    double step = 1;
    for (int i = 0; i < 50; ++i)  // the least, as whatever else runs here only adds to it
        step = std::min(step, seconds_of([] { (void)std::to_string(work_of(1, 0)); }) / grain);
    grain = std::max(3, static_cast<int>(microseconds * 1e-6 / step));
    const int items = std::clamp(static_cast<int>(10'000 / microseconds), 40, 40'000);
    stream_work work{items, work_of};
    std::uint64_t expected = 0;
    for (int i = 0; i < items; ++i) expected += work_of(static_cast<std::uint64_t>(i), 0);
    const auto checked = [&](std::function<void()> action) {
        return [&work, expected, action] {
            work.sum = 0;
            action();
            if (work.sum != expected) std::abort();
        };
    };
    const auto sink = [&work](std::uint64_t made) { work.sum += made; };
    const croft::run_options options{.threads = static_cast<std::size_t>(threads)};
    const auto stage = [](int part) { return [part](std::uint64_t item) { return work_of(item, part); }; };

    std::vector<row> rows;
    rows.push_back({"sequential loop", checked([&] {
                        for (int i = 0; i < items; ++i) work.sum += work_of(static_cast<std::uint64_t>(i), 0);
                    })});
    rows.push_back(
        {"croft farm", checked([&] { croft::run(source_of(items), croft::farm_of(stage(0)), sink, options); })});
    rows.push_back({"croft farm, ordered", checked([&] {
                        croft::run(source_of(items), croft::farm_of(stage(0), {.ordered = true}), sink, options);
                    })});
    rows.push_back({"croft pipeline of three stages", checked([&] {
                        croft::run(source_of(items), croft::pipeline(stage(1), stage(2), stage(3)), sink, options);
                    })});
    for (const stream_peer& peer : stream_peers()) {
        rows.push_back({peer.name + ", farm", checked([&work, peer, threads] { peer.farm(work, threads); })});
        if (peer.pipeline)
            rows.push_back(
                {peer.name + ", three stages", checked([&work, peer, threads] { peer.pipeline(work, threads); })});
    }
    char title[80];
    std::snprintf(title, sizeof title, "%g us of work, %d items, %d threads", microseconds, items, threads);
    compare(title, std::move(rows), items, rounds);
}

// Matrices of 32 x 32 numbers, made, filtered and folded where they lie.
struct matrix {
    std::int32_t cells[1024];
};
void matrices(int repeat, int rounds) {
    const int items = 4'000 / repeat;
    std::vector<std::int32_t> table(128);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int32_t>(i * 7919 % 255);
    const auto by = programs::make_filter<std::int32_t>("emboss");
    const auto make = [&](int number, matrix& into) {
        for (int y = 0; y < 32; ++y) std::copy_n(table.data() + (number + y) % 32 * 2, 32, into.cells + 32 * y);
    };
    const auto filter = [by, repeat](const matrix& in, matrix& made) {
        for (int i = 0; i < repeat; ++i) {
            programs::convolve_alone(by, in.cells, made.cells, 32);
            asm volatile("" ::"r"(&made) : "memory");
        }
    };
    std::uint64_t fold = 0;
    const auto take = [&](const matrix& made) {
        for (const std::int32_t cell : made.cells) fold += static_cast<std::uint32_t>(cell);
    };
    const auto in = std::make_unique<matrix>(), out = std::make_unique<matrix>();
    std::vector<row> rows;
    rows.push_back({"sequential loop", [&] {
                        for (int i = 0; i < items; ++i) make(i, *in), filter(*in, *out), take(*out);
                    }});
    rows.push_back({"croft farm", [&] {
                        int next = 0;
                        croft::run(
                            [&](matrix& slot) {
                                if (next == items) return false;
                                make(next++, slot);
                                return true;
                            },
                            croft::farm_of(filter), take);
                    }});
    compare("32 x 32 convolutions, " + std::to_string(repeat) + " a task", std::move(rows), items, rounds);
    std::printf("  (fold %llx)\n", static_cast<unsigned long long>(fold));
}

void idle() {
    croft::accelerator<int, int> waiting(croft::farm_of([](int n) { return n; }));
    waiting.offload(1);
    (void)waiting.get_result();
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::printf("\nidle: an accelerator of %zu threads used %.2f ms of processor time in a second\n",
                waiting.plan().threads, 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
    const int cores = static_cast<int>(croft::port::core_count());
    std::printf("%s, %d cores, medians of %d rounds in turn\n", croft::port::machine_name, cores, rounds);
    for (const double microseconds : {0.1, 0.24, 1.0, 10.0, 100.0, 1000.0}) streams(microseconds, rounds, cores);
    for (const double microseconds : {1.0, 100.0}) streams(microseconds, rounds, 4 * cores);
    matrices(1, rounds);
    matrices(8, rounds);
    idle();
    return 0;
}
