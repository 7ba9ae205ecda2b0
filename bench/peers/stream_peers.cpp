#include "stream_peers.hpp"

#include <cstddef>
#include <cstdio>
#include <type_traits>

#if defined(HAVE_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#endif

namespace bench {
namespace {

#if defined(HAVE_TBB)
using serial = std::integral_constant<tbb::filter_mode, tbb::filter_mode::serial_in_order>;

auto source_of(stream_work& work, int& next) {
    next = 0;
    return [&work, &next](tbb::flow_control& control) -> std::uint64_t {
        if (next == work.items) control.stop();
        return static_cast<std::uint64_t>(next++);
    };
}
void tbb_farm(stream_work& work, int threads) {
    int next;
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::parallel_pipeline(
        static_cast<std::size_t>(4 * threads),
        tbb::make_filter<void, std::uint64_t>(serial::value, source_of(work, next)) &
            tbb::make_filter<std::uint64_t, std::uint64_t>(tbb::filter_mode::parallel,
                                                           [&](std::uint64_t item) { return work.of(item, 0); }) &
            tbb::make_filter<std::uint64_t, void>(serial::value, [&](std::uint64_t made) { work.sum += made; }));
}
void tbb_pipeline(stream_work& work, int threads) {
    int next;
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    const auto stage = [&work](int part) {
        return tbb::make_filter<std::uint64_t, std::uint64_t>(
            serial::value, [&work, part](std::uint64_t item) { return work.of(item, part); });
    };
    tbb::parallel_pipeline(
        static_cast<std::size_t>(4 * threads),
        tbb::make_filter<void, std::uint64_t>(serial::value, source_of(work, next)) & stage(1) & stage(2) & stage(3) &
            tbb::make_filter<std::uint64_t, void>(serial::value, [&](std::uint64_t made) { work.sum += made; }));
}
#endif

#if defined(_OPENMP)
// A task an item; the results are summed where they are made.
void omp_farm(stream_work& work, int threads) {
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
    {
#pragma omp single
        for (int i = 0; i < work.items; ++i) {
#pragma omp task firstprivate(i) shared(work) in_reduction(+ : sum)
            sum += work.of(static_cast<std::uint64_t>(i), 0);
        }
    }
    work.sum += sum;
}
#endif

}  // namespace

std::vector<stream_peer> stream_peers() {
    std::vector<stream_peer> all;
#if defined(HAVE_TBB)
    all.push_back({"oneTBB parallel_pipeline", tbb_farm, tbb_pipeline});
#else
    std::printf("oneTBB is left out, as it was not found: pip install tbb-devel, and then configure again.\n");
#endif
#if defined(_OPENMP)
    all.push_back({"OpenMP tasks", omp_farm, {}});
#else
    std::printf("OpenMP is left out: the compiler has none.\n");
#endif
    return all;
}

}  // namespace bench
