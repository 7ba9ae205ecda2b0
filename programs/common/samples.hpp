#pragma once
// Repeated measurements: their median and quartiles, and what reading the clock adds to each.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "moment.hpp"

namespace programs {

// The quartile with this number of `values`, which are sorted: 0 is the least, 2 the median, 4 the most.
inline double quartile(std::vector<double>& values, std::size_t number) {
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) * number / 4];
}

// Times of something, each divided by how often it was done.
class samples {
public:
    samples() {
        std::vector<double> empty;
        for (int i = 0; i < 101; ++i) {
            const moment begin = moment::now();
            empty.push_back(programs::cycles(begin, moment::now()));
        }
        clock_ = quartile(empty, 2);
    }
    void add(const moment& begin, const moment& end, std::size_t count) {
        const double all = programs::cycles(begin, end), own = std::max(all - clock_, 0.0);
        const double times = static_cast<double>(count);
        cycles_.push_back(own / times);
        ns_.push_back(all > 0 ? programs::nanoseconds(begin, end) * (own / all) / times : 0);
    }
    double cycles() { return quartile(cycles_, 2); }
    double ns(std::size_t number = 2) { return quartile(ns_, number); }
    void forget() { cycles_.clear(), ns_.clear(); }

private:
    double clock_;  // cycles from one reading of the clock to the next
    std::vector<double> cycles_, ns_;
};

}  // namespace programs
