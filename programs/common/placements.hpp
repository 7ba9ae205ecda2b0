#pragma once
// Where to measure on a mesh: pairs of cores for every distance, tiles spread over it. Always the same ones.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mesh.hpp"

namespace programs {

struct placement {
    int requester, home;
};

// `wanted` elements at equal steps through `all`; all of it if there are no more.
template <class Element>
std::vector<Element> spread(const std::vector<Element>& all, std::size_t wanted) {
    if (all.size() <= wanted) return all;
    std::vector<Element> chosen;
    for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(all[i * all.size() / wanted]);
    return chosen;
}

// For every distance from 1 up that two of the `cores` have: `wanted` pairs of them, or as many as there are.
inline std::vector<placement> pairs_of_every_distance(const std::vector<int>& cores, int columns, std::size_t wanted) {
    std::vector<std::vector<placement>> by_distance;
    for (const int requester : cores)
        for (const int home : cores) {
            const auto hops = static_cast<std::size_t>(hops_between(requester, home, columns));
            if (by_distance.size() <= hops) by_distance.resize(hops + 1);
            by_distance[hops].push_back({requester, home});
        }
    std::vector<placement> chosen;
    for (std::size_t hops = 1; hops < by_distance.size(); ++hops)
        for (const placement& one : spread(by_distance[hops], wanted)) chosen.push_back(one);
    return chosen;
}

// The `cores` but for these two, the nearest to `centre` first.
inline std::vector<int> others_by_distance(std::vector<int> cores, int without, int centre, int columns) {
    std::erase_if(cores, [&](int core) { return core == without || core == centre; });
    std::stable_sort(cores.begin(), cores.end(),
                     [&](int a, int b) { return hops_between(a, centre, columns) < hops_between(b, centre, columns); });
    return cores;
}

}  // namespace programs
