#pragma once
// The mean, the least and the most of some numbers.

#include <algorithm>
#include <cstddef>
#include <limits>

namespace programs {

class summary {
public:
    template <class Number>
    void add(Number number) {
        const auto value = static_cast<double>(number);
        sum_ += value;
        least_ = std::min(least_, value);
        most_ = std::max(most_, value);
        ++count_;
    }
    // The mean of at least one number.
    double mean() const { return sum_ / static_cast<double>(count_); }
    double least() const { return least_; }
    double most() const { return most_; }

private:
    double sum_ = 0, least_ = std::numeric_limits<double>::max(), most_ = std::numeric_limits<double>::lowest();
    std::size_t count_ = 0;
};

}  // namespace programs
