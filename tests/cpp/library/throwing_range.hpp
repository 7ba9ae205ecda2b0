#pragma once
// A range of 0, 1, ... without an end, of which the `bad`th throws: when it is looked at, or when it is come to.

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>

template <class T>
class throwing_range {
public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    throwing_range(int bad, bool when_come_to) : bad_(bad), when_come_to_(when_come_to) {}
    T operator*() const {
        if (at_ == bad_) throw std::runtime_error("bad");
        return made(at_);
    }
    throwing_range& operator++() {
        if (++at_ == bad_ && when_come_to_) throw std::runtime_error("bad");
        return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return false; }

    static T made(int n) {
        if constexpr (std::is_same_v<T, std::string>)
            return std::string(static_cast<std::size_t>(n), 'x');
        else
            return static_cast<T>(n);
    }

private:
    int at_ = 0, bad_;
    bool when_come_to_;
};
