#pragma once
// Whether a channel's receiver has left: one word. The receiver writes it once, and a sender without room looks at it.
// It lies in the channel, if its policies let receivers leave at all. Between two processes, for example, each side has
// an object of its own, and only the lines are shared. Then the home gives it a line: `of_both()`.

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/memory/home.hpp>
#include <croft/memory/line_array.hpp>

namespace croft::detail {

template <class Home>
concept homes_of_two_objects = requires(const Home& where) { where.of_both(); };

template <class Policies>
class no_left_word {
public:
    explicit no_left_word(const typename Policies::home&) {}
    template <class Load>
    bool is_set(Load) const {
        return false;
    }
};

template <class Policies>
class left_word_in_channel {
public:
    explicit left_word_in_channel(const typename Policies::home&) {}
    // Release: a sender that finds it set sees all that the receiver did before.
    void set() { flag_.store(1, std::memory_order_release); }
    template <class Load>
    bool is_set(Load load) const {
        return load(flag_, plain_lines()) != 0;
    }

private:
    typename Policies::template atomic<std::uint32_t> flag_{0};
};

template <class Policies>
class left_word_at_home {
    struct word {
        typename Policies::template atomic<std::uint32_t> flag{0};
    };

public:
    explicit left_word_at_home(const typename Policies::home& where) : line_(1, where.of_both()) {}
    // As above.
    void set() { line_[0].flag.store(1, std::memory_order_release); }
    template <class Load>
    bool is_set(Load load) const {
        return load(line_[0].flag, line_.kind()) != 0;
    }

private:
    line_array<word, decltype(std::declval<const typename Policies::home&>().of_both())> line_;
};

template <class Policies>
struct left_word_of {
    using type = std::conditional_t<Policies::receivers_leave, left_word_in_channel<Policies>, no_left_word<Policies>>;
};
template <class Policies>
    requires(Policies::receivers_leave && homes_of_two_objects<typename Policies::home>)
struct left_word_of<Policies> {
    using type = left_word_at_home<Policies>;
};
template <class Policies>
using left_word = typename left_word_of<Policies>::type;

}  // namespace croft::detail
