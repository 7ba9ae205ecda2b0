#pragma once
// The content of an item's slot: an object, there from the beginning. So what it owns (the capacity of a vector, say)
// is there for the next one. If the type has no default constructor, no object is there until the first was written.

#include <optional>
#include <type_traits>
#include <utility>

#include <croft/pattern/hand_over.hpp>

namespace croft::detail {

template <class T>
class late {
public:
    late() = default;
    late(T&& value) : value_(std::move(value)) {}
    // Constructed if there was none, or if it cannot be assigned to. If that throws there is the old one, or none.
    late& operator=(T&& value) {
        put(std::move(value));
        return *this;
    }
    late& operator=(const T& value) {
        put(value);
        return *this;
    }
    // Once there is one.
    T& operator*() { return *value_; }

    void hand_over(int worker)
        requires leads_to_data<T>::value
    {
        if (value_) detail::hand_over(*value_, worker);
    }

private:
    template <class U>
    void put(U&& value) {
        if constexpr (std::is_assignable_v<T&, U>) {
            if (value_) {
                *value_ = std::forward<U>(value);
                return;
            }
        }
        value_.emplace(std::forward<U>(value));
    }
    std::optional<T> value_;
};

template <class T>
using content_of = std::conditional_t<std::is_default_constructible_v<T>, T, late<T>>;

template <class T>
[[gnu::always_inline]] inline T& object_in(T& content) {
    return content;
}
template <class T>
[[gnu::always_inline]] inline T& object_in(late<T>& content) {
    return *content;
}

}  // namespace croft::detail
