// Measures what a task costs. The programs: fib without a cut-off, n-queens, merge sort, a loop of 312,500 chunks of a
// few nanoseconds, and breadth-first search on an R-MAT graph. They run with croft's run-times and those of other
// libraries, for one worker and for as many as cores. Beside them stands the same program with plain calls.
//
//     bench_task [ROUNDS] [FIB]
//
// All rows are measured in turn, so that a disturbance falls on all. Times are medians, and the least, which is what is
// left where others use the same cores. A library with dear forks computes a lesser fib: what is told is a call's time.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/shared_deques.hpp>

#include "../programs/common/fib.hpp"
#include "../programs/graph/edge_list.hpp"
#include "../programs/graph/references.hpp"
#include "../programs/graph/rmat.hpp"
#include "helper.hpp"
#include "peers/task_peers.hpp"
#include "results.hpp"
#include "samples.hpp"

namespace {

using namespace bench;

// Plain calls. They are not inlined into each other, as a call that may be a task cannot be, either.
struct calls {
    template <class First, class Second>
    [[gnu::always_inline]] static void both(First&& first, Second&& second) {
        call(first);
        call(second);
    }
    template <class Body>
    [[gnu::noinline]] static void call(Body& body) {
        body();
    }
};
template <class Runtime>
struct croft_join {
    template <class First, class Second>
    [[gnu::always_inline]] static void both(First&& first, Second&& second) {
        croft::parallel_invoke<Runtime>(std::forward<First>(first), std::forward<Second>(second));
    }
};

template <class Runtime>
void add_croft(std::vector<task_peer>& rows, const std::string& name, int threads) {
    const auto scheduler =
        std::make_shared<croft::detail::basic_task_scheduler<Runtime>>(static_cast<std::size_t>(threads));
    rows.push_back(
        {"croft, " + name, [scheduler](int n) { return scheduler->run([n] { return fib<croft_join<Runtime>>(n); }); },
         [scheduler](int n) { return scheduler->run([n] { return queens<croft_join<Runtime>>({(1u << n) - 1}); }); },
         [scheduler](std::uint32_t* data, std::uint32_t* space, std::size_t count) {
             scheduler->run([=] { sort<croft_join<Runtime>>(data, space, count); });
         },
         [scheduler](fine_loop& work) {
             scheduler->run([&] {
                 croft::parallel_for<Runtime>(0, fine_loop::chunks, [&](int i) { work.chunk(i); }, {.grain = 1});
             });
         }});
    // The run-time chooses how many steps stay together, as oneTBB's default partitioner does.
    rows.push_back(
        {"croft, " + name + ", no grain given",
         {},
         {},
         {},
         [scheduler](fine_loop& work) {
             scheduler->run([&] { croft::parallel_for<Runtime>(0, fine_loop::chunks, [&](int i) { work.chunk(i); }); });
         },
         [scheduler](breadth_first& work, breadth_first::vertex source) {
             scheduler->run([&] {
                 work.search(source, [](int count, auto body) { croft::parallel_for<Runtime>(0, count, body); });
             });
         }});
    rows.push_back({"croft, " + name + ", captured by reference",
                    [scheduler](int n) { return scheduler->run([n] { return programs::fib<Runtime>(n); }); },
                    {},
                    {},
                    {}});
    rows.push_back({"croft, " + name + ", tasks as classes",
                    [scheduler](int n) {
                        long sum = 0;
                        programs::fib_task<Runtime> root(n, &sum);
                        scheduler->run(root);
                        return sum;
                    },
                    {},
                    {},
                    {}});
}

struct row {
    std::string name;
    int threads;
    std::function<void()> action;
    long of = 1;  // calls, or steps, of which one's time is told
    std::function<void()> before = {}, after = {};
    std::vector<sample> found = {};
    double least() const {
        return std::min_element(found.begin(), found.end(), [](auto& a, auto& b) { return a.value < b.value; })->value;
    }
};

void compare(const std::string& title, const char* unit, std::vector<row> rows, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (row& each : rows) {
            const double apart = cores_apart();
            if (each.before) each.before();
            const auto begin = std::chrono::steady_clock::now();
            each.action();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            each.found.push_back({took.count(), apart});
            if (each.after) each.after();
        }
    const distance at = told({title}, rows);
    const double alone = median(rows[0].found, at) / static_cast<double>(rows[0].of);
    std::printf("\n%-44s %8s %10s %12s %10s %14s\n", title.c_str(), "threads", "ms", "sequential /", "least ms", unit);
    for (row& each : rows) {
        const double all = median(each.found, at), one = all / static_cast<double>(each.of);
        std::printf("  %-42s %8d %10.2f %12.2f %10.2f", each.name.c_str(), each.threads, all * 1e3, alone / one,
                    each.least() * 1e3);
        if (each.of > 1) std::printf(" %14.2f", one * 1e9);
        std::printf("\n");
        record(title, each.name + ", threads: " + std::to_string(each.threads), one * 1e9);
    }
}

// How many calls fib(n) is, without a cut-off: 2 fib(n + 1) - 1.
long calls_of_fib(int n) {
    long next = 1, before = 0;
    for (int i = 0; i < n; ++i) before = std::exchange(next, next + before);
    return 2 * next - 1;
}

programs::graph::csr_graph r_mat() {
    programs::graph::edge_list edges = programs::graph::rmat_edges({.vertices = 1 << 17, .samples = 1 << 20});
    programs::graph::make_symmetric(edges);
    return programs::graph::graph_of(std::move(edges));
}

void idle(int threads) {
    croft::task_scheduler scheduler(static_cast<std::size_t>(threads));
    (void)scheduler.run([] { return fib<croft_join<croft::detail::default_task_runtime>>(20); });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::printf("\nidle: a scheduler of %d workers used %.2f ms of processor time in a second\n", threads,
                1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
}

void check(bool right) {
    if (!right) std::abort();
}

}  // namespace

int main(int count, char** arguments) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 7;
    // A board that takes long beside waking a core, which is some tenth of a millisecond: 11 queens are 2 ms of work.
    const int n = count > 2 ? std::atoi(arguments[2]) : 35, board = 13;
    const int cores = static_cast<int>(croft::port::core_count());
    std::printf("%s, %d cores, medians of %d rounds in turn\n", croft::port::machine_name, cores, rounds);

    std::vector<std::pair<int, task_peer>> peers;
    for (const int threads : {1, cores}) {
        if (threads == cores && !peers.empty() && cores == 1) break;
        std::vector<task_peer> some;
        add_croft<croft::direct_stealing>(some, "direct stealing", threads);
        add_croft<croft::shared_deques>(some, "shared deques", threads);
        for (task_peer& peer : task_peers(threads)) some.push_back(std::move(peer));
        for (task_peer& peer : some) peers.emplace_back(threads, std::move(peer));
    }

    const long ways = queens<calls>({(1u << board) - 1});
    std::vector<std::uint32_t> data(400'000), unsorted(data.size()), space(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) unsorted[i] = static_cast<std::uint32_t>(i * 2654435761u);
    fine_loop work;
    const programs::graph::csr_graph graph = r_mat();
    const auto sequential = programs::graph::reference::breadth_first;
    const std::vector<std::uint32_t> depths = sequential(graph, 0).depth;
    breadth_first search(graph);

    std::vector<row> fibs, boards, sorts, loops, searches;
    const auto add_fib = [&](const std::string& name, int threads, int n, const std::function<long(int)>& fib,
                             const task_peer& of) {
        const long right = bench::fib<calls>(n);
        fibs.push_back({name, threads, [=] { check(fib(n) == right); }, calls_of_fib(n), of.before, of.after});
    };
    add_fib("plain calls", 1, n, fib<calls>, {});
    const auto plain_board = [=] { check(queens<calls>({(1u << board) - 1}) == ways); };
    boards.push_back({"plain calls", 1, plain_board});
    // What the host allows: cores slow each other down, and twice this row's ratio is the most that two can come to.
    if (cores > 1)
        boards.push_back({"plain calls, all of it on each of two cores", 2, [=] {
                              std::jthread other(plain_board);
                              plain_board();
                          }});
    sorts.push_back({"plain calls", 1, [&] {
                         data = unsorted;
                         sort<calls>(data.data(), space.data(), data.size());
                         check(std::is_sorted(data.begin(), data.end()));
                     }});
    constexpr int chunks = fine_loop::chunks;
    const auto some_chunks = [&work](int first, int last) {
        for (int i = first; i < last; ++i) work.chunk(i);
    };
    loops.push_back({"plain loop", 1, [=] { some_chunks(0, chunks); }, chunks});
    // The limit: two threads that are there already, with a half each.
    const auto other = std::make_shared<std::unique_ptr<helper>>();
    if (cores > 1)
        loops.push_back({"plain loops, a half on each of two cores", 2,
                         [=] {
                             (*other)->begin([=] { some_chunks(chunks / 2, chunks); });
                             some_chunks(0, chunks / 2);
                             (*other)->end();
                         },
                         chunks, [=] { *other = std::make_unique<helper>(); }, [=] { other->reset(); }});
    searches.push_back({"a queue, no atomics", 1, [&] { check(sequential(graph, 0).depth == depths); }});
    searches.push_back({"plain loop over each level", 1, [&] {
                            search.search(0, [](int count, auto body) {
                                for (int i = 0; i < count; ++i) body(i);
                            });
                            check(search.distances() == depths);
                        }});
    for (const auto& [threads, peer] : peers) {
        if (peer.fib) add_fib(peer.name, threads, n - peer.lighter, peer.fib, peer);
        if (peer.queens) boards.push_back({peer.name, threads, [=] { check(peer.queens(board) == ways); }});
        if (peer.sort)
            sorts.push_back({peer.name, threads, [&, peer] {
                                 data = unsorted;
                                 peer.sort(data.data(), space.data(), data.size());
                                 check(std::is_sorted(data.begin(), data.end()));
                             }});
        if (peer.loop)
            loops.push_back({peer.name, threads, [&, peer] { peer.loop(work); }, chunks, peer.before, peer.after});
        if (peer.search)
            searches.push_back({peer.name, threads, [&, peer] {
                                    peer.search(search, 0);
                                    check(search.distances() == depths);
                                }});
    }
    compare("fib", "ns a call", std::move(fibs), rounds);
    compare("13 queens", "", std::move(boards), rounds);
    compare("merge sort of 400,000 numbers", "", std::move(sorts), rounds);
    compare("a loop of 312,500 chunks of 32 steps", "ns a chunk", std::move(loops), rounds);
    std::printf("\nR-MAT: %zu vertices, %zu edges", static_cast<std::size_t>(graph.vertices()),
                static_cast<std::size_t>(graph.edges()));
    compare("breadth-first search of it", "", std::move(searches), rounds);
    idle(cores);
    return 0;
}
