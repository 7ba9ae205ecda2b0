// ../nested_loops.cpp with oneTBB.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "../series.hpp"

int main(int count, char** arguments) {
    const std::size_t many = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
    const std::size_t steps = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 4000;
    const std::vector<series::numbers> all = series::random_walks(many, steps);
    std::vector<series::pair> best(many);  // of each series with those before it

    tbb::parallel_for(std::size_t{0}, many, [&](std::size_t a) {
        std::vector<double> alike(a);
        tbb::parallel_for(std::size_t{0}, a, [&](std::size_t b) {
            alike[b] = tbb::parallel_reduce(
                tbb::blocked_range<std::size_t>(0, steps), 0.0,
                [&](const tbb::blocked_range<std::size_t>& some, double so_far) {
                    return series::product(all[a], all[b], some.begin(), some.end(), so_far);
                },
                std::plus<>());
        });
        for (std::size_t b = 0; b < a; ++b) best[a] = series::stronger(best[a], {alike[b], a, b});
    });
    const series::pair found = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, many), series::pair(),
        [&](const tbb::blocked_range<std::size_t>& some, series::pair so_far) {
            for (std::size_t a = some.begin(); a < some.end(); ++a) so_far = series::stronger(so_far, best[a]);
            return so_far;
        },
        series::stronger);
    std::printf("%d workers: of %zu series %zu and %zu are most alike, %.6f\n", tbb::this_task_arena::max_concurrency(),
                many, found.b, found.a, found.correlation);
}
