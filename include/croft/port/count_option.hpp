#pragma once
// A number of threads, slots or the like in a struct of options. It takes any integer. So `{.workers = n}` is right for
// an `int n`, which the compiler would refuse to narrow to a std::size_t.

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <croft/port/port.hpp>

namespace croft {

namespace detail {

class checked_count {
public:
    // Throws std::invalid_argument if it is negative.
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr checked_count(Integer count) : count_(static_cast<std::size_t>(count)) {
        if constexpr (std::is_signed_v<Integer>)
            if (count < 0) refuse(count);
    }
    constexpr operator std::size_t() const { return count_; }

private:
    [[noreturn, gnu::cold]] static void refuse(long long count);

    std::size_t count_;
};

}  // namespace detail

// (A simulated machine's programs stay what they were when they were measured.)
using count_option = std::conditional_t<port::waits_on_lines, std::size_t, detail::checked_count>;

}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/port/count_option_body.hpp>
#endif
