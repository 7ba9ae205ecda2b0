#pragma once
// The content of an item's slot. Three kinds:
//
//   the object itself   there from the beginning. So what it owns (the capacity of a vector, say) is there for the next
//   late                where the type has no default constructor: no object is there until the first was written
//   plain_bytes         natively, where the object is small and nothing but its bytes: all types of one size travel as
//                       one. So a program's second farm compiles only the ends of it, and croft::croft_compiled has all
//                       between the ends for the usual sizes. (Simulated programs have the object: they are measured.)

#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/pattern/hand_over.hpp>
#include <croft/port/port.hpp>

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
struct content_kind;
// (The content of a content is the same.)
template <class T>
using content_of = typename content_kind<T>::type;

template <std::size_t Size>
struct plain_bytes {
    alignas(Size < 8 ? 4 : 8) unsigned char bytes[Size];

    // An assignment creates the object anew, because another type may have been here.
    template <class T>
    plain_bytes& operator=(const T& value) {
        static_assert(std::is_same_v<content_of<T>, plain_bytes>, "another type's object would be written here");
        ::new (static_cast<void*>(bytes)) T(value);
        return *this;
    }
};

// The object begins uninitialised, and so it is none of these whose default constructor does something. (Where there is
// no such constructor, nobody looks before the first was written.)
template <class T>
inline constexpr bool is_plain_bytes =
    !port::waits_on_lines && std::is_trivially_copyable_v<T> &&
    (std::is_trivially_default_constructible_v<T> || !std::is_default_constructible_v<T>) &&
    std::is_copy_constructible_v<T> && !leads_to_data<T>::value && sizeof(T) <= 64 && alignof(T) <= 8;
inline constexpr std::size_t plain_size(std::size_t bytes) {
    return bytes <= 4 ? 4 : bytes <= 8 ? 8 : (bytes + 7) / 8 * 8;
}

template <class T>
struct content_kind {
    using type = std::conditional_t<std::is_default_constructible_v<T>, T, late<T>>;
};
template <class T>
    requires is_plain_bytes<T>
struct content_kind<T> {
    using type = plain_bytes<plain_size(sizeof(T))>;
};

template <class T, class Content>
[[gnu::always_inline]] inline T& object_in(Content& content) {
    if constexpr (std::is_same_v<Content, late<T>>)
        return *content;
    else if constexpr (std::is_same_v<Content, T>)
        return content;
    else
        return *std::launder(reinterpret_cast<T*>(content.bytes));
}

}  // namespace croft::detail
