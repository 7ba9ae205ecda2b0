// Measures what a farm and a pipeline of three stages cost, from 0.1 microseconds to 1 millisecond of work an item.
// They stand beside a sequential loop, oneTBB, OpenMP tasks and FastFlow. Some tables have as many threads as cores;
// others have four times as many beside as many. It also measures what an accelerator uses of the processor while
// nothing is offloaded. Matrices: matrix_streams.cpp.
//
//     bench_farm [ROUNDS]
//
// All rows are measured in turn, so that a disturbance falls on all. Times are medians. The ratio is to the sequential
// loop of the same work.

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
#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "peers/stream_peers.hpp"
#include "rows.hpp"

namespace {

using namespace bench;

int grain = 1;  // steps of work an item

// `grain` dependent multiplications, which nothing can shorten.
std::uint64_t work_of(std::uint64_t item, int part) {
    for (int i = part ? grain * (part - 1) / 3 : 0, end = part ? grain * part / 3 : grain; i < end; ++i)
        item = item * 6364136223846793005u + 1442695040888963407u;
    return item;
}

auto source_of(int items) {
    return [next = 0, items]() mutable -> std::optional<std::uint64_t> {
        return next < items ? std::optional<std::uint64_t>(next++) : std::nullopt;
    };
}

// With `times` as many threads as cores, beside as many.
void streams(double microseconds, int rounds, int cores, int times) {
    grain = 100'000;
    double step = 1;
    for (int i = 0; i < 50; ++i)  // the least, because whatever else runs here only adds to it
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
    const auto stage = [](int part) { return [part](std::uint64_t item) { return work_of(item, part); }; };

    std::vector<row> rows;
    rows.push_back({"sequential loop", checked([&] {
                        for (int i = 0; i < items; ++i) work.sum += work_of(static_cast<std::uint64_t>(i), 0);
                    })});
    for (const int threads : times == 1 ? std::vector{cores} : std::vector{cores, times * cores}) {
        const std::string with = times == 1 ? "" : ", " + std::to_string(threads) + " threads";
        const croft::run_options options{.threads = static_cast<std::size_t>(threads)};
        rows.push_back({"croft farm" + with,
                        checked([=, &work] { croft::run(source_of(items), croft::farm(stage(0)), sink, options); })});
        rows.push_back({"croft farm, ordered" + with, checked([=, &work] {
                            croft::run(source_of(items), croft::farm(stage(0), {.ordered = true}), sink, options);
                        })});
        rows.push_back({"croft pipeline of three stages" + with, checked([=, &work] {
                            croft::run(source_of(items), croft::pipeline(stage(1), stage(2), stage(3)), sink, options);
                        })});
        for (const stream_peer& peer : stream_peers()) {
            if (threads > cores && !peer.shares_cores) continue;
            rows.push_back({peer.name + with, checked([&work, peer, threads] { peer.farm(work, threads); })});
            if (peer.pipeline)
                rows.push_back({peer.name + ", three stages" + with,
                                checked([&work, peer, threads] { peer.pipeline(work, threads); })});
        }
    }
    char title[80];
    std::snprintf(title, sizeof title, "%g us an item, %s", microseconds,
                  times == 1 ? "as many threads as cores" : "more threads than cores");
    compare(title, std::move(rows), items, rounds);
}

void idle() {
    croft::accelerator<int, int> waiting(croft::farm([](int n) { return n; }));
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
    for (const double microseconds : {0.1, 0.24, 1.0, 10.0, 100.0, 1000.0}) streams(microseconds, rounds, cores, 1);
    for (const double microseconds : {1.0, 100.0}) streams(microseconds, rounds, cores, 4);
    idle();
    return 0;
}
