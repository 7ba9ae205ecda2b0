#pragma once
// Whether a value is one of a few.

#include <initializer_list>

namespace croftsim {

template <class Value>
constexpr bool is_one_of(Value value, std::initializer_list<Value> these) {
    for (const Value& one : these)
        if (one == value) return true;
    return false;
}

}  // namespace croftsim
