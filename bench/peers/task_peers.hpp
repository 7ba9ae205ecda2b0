#pragma once
// Other libraries of tasks, with the programs of task_programs.hpp.

#include <functional>
#include <string>
#include <vector>

#include "../breadth_first.hpp"
#include "../task_programs.hpp"
#include "registry.hpp"

namespace bench {

// The programs as a library makes them. A function is empty where the library has nothing of the kind.
struct task_peer {
    std::string name;
    std::function<long(int n)> fib = {};
    std::function<long(int n)> queens = {};
    std::function<void(std::uint32_t* data, std::uint32_t* space, std::size_t count)> sort = {};
    std::function<void(fine_loop&)> loop = {};
    std::function<void(breadth_first&, breadth_first::vertex source)> search = {};
    // A loop of its own for each thread that calls, many of which may do so at the same time.
    std::function<void(int steps, const std::function<void(int)>& step)> outside = {};
    int lighter = 0;  // by how much the n of its fib is less, that it takes no longer than the others
    // Around each measurement, and not in it, where the library's threads spin while they have nothing to do.
    std::function<void()> before = {}, after = {};
};

// Adds its rows for so many threads.
struct task_library {
    void (*add)(std::vector<task_peer>& rows, int threads);
};

inline std::vector<task_peer> task_peers(int threads) {
    std::vector<task_peer> all;
    for (const task_library& each : registry<task_library>()) each.add(all, threads);
    return all;
}

}  // namespace bench
