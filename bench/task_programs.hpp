#pragma once
// Programs of fine-grained tasks. `Join::both(f, g)` calls both, perhaps at the same time, so each library runs the
// same program; without a cut-off, as that hides what a task costs.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

template <class Join>
long fib(int n) {
    if (n < 2) return n;
    long x, y;
    Join::both([&x, n] { x = fib<Join>(n - 1); }, [&y, n] { y = fib<Join>(n - 2); });
    return x + y;
}

// A board of the rows so far, as bits of the next row: columns and diagonals that are attacked.
struct board {
    std::uint32_t all, columns = 0, left = 0, right = 0;
    board with(std::uint32_t queen) const { return {all, columns | queen, (left | queen) << 1, (right | queen) >> 1}; }
};
template <class Join>
long queens(const board& so_far);
template <class Join>
long any_of(const board& so_far, std::uint32_t free) {
    if ((free & (free - 1)) == 0) return queens<Join>(so_far.with(free));
    long x, y;
    Join::both([&] { x = any_of<Join>(so_far, free & -free); }, [&] { y = any_of<Join>(so_far, free & (free - 1)); });
    return x + y;
}
template <class Join>
long queens(const board& so_far) {
    if (so_far.columns == so_far.all) return 1;
    const std::uint32_t free = so_far.all & ~(so_far.columns | so_far.left | so_far.right);
    return free ? any_of<Join>(so_far, free) : 0;
}

template <class Join>
void sort(std::uint32_t* data, std::uint32_t* space, std::size_t count) {
    if (count <= 64) return std::sort(data, data + count);
    const std::size_t middle = count / 2;
    Join::both([=] { sort<Join>(data, space, middle); },
               [=] { sort<Join>(data + middle, space + middle, count - middle); });
    std::merge(data, data + middle, data + middle, data + count, space);
    std::copy(space, space + count, data);
}

// 10,000,000 steps in 312,500 chunks of 32, each a few nanoseconds.
struct fine_loop {
    static constexpr int chunks = 312'500, grain = 32, steps = chunks * grain;
    std::vector<std::uint32_t> in = std::vector<std::uint32_t>(1 << 15, 3), sums = std::vector<std::uint32_t>(chunks);
    void chunk(int number) {
        const std::uint32_t* const from = in.data() + (number * grain & ((1 << 15) - 1));
        std::uint32_t sum = 0;
        for (int i = 0; i < grain; ++i) sum += from[i] * from[i] + static_cast<std::uint32_t>(i);
        sums[static_cast<std::size_t>(number)] = sum;
    }
};

}  // namespace bench
