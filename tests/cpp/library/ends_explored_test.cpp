// When a loop of a graph ends, in every interleaving and with every old value that a load may find (explorer.hpp). Its
// entry asks how many messages are in it, while another thread makes two of one.

#include <croft/pattern/engine/flight.hpp>

#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

// The first thread lets a message in and takes what comes round, until the loop is empty; the second makes two of it.
// Of the channels there is what matters: how many messages were published.
template <bool CountsFirst, bool Nested>
struct loop_with_more_messages {
    using flight = croft::detail::basic_flight<atomic>;
    static constexpr std::uint32_t made = 2;

    flight around, in_flight{Nested ? &around : nullptr};
    atomic<std::uint32_t> to_body{0}, to_exit{0};

    static void again(std::uint32_t knows) {
        machine::current()->knows(std::array{knows});
        machine::current()->waits_again();
    }
    void enter_and_take() {
        if (Nested) around.enter();
        in_flight.enter();
        to_body.store(1, std::memory_order_release);
        std::uint32_t left = 0;
        do {
            again(left);
            const std::uint32_t arrived = to_exit.load(std::memory_order_acquire);
            for (; left < arrived; ++left) in_flight.leave();
        } while (!in_flight.empty());
        if (left != made) machine::current()->fail("a loop ends with a message in it");
        if (Nested) {
            for (; left > 0; --left) around.leave();
            if (!around.empty()) machine::current()->fail("the loop around does not end");
        }
    }
    void make_two() {
        do again(0);
        while (to_body.load(std::memory_order_acquire) == 0);
        if (CountsFirst) in_flight.add(made - 1);
        to_exit.store(1, std::memory_order_release);
        if (!CountsFirst) in_flight.add(made - 1);
        to_exit.store(made, std::memory_order_release);
    }
    std::vector<std::function<void()>> threads() {
        return {[this] { enter_and_take(); }, [this] { make_two(); }};
    }
    std::string check() const { return in_flight.empty() && around.empty() ? "" : "a count is not zero at the end"; }
};

}  // namespace

TEST_CASE("explorer: a loop ends when, and only when, no message is in it") {
    hold<loop_with_more_messages<true, false>>();
    hold<loop_with_more_messages<true, true>>();
}

// (That the publish releases cannot be seen to matter here. It orders two steps of one thread, the count and the
// publish, and the explorer takes the steps of a thread in their order.)
TEST_CASE("explorer: a message that is counted behind its publish ends a loop early") {
    CHECK(explore<loop_with_more_messages<false, false>>().violation == "a loop ends with a message in it");
    CHECK(explore<loop_with_more_messages<false, true>>().violation == "a loop ends with a message in it");
}

#endif
