#pragma once
// Programs of tasks whose results are known, for any run-time.

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/parallel_scan.hpp>
#include <croft/task/shared_deques.hpp>
#include <croft/task/task_group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../../programs/common/fib.hpp"

namespace task_programs {

inline long fib_of(int n) {
    long a = 0, b = 1;
    while (n-- > 0) b += std::exchange(a, b);
    return a;
}

using programs::fib;
using programs::fib_task;

// How many ways there are to put n queens on the board, given those of the rows above.
template <class Runtime>
long queens(int n, std::vector<int> columns = {}) {
    const int row = static_cast<int>(columns.size());
    if (row == n) return 1;
    return croft::parallel_reduce<Runtime>(
        0, n, 0L,
        [&](int column) {
            for (int above = 0; above < row; ++above) {
                const int apart = columns[static_cast<std::size_t>(above)] - column;
                if (apart == 0 || apart == row - above || apart == above - row) return 0L;
            }
            std::vector<int> more = columns;
            more.push_back(column);
            return queens<Runtime>(n, more);
        },
        [](long a, long b) { return a + b; }, {.grain = 1});
}

template <class Runtime>
void sort(std::uint32_t* first, std::uint32_t* last, std::ptrdiff_t alone = 16) {
    if (last - first <= alone) return std::sort(first, last);
    std::uint32_t* const middle = first + (last - first) / 2;
    croft::parallel_invoke<Runtime>([&] { sort<Runtime>(first, middle, alone); },
                                    [&] { sort<Runtime>(middle, last, alone); });
    std::inplace_merge(first, middle, last);
}

inline std::vector<std::uint32_t> numbers(std::size_t count) {
    std::vector<std::uint32_t> made(count);
    std::uint32_t state = 1;
    for (std::uint32_t& each : made) each = state = state * 1664525 + 1013904223;
    return made;
}

}  // namespace task_programs
