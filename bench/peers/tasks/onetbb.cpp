#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <memory>

#include "../task_peers.hpp"

namespace bench {
namespace {

struct join {
    template <class First, class Second>
    [[gnu::always_inline]] static void both(First&& first, Second&& second) {
        tbb::parallel_invoke(first, second);
    }
};
void add(std::vector<task_peer>& rows, int threads) {
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
    rows.push_back(
        {.name = "oneTBB",
         .fib = [arena](int n) { return arena->execute([n] { return fib<join>(n); }); },
         .queens = [arena](int n) { return arena->execute([n] { return queens<join>({(1u << n) - 1}); }); },
         .sort = [arena](std::uint32_t* data, std::uint32_t* space,
                         std::size_t count) { arena->execute([=] { sort<join>(data, space, count); }); },
         .loop = loop(tbb::auto_partitioner()),
         .search =
             [arena](breadth_first& work, breadth_first::vertex source) {
                 arena->execute(
                     [&] { work.search(source, [](int count, auto body) { tbb::parallel_for(0, count, body); }); });
             },
         .outside = [](int steps, const std::function<void(int)>& step) { tbb::parallel_for(0, steps, step); },
         .lighter = 5});
    rows.push_back({.name = "oneTBB, simple partitioner", .loop = loop(tbb::simple_partitioner())});
}
const listed<task_library> onetbb{{add}};

}  // namespace
}  // namespace bench
