#pragma once
// One side of a channel is one thread at a time. Debug builds (without NDEBUG) mark a side while it is in a call. They
// end with a sentence if another call begins meanwhile, if the channel is destroyed meanwhile, or if a call follows the
// side's last one. In other builds calls cost nothing. There the mark exists unused, so that files compiled either way
// may be linked together. At worst, a misuse is then not seen.
//
// Calls that take as long as a mark are not marked: channel.hpp says which. Two of these at the same time are not seen,
// but sooner or later one comes upon a marked call. Nor is the move of a message marked. ThreadSanitizer sees them all.

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/port/misuse.hpp>

namespace croft::detail {

// The misuses that end the program, of a channel and one of its sides.
struct misuses {
    const char* two_callers;
    const char* after_last;
    const char* destroyed;
};

inline constexpr misuses of_sender{
    "croft::channel: two threads send at the same time",
    "croft::channel: a send behind close()",
    "croft::channel: destroyed while a thread is sending",
};
inline constexpr misuses of_receiver{
    "croft::channel: two threads receive at the same time",
    "croft::channel: a receive behind leave()",
    "croft::channel: destroyed while a thread is receiving",
};
inline constexpr misuses of_client{
    "croft::request_reply: two threads ask at the same time",
    "croft::request_reply: a request behind close()",
    "croft::request_reply: destroyed while a thread is asking",
};
inline constexpr misuses of_server{
    "croft::request_reply: two threads serve at the same time",
    "croft::request_reply: a call of the server behind leave()",
    "croft::request_reply: destroyed while a thread is serving",
};

// Plain loads and stores of one word, relaxed. An atomic read-modify-write at each call would cost twice what a small
// message does. So two callers that begin in the same nanoseconds may both find nobody. Correct programs never fail:
// one call happens before the next, so that finds what the first has stored. A last call marks the side before it tells
// the other one, and nothing behind that. So the other side's begin_anew() comes later, and is not undone. (Anything
// stronger would hide races from ThreadSanitizer.)
class one_caller {
public:
#if defined(NDEBUG)
    static constexpr bool asserts = false;
#else
    static constexpr bool asserts = true;
#endif

    // For as long as the call lasts.
    class call {
    public:
        [[gnu::always_inline]] call() = default;
        [[gnu::always_inline]] explicit call([[maybe_unused]] one_caller& side) {
#if !defined(NDEBUG)
            side_ = &side;
#endif
        }
        [[gnu::always_inline]] ~call() {
#if !defined(NDEBUG)
            if (side_) side_->state_.store(nobody, std::memory_order_relaxed);
#endif
        }
        call(const call&) = delete;
        call& operator=(const call&) = delete;
        // It is the side's last one. Said before the other side can hear of it.
        [[gnu::always_inline]] void finish() {
#if !defined(NDEBUG)
            std::exchange(side_, nullptr)->state_.store(finished, std::memory_order_relaxed);
#endif
        }

    private:
        [[maybe_unused]] one_caller* side_ = nullptr;
    };

    // A call that is not marked.
    struct no_call {
        ~no_call() {}  // or it would be an unused variable
    };
    // Without a mark it only looks for one.
    template <bool Marks = true>
    [[gnu::always_inline]] call begin([[maybe_unused]] const misuses& sentences) {
#if !defined(NDEBUG)
        if (const std::uint32_t found = state_.load(std::memory_order_relaxed); found != nobody) [[unlikely]]
            port::check_use(false, found == finished ? sentences.after_last : sentences.two_callers);
        if constexpr (!Marks) return call();
        state_.store(in_call, std::memory_order_relaxed);
#endif
        return call(*this);
    }
    // By either side: there may be calls again.
    [[gnu::always_inline]] void begin_anew() {
#if !defined(NDEBUG)
        state_.store(nobody, std::memory_order_relaxed);
#endif
    }
    [[gnu::always_inline]] void destroy([[maybe_unused]] const misuses& sentences) const {
#if !defined(NDEBUG)
        port::check_use(state_.load(std::memory_order_relaxed) != in_call, sentences.destroyed);
#endif
    }

private:
    static constexpr std::uint32_t nobody = 0, in_call = 1, finished = 2;
    std::atomic<std::uint32_t> state_{nobody};
};

// Where nothing is asserted: on simulated machines, whose programs have no debug builds, and under the explorer, which
// leaves calls in the middle.
class any_callers {
public:
    static constexpr bool asserts = false;

    struct call {
        ~call() {}  // or it would be an unused variable
        void finish() {}
    };
    template <bool Marks = true>
    [[gnu::always_inline]] call begin(const misuses&) {
        return {};
    }
    void begin_anew() {}
    void destroy(const misuses&) const {}
};

template <class Policies>
using caller_check =
    std::conditional_t<!port::waits_on_lines && std::is_same_v<typename Policies::template atomic<std::uint32_t>,
                                                               std::atomic<std::uint32_t>>,
                       one_caller, any_callers>;

}  // namespace croft::detail
