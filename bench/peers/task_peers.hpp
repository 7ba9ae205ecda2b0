#pragma once
// The task libraries that were found when this was configured, with the programs of task_programs.hpp.

#include <functional>
#include <string>
#include <vector>

#include "../breadth_first.hpp"
#include "../task_programs.hpp"

namespace bench {

// What a library makes of the programs. A function is empty where it has nothing of the kind.
struct task_peer {
    std::string name;
    std::function<long(int n)> fib;
    std::function<long(int n)> queens;
    std::function<void(std::uint32_t* data, std::uint32_t* space, std::size_t count)> sort;
    std::function<void(fine_loop&)> loop;
    std::function<void(breadth_first&, breadth_first::vertex source)> search = {};
};

// With so many threads, which stay. Says which libraries were not found, and how to get them, if `tell`.
std::vector<task_peer> task_peers(int threads, bool tell);

}  // namespace bench
