#include <citor/hints.h>
#include <citor/thread_pool.h>

#include <cstddef>
#include <memory>

#include "../task_peers.hpp"

namespace bench {
namespace {

struct one_at_a_time : citor::HintsDefaults {
    static constexpr citor::Balance balance = citor::Balance::DynamicChunked;
    static constexpr std::size_t chunk = 1;
};

long fork_fib(citor::ThreadPool& pool, int n) {
    if (n < 2) return n;
    long x, y;
    pool.forkJoin<citor::HintsDefaults>([&] { x = fork_fib(pool, n - 1); }, [&] { y = fork_fib(pool, n - 2); });
    return x + y;
}

void add(std::vector<task_peer>& rows, int threads) {
    const auto pool = std::make_shared<std::unique_ptr<citor::ThreadPool>>();
    rows.push_back(
        {.name = "citor",
         .fib = [pool](int n) { return fork_fib(**pool, n); },
         .loop =
             [pool](fine_loop& work) {
                 (*pool)->parallelFor<one_at_a_time>(0, fine_loop::chunks, [&](std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) work.chunk(static_cast<int>(i));
                 });
             },
         .lighter = 5,
         .before = [pool, threads] { *pool = std::make_unique<citor::ThreadPool>(static_cast<std::size_t>(threads)); },
         .after = [pool] { pool->reset(); }});
}
const listed<task_library> citor_library{{add}};

}  // namespace
}  // namespace bench
