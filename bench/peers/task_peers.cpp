#include "task_peers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>

#if defined(HAVE_TBB)
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#endif

#if defined(HAVE_RAYON)
extern "C" {
struct rayon_pool_type;
const rayon_pool_type* rayon_pool(int threads);
std::int64_t rayon_fib(const rayon_pool_type*, int n);
std::int64_t rayon_queens(const rayon_pool_type*, int n);
void rayon_sort(const rayon_pool_type*, std::uint32_t* data, std::uint32_t* space, std::size_t count);
void rayon_loop(const rayon_pool_type*, int chunks, std::uintptr_t state, void (*chunk)(std::uintptr_t, int));
}
#endif

namespace bench {
namespace {

#if defined(HAVE_TBB)
struct tbb_join {
    template <class First, class Second>
    [[gnu::always_inline]] static void both(First&& first, Second&& second) {
        tbb::parallel_invoke(first, second);
    }
};
void add_tbb(std::vector<task_peer>& peers, int threads) {
    const auto arena = std::make_shared<tbb::task_arena>(threads);
    const auto loop = [arena](auto partitioner) {
        return [arena, partitioner](fine_loop& work) {
            arena->execute([&] {
                tbb::parallel_for(
                    tbb::blocked_range<int>(0, fine_loop::chunks),
                    [&](const tbb::blocked_range<int>& some) {
                        for (int i = some.begin(); i < some.end(); ++i) work.chunk(i);
                    },
                    partitioner);
            });
        };
    };
    peers.push_back({"oneTBB", [arena](int n) { return arena->execute([n] { return fib<tbb_join>(n); }); },
                     [arena](int n) { return arena->execute([n] { return queens<tbb_join>({(1u << n) - 1}); }); },
                     [arena](std::uint32_t* data, std::uint32_t* space, std::size_t count) {
                         arena->execute([=] { sort<tbb_join>(data, space, count); });
                     },
                     loop(tbb::auto_partitioner()),
                     [arena](breadth_first& work, breadth_first::vertex source) {
                         arena->execute([&] {
                             work.search(source, [](int count, auto body) { tbb::parallel_for(0, count, body); });
                         });
                     }});
    peers.push_back({"oneTBB, simple partitioner", {}, {}, {}, loop(tbb::simple_partitioner())});
}
#endif

#if defined(_OPENMP)
struct omp_join {
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
void add_omp(std::vector<task_peer>& peers, int threads) {
    peers.push_back({"OpenMP tasks",
                     [threads](int n) {
                         long sum = 0;
                         in_one_of(threads, [&] { sum = fib<omp_join>(n); });
                         return sum;
                     },
                     [threads](int n) {
                         long ways = 0;
                         in_one_of(threads, [&] { ways = queens<omp_join>({(1u << n) - 1}); });
                         return ways;
                     },
                     [threads](std::uint32_t* data, std::uint32_t* space, std::size_t count) {
                         in_one_of(threads, [=] { sort<omp_join>(data, space, count); });
                     },
                     {}});  // no taskloop: libgomp puts all 312,500 tasks on the stack, and fails
    peers.push_back({"OpenMP for, dynamic",
                     {},
                     {},
                     {},
                     [threads](fine_loop& work) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
                         for (int i = 0; i < fine_loop::chunks; ++i) work.chunk(i);
                     },
                     [threads](breadth_first& work, breadth_first::vertex source) {
                         work.search(source, [threads](int count, auto body) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
                             for (int i = 0; i < count; ++i) body(i);
                         });
                     }});
}
#endif

#if defined(HAVE_RAYON)
void add_rayon(std::vector<task_peer>& peers, int threads) {
    const auto* const pool = rayon_pool(threads);
    peers.push_back(
        {"rayon", [pool](int n) { return static_cast<long>(rayon_fib(pool, n)); },
         [pool](int n) { return static_cast<long>(rayon_queens(pool, n)); },
         [pool](std::uint32_t* data, std::uint32_t* space, std::size_t count) { rayon_sort(pool, data, space, count); },
         [pool](fine_loop& work) {
             rayon_loop(pool, fine_loop::chunks, reinterpret_cast<std::uintptr_t>(&work),
                        [](std::uintptr_t state, int i) { reinterpret_cast<fine_loop*>(state)->chunk(i); });
         },
         [pool](breadth_first& work, breadth_first::vertex source) {
             work.search(source, [pool](int count, auto body) {
                 rayon_loop(pool, count, reinterpret_cast<std::uintptr_t>(&body),
                            [](std::uintptr_t state, int i) { (*reinterpret_cast<decltype(body)*>(state))(i); });
             });
         }});
}
#endif

}  // namespace

std::vector<task_peer> task_peers(int threads, bool tell) {
    std::vector<task_peer> peers;
#if defined(HAVE_TBB)
    add_tbb(peers, threads);
#else
    if (tell) std::printf("oneTBB was not found (make .venv/.bench-tools)\n");
#endif
#if defined(_OPENMP)
    add_omp(peers, threads);
#else
    if (tell) std::printf("the compiler has no OpenMP\n");
#endif
#if defined(HAVE_RAYON)
    add_rayon(peers, threads);
#else
    if (tell) std::printf("rayon was not built (it takes cargo and a network)\n");
#endif
    (void)threads;
    (void)tell;
    return peers;
}

}  // namespace bench
