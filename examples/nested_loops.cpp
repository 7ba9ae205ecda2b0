// Compares each of many series with all before it, and says which two are most alike.
//
//     nested_loops [SERIES [STEPS]]
//
// Loops within loops within a loop, and the second is shorter for some steps of the first than for others. None of them
// is told how to be cut: one whose steps no other worker wants is a plain loop. There is a worker for each core that
// this process may use. In a container that is what its quota allows, and not what the machine has.

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "series.hpp"

int main(int count, char** arguments) {
    const std::size_t many = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
    const std::size_t steps = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 4000;
    const std::vector<series::numbers> all = series::random_walks(many, steps);
    std::vector<series::pair> best(many);  // of each series with those before it

    croft::parallel_for(0, many, [&](std::size_t a) {
        std::vector<double> alike(a);
        croft::parallel_for(0, a, [&](std::size_t b) {
            alike[b] = croft::parallel_reduce_intervals(
                0, steps, 0.0,
                [&](std::size_t first, std::size_t last, double so_far) {  // a whole interval, which makes vectors
                    return series::product(all[a], all[b], first, last, so_far);
                },
                std::plus<>());
        });
        for (std::size_t b = 0; b < a; ++b) best[a] = series::stronger(best[a], {alike[b], a, b});
    });
    const series::pair found =
        croft::parallel_reduce(0, many, series::pair(), [&](std::size_t a) { return best[a]; }, series::stronger);
    std::printf("%zu workers: of %zu series %zu and %zu are most alike, %.6f\n", croft::task_scheduler::common().size(),
                many, found.b, found.a, found.correlation);
}
