#include <cstddef>
#include <cstdint>

#include "../task_peers.hpp"

// rayon/src/lib.rs
extern "C" {
struct rayon_pool_type;
const rayon_pool_type* rayon_pool(int threads);
std::int64_t rayon_fib(const rayon_pool_type*, int n);
std::int64_t rayon_queens(const rayon_pool_type*, int n);
void rayon_sort(const rayon_pool_type*, std::uint32_t* data, std::uint32_t* space, std::size_t count);
void rayon_loop(const rayon_pool_type*, int chunks, std::uintptr_t state, void (*chunk)(std::uintptr_t, int));
}

namespace bench {
namespace {

template <class Body>
void loop_in(const rayon_pool_type* pool, int count, Body& body) {
    rayon_loop(pool, count, reinterpret_cast<std::uintptr_t>(&body),
               [](std::uintptr_t state, int i) { (*reinterpret_cast<Body*>(state))(i); });
}
void add(std::vector<task_peer>& rows, int threads) {
    const auto* const pool = rayon_pool(threads);
    rows.push_back({.name = "rayon",
                    .fib = [pool](int n) { return static_cast<long>(rayon_fib(pool, n)); },
                    .queens = [pool](int n) { return static_cast<long>(rayon_queens(pool, n)); },
                    .sort = [pool](std::uint32_t* data, std::uint32_t* space,
                                   std::size_t count) { rayon_sort(pool, data, space, count); },
                    .loop =
                        [pool](fine_loop& work) {
                            auto body = [&work](int i) { work.chunk(i); };
                            loop_in(pool, fine_loop::chunks, body);
                        },
                    .search =
                        [pool](breadth_first& work, breadth_first::vertex source) {
                            work.search(source, [pool](int count, auto body) { loop_in(pool, count, body); });
                        },
                    .outside = [pool](int steps, const std::function<void(int)>& step) { loop_in(pool, steps, step); },
                    .lighter = 2});
}
const listed<task_library> rayon{{add}};

}  // namespace
}  // namespace bench
