#pragma once
// All prefixes of a range: step i is told what all before it come to.
//
//     long sum = croft::parallel_scan(0, n, 0L, [&](int i) { return a[i]; }, std::plus<>(),
//                                     [&](int i, long up_to_here) { sums[i] = up_to_here; });   // a[i] included
//
// Twice over the data, by blocks, except for the first block of each pass: the blocks' sums, then the prefixes. So
// `value(i)` is called up to twice for each i, and has to give the same. `join` has to be associative, `identity` its
// neutral element. The type of steps, exceptions and where it runs: as for parallel_for.

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/task/loop.hpp>
#include <croft/task/parallel_for.hpp>

namespace croft {

namespace detail {

struct never_stopped {
    static constexpr bool stop_requested() { return false; }
};

// Nothing if it was stopped with a step left out.
template <class Runtime, class First, class Last, class Sum, class ValueOf, class Join, class Use, class Stop>
std::optional<Sum> scan(First begin, Last end, Sum identity, ValueOf& value_of, Join& join, Use& use,
                        const loop_options& options, const Stop& stop) {
    using Index = loop_type_t<First, Last>;
    const auto ends = loop_ends(begin, end);
    const Index first = ends.first;
    const std::size_t steps = steps_between<Index>(first, ends.second);
    std::atomic<bool> complete{true};
    // Asked at each step, but looks every 256 of a block.
    const auto stopped = [&](std::size_t step_of_block) {
        if (step_of_block % 256 != 0 || !stop.stop_requested()) return false;
        complete.store(false, std::memory_order_relaxed);  // goes with the joins
        return true;
    };
    const auto scan_block = [&](std::size_t from, std::size_t to, Sum so_far) {
        for (std::size_t i = from; i < to && !stopped(i - from); ++i) {
            const Index at = step_on(first, i);
            so_far = join(std::move(so_far), value_of(at));
            use(at, std::as_const(so_far));
        }
        return so_far;
    };
    Sum total = identity;
    as_worker<Runtime>([&] {
        const std::size_t workers = workers_of<Runtime>();
        // With a block for each worker and one that is done in the first pass, both passes keep all of them busy. There
        // are some more, because not all workers may be there from the beginning.
        std::size_t blocks = workers == 1 ? 1 : 4 * workers + 1;
        if (options.grain) blocks = std::min(blocks, steps / options.grain + 1);
        blocks = std::min(blocks, std::max<std::size_t>(steps, 1));
        const auto begin_of = [&](std::size_t block) { return steps * block / blocks; };

        struct slot {  // so that bools are apart, too
            Sum sum;
        };
        std::vector<slot> before(blocks, slot{identity});  // first of each block, then of all before it
        parallel_for<Runtime>(std::size_t{0}, blocks - (blocks > 1),
                              [&](std::size_t block) {
                                  if (block == 0) {
                                      before[0].sum = scan_block(0, begin_of(1), identity);
                                  } else {
                                      Sum sum = identity;
                                      for (std::size_t i = begin_of(block);
                                           i < begin_of(block + 1) && !stopped(i - begin_of(block)); ++i)
                                          sum = join(std::move(sum), value_of(step_on(first, i)));
                                      before[block].sum = std::move(sum);
                                  }
                              },
                              {.grain = 1});
        for (std::size_t block = 1; block < blocks; ++block)
            before[block].sum = join(before[block - 1].sum, before[block].sum);
        total = before[0].sum;
        parallel_for<Runtime>(std::size_t{1}, blocks,
                              [&](std::size_t block) {
                                  Sum sum = scan_block(begin_of(block), begin_of(block + 1), before[block - 1].sum);
                                  if (block + 1 == blocks) total = std::move(sum);
                              },
                              {.grain = 1});
    });
    return complete.load(std::memory_order_relaxed) ? std::optional<Sum>(std::move(total)) : std::nullopt;
}

}  // namespace detail

// Returns what all come to.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Sum, class ValueOf, class Join,
          class Use>
Sum parallel_scan(First begin, Last end, Sum identity, ValueOf&& value_of, Join&& join, Use&& use,
                  loop_options options = {}) {
    return *detail::scan<Runtime>(begin, end, std::move(identity), value_of, join, use, options,
                                  detail::never_stopped());
}
// The same until a stop is requested: then the rest is left out, and nothing is returned if that is any step. `use` may
// have been told of some, in any order.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Sum, class ValueOf, class Join,
          class Use, std::same_as<std::stop_token> Stop>
std::optional<Sum> parallel_scan(First begin, Last end, Sum identity, ValueOf&& value_of, Join&& join, Use&& use,
                                 Stop stop, loop_options options = {}) {
    return detail::scan<Runtime>(begin, end, std::move(identity), value_of, join, use, options, stop);
}

}  // namespace croft
