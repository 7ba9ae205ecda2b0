// croft, oneTBB, OpenMP and Taskflow in one program, each within each other: prints a line for each pair that is there.
// With an argument, how long a nesting takes beside the plain loop, the least of so many tries.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/scheduler.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if __has_include(<oneapi/tbb.h>)
#include <oneapi/tbb.h>
#define HAS_TBB
#endif
#if __has_include(<taskflow/taskflow.hpp>)
#include <taskflow/taskflow.hpp>
#define HAS_TASKFLOW
#endif

namespace {

constexpr int outer = 48, inner = 20'000;

double value(int row, int i) { return std::sqrt(double(row) + double(i % 64)); }

double plain_row(int row) {
    double sum = 0;
    for (int i = 0; i < inner; ++i) sum += value(row, i);
    return sum;
}

// ---- the inner loop: a row's sum ----

double croft_row(int row) {
    return croft::parallel_reduce_intervals(
        0, inner, 0.0,
        [row](int first, int last, double so_far) {
            for (int i = first; i < last; ++i) so_far += value(row, i);
            return so_far;
        },
        std::plus<>());
}
#if defined(HAS_TBB)
double tbb_row(int row) {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(0, inner), 0.0,
        [row](const tbb::blocked_range<int>& part, double so_far) {
            for (int i = part.begin(); i < part.end(); ++i) so_far += value(row, i);
            return so_far;
        },
        std::plus<>());
}
#endif
#if defined(_OPENMP)
double openmp_row(int row) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < inner; ++i) sum += value(row, i);
    return sum;
}
#endif

// ---- the outer loop: body(row) for each ----

template <class Body>
void plain_loop(Body body) {
    for (int row = 0; row < outer; ++row) body(row);
}
template <class Body>
void croft_loop(Body body) {
    croft::parallel_for(0, outer, body);
}
template <class Body>
void farm_loop(Body body) {
    int next = 0;
    croft::run([&]() -> std::optional<int> { return next < outer ? std::optional(next++) : std::nullopt; },
               croft::farm([&](int row) { return body(row), row; }, {.workers = 3}), [](int) {}, {.threads = 3});
}
#if defined(HAS_TBB)
template <class Body>
void tbb_loop(Body body) {
    tbb::parallel_for(0, outer, body);
}
#endif
#if defined(_OPENMP)
template <class Body>
void openmp_loop(Body body) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int row = 0; row < outer; ++row) body(row);
}
#endif
#if defined(HAS_TASKFLOW)
template <class Body>
void taskflow_loop(Body body) {
    static tf::Executor executor;
    tf::Taskflow flow;
    for (int row = 0; row < outer; ++row) flow.emplace([&body, row] { body(row); });
    executor.run(flow).wait();
}
#endif

// ---- what is done with a pair ----

int tries = 0;

template <class Loop, class Row>
void pair(const char* name, Loop loop, Row row_sum) {
    std::vector<double> sums(outer);
    double least = 1e9;
    for (int i = 0; i < (tries ? tries : 3); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        loop([&](int row) { sums[static_cast<std::size_t>(row)] = row_sum(row); });
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        least = std::min(least, took.count());
    }
    int right = 0;
    for (int row = 0; row < outer; ++row) {
        const double expected = plain_row(row);
        right += std::abs(sums[static_cast<std::size_t>(row)] - expected) < 1e-6 * expected;
    }
    if (tries)
        std::printf("%-24s %6.2f ms\n", name, least);
    else
        std::printf("%s: %d rows right\n", name, right);
}

// An exception of the innermost leaves the outermost.
template <class Loop>
void thrown(const char* name, Loop loop) {
    try {
        loop([](int row) {
            croft::parallel_for(0, 100, [row](int i) {
                if (row == 7 && i == 50) throw std::runtime_error("row 7");
            });
        });
    } catch (const std::runtime_error& error) {
        std::printf("%s: %s\n", name, error.what());
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1) tries = std::atoi(arguments[1]);
    // As objects, since templates cannot be handed over.
    const auto in_plain = [](auto body) { plain_loop(body); };
    const auto in_croft = [](auto body) { croft_loop(body); };
    const auto in_farm = [](auto body) { farm_loop(body); };
    pair("plain in plain", in_plain, plain_row);
    pair("croft in croft", in_croft, croft_row);
    pair("croft in a croft farm", in_farm, croft_row);
#if defined(HAS_TBB)
    const auto in_tbb = [](auto body) { tbb_loop(body); };
    pair("oneTBB in oneTBB", in_tbb, tbb_row);
    pair("croft in oneTBB", in_tbb, croft_row);
    pair("oneTBB in croft", in_croft, tbb_row);
    pair("oneTBB in a croft farm", in_farm, tbb_row);
    if (!tries) thrown("thrown through croft and oneTBB", in_tbb);
#endif
#if defined(_OPENMP)
    const auto in_openmp = [](auto body) { openmp_loop(body); };
    pair("croft in OpenMP", in_openmp, croft_row);
    pair("OpenMP in croft", in_croft, openmp_row);
    pair("OpenMP in a croft farm", in_farm, openmp_row);
#endif
#if defined(HAS_TBB) && defined(_OPENMP)
    pair("OpenMP in oneTBB", in_tbb, openmp_row);
    // All three: a croft loop in each of oneTBB's tasks, OpenMP's in each of its steps.
    std::atomic<int> reached{0};
    tbb_loop([&](int) {
        croft::parallel_for(0, 4, [&](int) {
#pragma omp parallel for
            for (int i = 0; i < 8; ++i) reached.fetch_add(1);
        });
    });
    if (!tries) std::printf("all three: %d steps\n", reached.load());
#endif
#if defined(HAS_TASKFLOW)
    const auto in_taskflow = [](auto body) { taskflow_loop(body); };
    pair("croft in Taskflow", in_taskflow, croft_row);
#endif
}
