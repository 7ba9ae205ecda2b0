#include <libfork.hpp>

#include <cstddef>
#include <memory>

#include "../task_peers.hpp"

namespace bench {
namespace {

inline constexpr auto fork_fib = [](auto self, int n) -> lf::task<long> {
    if (n < 2) co_return n;
    long x = 0, y = 0;
    co_await lf::fork(&x, self)(n - 1);
    co_await lf::call(&y, self)(n - 2);
    co_await lf::join;
    co_return x + y;
};
inline constexpr auto fork_loop = [](auto self, fine_loop* work, int first, int last) -> lf::task<void> {
    if (last - first == 1) {
        work->chunk(first);
        co_return;
    }
    const int middle = first + (last - first) / 2;
    co_await lf::fork(self)(work, first, middle);
    co_await lf::call(self)(work, middle, last);
    co_await lf::join;
};

void add(std::vector<task_peer>& rows, int threads) {
    const auto pool = std::make_shared<std::unique_ptr<lf::lazy_pool>>();
    rows.push_back(
        {.name = "libfork",
         .fib = [pool](int n) { return lf::sync_wait(**pool, fork_fib, n); },
         .loop = [pool](fine_loop& work) { lf::sync_wait(**pool, fork_loop, &work, 0, int{fine_loop::chunks}); },
         .lighter = 2,
         .before = [pool, threads] { *pool = std::make_unique<lf::lazy_pool>(static_cast<std::size_t>(threads)); },
         .after = [pool] { pool->reset(); }});
}
const listed<task_library> libfork{{add}};

}  // namespace
}  // namespace bench
