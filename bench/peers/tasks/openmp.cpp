#include "../task_peers.hpp"

namespace bench {
namespace {

struct join {
    template <class First, class Second>
    [[gnu::always_inline]] static void both(First&& first, Second&& second) {
#pragma omp task shared(first)
        first();
        second();
#pragma omp taskwait
    }
};
template <class Action>
void in_one_of(int threads, Action action) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    action();
}
void add(std::vector<task_peer>& rows, int threads) {
    // No loop of tasks: libgomp puts all 312,500 of a taskloop on the stack, and fails.
    rows.push_back(
        {.name = "OpenMP tasks",
         .fib =
             [threads](int n) {
                 long sum = 0;
                 in_one_of(threads, [&] { sum = fib<join>(n); });
                 return sum;
             },
         .queens =
             [threads](int n) {
                 long ways = 0;
                 in_one_of(threads, [&] { ways = queens<join>({(1u << n) - 1}); });
                 return ways;
             },
         .sort = [threads](std::uint32_t* data, std::uint32_t* space,
                           std::size_t count) { in_one_of(threads, [=] { sort<join>(data, space, count); }); },
         .lighter = 10});
    rows.push_back({.name = "OpenMP for, dynamic",
                    .loop =
                        [threads](fine_loop& work) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
                            for (int i = 0; i < fine_loop::chunks; ++i) work.chunk(i);
                        },
                    .search =
                        [threads](breadth_first& work, breadth_first::vertex source) {
                            work.search(source, [threads](int count, auto body) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
                                for (int i = 0; i < count; ++i) body(i);
                            });
                        },
                    .outside =
                        [threads](int steps, const std::function<void(int)>& step) {
#pragma omp parallel for num_threads(threads)
                            for (int i = 0; i < steps; ++i) step(i);
                        }});
}
const listed<task_library> openmp{{add}};

}  // namespace
}  // namespace bench
