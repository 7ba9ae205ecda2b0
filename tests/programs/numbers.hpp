#pragma once
// A stream of numbers, and what patterns make of it.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <croft/pattern/run.hpp>

namespace numbers {

constexpr int items = 50;

inline auto count_to(int count) {
    return [next = 0, count]() mutable -> std::optional<int> {
        return next < count ? std::optional(next++) : std::nullopt;
    };
}
inline int triple(int n) { return 3 * n; }
inline int halve(int n) { return n / 2; }

template <class Policies = croft::policies, class Pattern>
std::vector<int> results_of(Pattern pattern) {
    std::vector<int> made;
    croft::run<Policies>(count_to(items), pattern, [&](int n) { made.push_back(n); });
    return made;
}
inline std::vector<int> expected(int (*of)(int)) {
    std::vector<int> all;
    for (int n = 0; n < items; ++n) all.push_back(of(n));
    return all;
}
inline std::vector<int> sorted(std::vector<int> all) {
    std::sort(all.begin(), all.end());
    return all;
}

// 1, 2, ... n.
inline std::vector<int> range(int n) {
    std::vector<int> all(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i + 1;
    return all;
}

}  // namespace numbers
