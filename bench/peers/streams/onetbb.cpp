#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>

#include <cstddef>
#include <type_traits>

#include "../stream_peers.hpp"

namespace bench {
namespace {

using serial = std::integral_constant<tbb::filter_mode, tbb::filter_mode::serial_in_order>;

auto source_of(stream_work& work, int& next) {
    next = 0;
    return [&work, &next](tbb::flow_control& control) -> std::uint64_t {
        if (next == work.items) control.stop();
        return static_cast<std::uint64_t>(next++);
    };
}
auto sink_of(stream_work& work) {
    return tbb::make_filter<std::uint64_t, void>(serial::value, [&work](std::uint64_t made) { work.take(made); });
}
void farm(stream_work& work, int threads) {
    int next;
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::parallel_pipeline(static_cast<std::size_t>(4 * threads),
                           tbb::make_filter<void, std::uint64_t>(serial::value, source_of(work, next)) &
                               tbb::make_filter<std::uint64_t, std::uint64_t>(
                                   tbb::filter_mode::parallel, [&](std::uint64_t item) { return work.of(item, 0); }) &
                               sink_of(work));
}
void pipeline(stream_work& work, int threads) {
    int next;
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    const auto stage = [&work](int part) {
        return tbb::make_filter<std::uint64_t, std::uint64_t>(
            serial::value, [&work, part](std::uint64_t item) { return work.of(item, part); });
    };
    tbb::parallel_pipeline(static_cast<std::size_t>(4 * threads),
                           tbb::make_filter<void, std::uint64_t>(serial::value, source_of(work, next)) & stage(1) &
                               stage(2) & stage(3) & sink_of(work));
}
const listed<stream_peer> onetbb{
    {.name = "oneTBB parallel_pipeline", .farm = farm, .pipeline = pipeline, .ordered = true}};

}  // namespace
}  // namespace bench
