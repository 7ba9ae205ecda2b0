#pragma once
// One callable that others may run while its parent does something else. parallel_invoke and the loops are made of it.
// It lies on its parent's stack.

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include <croft/port/marks.hpp>
#include <croft/port/port.hpp>
#include <croft/task/work.hpp>

namespace croft::detail {

// Compiled once for each run-time. (A simulated machine's programs stay what they were when they were measured.)
template <class Runtime>
[[gnu::noinline]] void help_until_not(typename Runtime::worker& here, std::atomic<std::uint32_t>& state,
                                      std::uint32_t unfinished) {
    here.help_until([&] {
        return Runtime::join_policy::reaches(state, [unfinished](std::uint32_t now) { return now != unfinished; });
    });
}

template <class Runtime, class Body>
class fork : Runtime::work {
    using worker = typename Runtime::worker;
    using base = typename Runtime::work;

public:
    explicit fork(Body& body) : base{&run_stolen}, body_(body) {}
    ~fork() {}  // the union's member was destroyed by whoever made it
    fork(const fork&) = delete;
    fork& operator=(const fork&) = delete;

    // Does `first`, and the body, here or elsewhere. Returns when both have finished, or are dropped because the other
    // failed before they began; then throws what that one threw.
    // With `HandlesApart` the function that calls this handles no exception (parallel_invoke.hpp).
    template <bool HandlesApart = false, class First>
    [[gnu::always_inline]] static void both(worker& here, First& first, Body& body) {
        fork second(body);
        const auto at = here.push(second);  // if there is no room nobody else can take it, and all goes on as usual
        if constexpr (HandlesApart) {
            second.call_first(here, first, at);
        } else {
            try {
                first();
            } catch (...) {
                second.drop(here, at);
                throw;
            }
        }
        if (here.take_back(at)) [[likely]] {
            CROFT_BEGINS(task)
            body();
            CROFT_ENDS(task)
        } else {
            second.join(here, at);
        }
    }

private:
    enum state : std::uint32_t { unfinished, finished, failed };

    static void run_stolen(base& what, worker& here, worker& owner) {
        fork& self = static_cast<fork&>(what);
        // A task that the body spawns would have no parent here.
        auto* const outer = std::exchange(here.running, nullptr);
        state ending = finished;
        try {
            self.body_();
        } catch (...) {
            new (&self.why_) std::exception_ptr(std::current_exception());
            ending = failed;
        }
        here.running = outer;
        // The word releases all that the body wrote. Afterwards this object may be gone.
        Runtime::join_policy::set(self.state_, std::uint32_t{ending});
        owner.wake();
    }
    template <class First, class Place>
    void call_first(worker& here, First& first, Place at) {
        try {
            first();
        } catch (...) {
            drop(here, at);
            throw;
        }
    }
    template <class Place>
    void wait(worker& here, Place at) {
        if constexpr (port::waits_on_lines)
            here.help_until([this] {
                return Runtime::join_policy::reaches(state_, [](std::uint32_t now) { return now != unfinished; });
            });
        else
            help_until_not<Runtime>(here, state_, unfinished);
        here.joined(at);
    }
    // Not inline, neither: they would take registers from the usual way.
    template <class Place>
    [[gnu::noinline]] void join(worker& here, Place at) {
        wait(here, at);
        if (state_.load(std::memory_order_relaxed) == finished) return;
        const std::exception_ptr why = std::move(why_);
        why_.~exception_ptr();
        std::rethrow_exception(why);
    }
    template <class Place>
    [[gnu::noinline]] void drop(worker& here, Place at) {
        if (here.take_back(at)) return;
        wait(here, at);
        if (state_.load(std::memory_order_relaxed) == failed) why_.~exception_ptr();
    }

    // A small one is copied. Then, as a rule, the body that this worker calls itself has no other name and can be kept
    // in registers.
    static constexpr bool is_copied = std::is_trivially_copyable_v<Body> && std::is_const_v<Body> && sizeof(Body) <= 64;
    std::conditional_t<is_copied, Body, Body&> body_;
    std::atomic<std::uint32_t> state_{unfinished};
    union {
        std::exception_ptr why_;  // there only if it failed
    };
};

}  // namespace croft::detail
