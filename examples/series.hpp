#pragma once
// The two forms of the nested loops share this: series of numbers to be compared with each other.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace series {

using numbers = std::vector<double>;

// `count` walks of `steps` random steps, each normalised: its mean is 0, the sum of its squares 1.
inline std::vector<numbers> random_walks(std::size_t count, std::size_t steps) {
    std::vector<numbers> made(count, numbers(steps));
    std::uint64_t random = 1;
    for (numbers& each : made) {
        double at = 0, sum = 0, squares = 0;
        for (double& value : each) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            value = at += random >> 63 ? 1 : -1;
            sum += value;
        }
        for (double& value : each) value -= sum / static_cast<double>(steps), squares += value * value;
        for (double& value : each) value /= std::sqrt(squares);
    }
    return made;
}

// The product of the steps from `first` to `last`, added to `so_far`.
inline double product(const numbers& a, const numbers& b, std::size_t first, std::size_t last, double so_far) {
    for (std::size_t t = first; t < last; ++t) so_far += a[t] * b[t];
    return so_far;
}

struct pair {
    double correlation = -2;
    std::size_t a = 0, b = 0;
};
// The first of equal ones, so that it does not matter in which order pairs are looked at.
inline const pair& stronger(const pair& left, const pair& right) {
    if (left.correlation != right.correlation) return left.correlation > right.correlation ? left : right;
    return left.a < right.a || (left.a == right.a && left.b < right.b) ? left : right;
}

}  // namespace series
