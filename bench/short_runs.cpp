// What it costs to begin and to end: a run of 100 items that take next to nothing. And what callers wait for who come
// at the same time: four threads that each have one step of 100 milliseconds for a parallel loop.
//
//     bench_short_runs [ROUNDS]

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>

#include "peers/stream_peers.hpp"
#include "peers/task_peers.hpp"
#include "rows.hpp"

namespace {

using namespace bench;

constexpr int runs = 100;  // of which one is a hundredth of a row's time

std::uint64_t next_of(std::uint64_t item, int) { return item * 6364136223846793005u + 1442695040888963407u; }

void runs_of_100(int rounds, int threads) {
    stream_work work{100, next_of};
    std::uint64_t expected = 0;
    for (int i = 0; i < work.items; ++i) expected += next_of(static_cast<std::uint64_t>(i), 0);
    const auto repeated = [&work, expected](std::function<void()> action) {
        return [&work, expected, action] {
            for (int i = 0; i < runs; ++i) {
                work.sum = 0;
                action();
                if (work.sum != expected) std::abort();
            }
        };
    };
    const auto source = [&work] {
        return [next = 0, items = work.items]() mutable -> std::optional<std::uint64_t> {
            return next < items ? std::optional<std::uint64_t>(next++) : std::nullopt;
        };
    };
    const auto step = [](std::uint64_t item) { return next_of(item, 0); };
    const auto sink = [&work](std::uint64_t made) { work.take(made); };

    std::vector<row> rows;
    rows.push_back({"sequential loop", repeated([&] {
                        for (int i = 0; i < work.items; ++i) work.take(next_of(static_cast<std::uint64_t>(i), 0));
                    })});
    rows.push_back({"croft farm", repeated([&] { croft::run(source(), croft::farm(step), sink); })});
    rows.push_back(
        {"croft farm, ordered", repeated([&] { croft::run(source(), croft::farm(step, {.ordered = true}), sink); })});
    rows.push_back({"croft pipeline of two stages", repeated([&] {
                        croft::run(source(), croft::pipeline(step, [](std::uint64_t item) { return item; }), sink);
                    })});
    for (const stream_peer& peer : stream_peers())
        rows.push_back({peer.name, repeated([&work, peer, threads] { peer.farm(work, threads); })});
    compare("a run of 100 items", std::move(rows), runs, rounds);
}

void callers(int rounds, int threads) {
    constexpr int count = 4;
    const auto all_at_once = [](std::function<void(const std::function<void(int)>&)> loop) {
        return [loop] {
            std::vector<std::jthread> callers;
            for (int i = 0; i < count; ++i)
                callers.emplace_back(
                    [&] { loop([](int) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }); });
        };
    };
    std::vector<row> rows;
    rows.push_back({"four threads, no loop", all_at_once([](const auto& step) { step(0); })});
    rows.push_back({"croft parallel_for", all_at_once([](const auto& step) { croft::parallel_for(0, 1, step); })});
    for (const task_peer& peer : task_peers(threads))
        if (peer.outside) rows.push_back({peer.name, all_at_once([peer](const auto& step) { peer.outside(1, step); })});
    compare("four callers at once with a step of 100 ms each", std::move(rows), 1, rounds, "/ no loop");
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 31;
    const int threads = static_cast<int>(croft::port::core_count());
    std::printf("%s, %d cores, medians of %d rounds in turn\n", croft::port::machine_name, threads, rounds);
    runs_of_100(rounds, threads);
    callers(5, threads);
    return 0;
}
