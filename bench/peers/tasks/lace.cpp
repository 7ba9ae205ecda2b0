#include <lace.h>

#include <cstddef>

#include "../task_peers.hpp"

TASK_1(long, lace_fib, int, n) {
    if (n < 2) return n;
    SPAWN(lace_fib, n - 1);
    const long y = CALL(lace_fib, n - 2);
    return SYNC(lace_fib) + y;
}
VOID_TASK_3(lace_loop, bench::fine_loop*, work, int, first, int, last) {
    if (last - first == 1) {
        work->chunk(first);
        return;
    }
    const int middle = first + (last - first) / 2;
    SPAWN(lace_loop, work, middle, last);
    CALL(lace_loop, work, first, middle);
    SYNC(lace_loop);
}

namespace bench {
namespace {

constexpr std::size_t deque_size = 100'000;

void add(std::vector<task_peer>& rows, int threads) {
    rows.push_back({.name = "Lace",
                    .fib = [](int n) { return RUN(lace_fib, n); },
                    .loop = [](fine_loop& work) { RUN(lace_loop, &work, 0, fine_loop::chunks); },
                    .before = [threads] { lace_start(static_cast<unsigned>(threads), deque_size); },
                    .after = [] { lace_stop(); }});
}
const listed<task_library> lace{{add}};

}  // namespace
}  // namespace bench
