#pragma once
// One side of a channel is one thread at a time. Debug builds (without NDEBUG) mark a side while it is in a call. They
// end with a sentence if another call begins meanwhile, if the channel is destroyed meanwhile, or if a call follows the
// side's last one. In other builds calls cost nothing. There the mark exists unused, so that files compiled either way
// may be linked together. At worst, a misuse is then not seen.

#include <atomic>
#include <cstdint>
#include <type_traits>

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

// Plain loads and stores, relaxed. An atomic read-modify-write at each call would cost twice what a small message does.
// So two callers that begin in the same nanoseconds may both find nobody. Correct programs never fail: one call
// happens before the next, so that finds what the first has stored. Two words, because the other side calls
// begin_anew() perhaps while a last call is still on its way out. (Anything stronger would hide races from
// ThreadSanitizer.)
class one_caller {
public:
    static constexpr bool asserts = true;

    // For as long as the call lasts.
    class call {
    public:
        [[gnu::always_inline]] explicit call([[maybe_unused]] one_caller& side) {
#if !defined(NDEBUG)
            in_call_ = &side.in_call_;
#endif
        }
        [[gnu::always_inline]] ~call() {
#if !defined(NDEBUG)
            in_call_->store(false, std::memory_order_relaxed);
#endif
        }
        call(const call&) = delete;
        call& operator=(const call&) = delete;

    private:
        [[maybe_unused]] std::atomic<bool>* in_call_ = nullptr;
    };

    [[gnu::always_inline]] call begin([[maybe_unused]] const misuses& sentences) {
#if !defined(NDEBUG)
        port::check_use(!in_call_.load(std::memory_order_relaxed), sentences.two_callers);
        port::check_use(!finished_.load(std::memory_order_relaxed), sentences.after_last);
        in_call_.store(true, std::memory_order_relaxed);
#endif
        return call(*this);
    }
    // Within a call: it is the side's last one.
    [[gnu::always_inline]] void finish() {
#if !defined(NDEBUG)
        finished_.store(true, std::memory_order_relaxed);
#endif
    }
    // By either side: there may be calls again.
    [[gnu::always_inline]] void begin_anew() {
#if !defined(NDEBUG)
        finished_.store(false, std::memory_order_relaxed);
#endif
    }
    [[gnu::always_inline]] void destroy([[maybe_unused]] const misuses& sentences) const {
#if !defined(NDEBUG)
        port::check_use(!in_call_.load(std::memory_order_relaxed), sentences.destroyed);
#endif
    }

private:
    std::atomic<bool> in_call_{false}, finished_{false};
};

// Where nothing is asserted: on simulated machines, whose programs have no debug builds, and under the explorer, which
// leaves calls in the middle.
class any_callers {
public:
    static constexpr bool asserts = false;

    struct call {
        ~call() {}  // or it would be an unused variable
    };
    [[gnu::always_inline]] call begin(const misuses&) { return {}; }
    void finish() {}
    void begin_anew() {}
    void destroy(const misuses&) const {}
};

template <class Policies>
using caller_check =
    std::conditional_t<!port::waits_on_lines && std::is_same_v<typename Policies::template atomic<std::uint32_t>,
                                                               std::atomic<std::uint32_t>>,
                       one_caller, any_callers>;

}  // namespace croft::detail
