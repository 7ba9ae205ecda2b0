// Channels and doorbells in every interleaving, with store buffers (explorer.hpp says what memory model that is); and
// mutants of them, each of which has to be caught.

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explorer.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using explorer::machine;

// ---- what a doorbell needs of the world ----

struct world {
    static void prepare() {}
    template <class Scan>
    static bool spin(Scan&, std::chrono::nanoseconds) {
        machine::current()->waits_again();
        return false;  // a spin that found nothing
    }
    static void sleep_while(const explorer::atomic<std::uint32_t>& word, std::uint32_t value) {
        machine::current()->sleep_while(word.where(), value);
    }
    static void wake_one(const explorer::atomic<std::uint32_t>& word) { machine::current()->wake_one(word.where()); }
};
struct asymmetric : world {
    static void light_fence() {}
    static void heavy_fence() { machine::current()->membarrier(); }
};
struct symmetric : world {
    static void light_fence() { machine::current()->full_fence(); }
    static void heavy_fence() { machine::current()->full_fence(); }
};
// Mutants.
struct no_heavy_fence : world {
    static void light_fence() {}
    static void heavy_fence() {}
};
struct own_fence_only : world {
    static void light_fence() {}
    static void heavy_fence() { machine::current()->full_fence(); }
};
struct no_fence_of_the_sleeper : world {
    static void light_fence() { machine::current()->full_fence(); }
    static void heavy_fence() {}
};

template <class World>
using bell = croft::waits::doorbell<explorer::atomic, World>;

// Sleeps without looking once more.
struct no_second_look : bell<asymmetric> {
    template <class Scan>
    void wait(Scan) {

        bell<asymmetric>::wait([&](auto load) {
            (void)load;

            return false;
        });
    }
};
// Rings without having set its event first, as if the two were exchanged.
struct deaf : bell<asymmetric> {
    void notify() {}
};

// ---- flags ----

struct ready_not_released : croft::turns {
    template <class Flag>
    static void set_ready(Flag& flag, std::uint32_t turn, croft::announcement what) {
        flag.store((turn + 1) << 1 | static_cast<std::uint32_t>(what), std::memory_order_relaxed);
    }
};
struct ack_not_released : croft::booleans {
    template <class Flag>
    static void set_ack(Flag& flag, std::uint32_t) {
        flag.store(1, std::memory_order_relaxed);  // may overtake the reset of ready
    }
};
struct ready_before_ack_is_reset : croft::booleans {
    template <class Flag>
    static void reset_ack(Flag&) {}  // an ack then counts for ever
};

template <class Events, class Wait>
struct modelled : croft::policies {
    using events = Events;
    using wait = Wait;
    template <class T>
    using atomic = explorer::atomic<T>;
};

template <class Flag, croft::ack_place Place>
using flags = croft::events::flags<Flag, Place>;
constexpr auto together = croft::ack_place::with_message;
constexpr auto apart = croft::ack_place::own_line;

// ---- programs ----

// Forgets: whether, apart from how many messages it has handled, a side's state at each message and whenever it begins
// to wait is always the same. True of slots, whose turn follows from that number; not of batched acks, whose sender
// remembers what it saw.
template <class Policies, std::size_t Degree, std::uint32_t Messages, bool Forgets = true>
struct stream {
    croft::channel<explorer::data, Policies> channel{Degree};
    std::uint32_t received = 0;

    static void handled(std::uint32_t number) {
        if constexpr (Forgets) machine::current()->local_state(number);
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < Messages; ++i) {
                        handled(i);
                        channel.acquire().set(100 + i);
                        channel.publish();
                    }
                    handled(Messages);
                    channel.close();
                },
                [this] {
                    for (;;) {
                        handled(received);
                        explorer::data* const message = channel.receive_in_place();
                        if (!message) return;
                        if (message->get() != 100 + received) machine::current()->fail("a message is not what was sent");
                        if (++received > Messages) return machine::current()->fail("more messages than were sent");
                        channel.set_ack();
                    }
                }};
    }
    std::string check() const { return received == Messages ? "" : "messages were lost"; }
};

// Two senders who ring one receiver.
template <class Policies>
struct two_senders {
    croft::many_to_one<explorer::data, Policies> channel{2, 1};
    std::vector<std::uint32_t> got;

    std::vector<std::function<void()>> threads() {
        const auto send = [this](std::size_t who) {
            channel.sender(who).acquire().set(static_cast<std::uint32_t>(100 + who));
            channel.sender(who).publish();
        };
        return {[send] { send(0); }, [send] { send(1); },
                [this] {
                    for (int i = 0; i < 2; ++i) {
                        got.push_back(channel.receive_in_place()->get());
                        channel.set_ack();
                    }
                }};
    }
    std::string check() const {
        return got.size() == 2 && got[0] + got[1] == 201 && got[0] != got[1] ? "" : "messages were lost or repeated";
    }
};

// The bare race of sleep.md: one sleeper, one event.
template <class Wait>
struct one_event {
    explorer::atomic<std::uint32_t> event{0};
    Wait waiter;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    event.store(1, std::memory_order_release);
                    waiter.notify();
                },
                [this] {
                    while (event.load(std::memory_order_acquire) == 0)
                        waiter.wait([this](auto load) { return load(event) != 0; });
                }};
    }
    std::string check() const { return ""; }
};

template <class Program>
explorer::outcome explore() {
    machine one;
    return one.explore<Program>();
}

template <class Program>
void hold() {
    const explorer::outcome found = explore<Program>();
    INFO(found.states << " states, " << found.endings << " endings");  // -s shows it
    CHECK(found.violation == "");
    CHECK(found.endings >= 1);
}

template <class Policies>
void hold_for_all_sizes() {
    hold<stream<Policies, 1, 1>>();
    hold<stream<Policies, 1, 2>>();
    hold<stream<Policies, 1, 3>>();
    hold<stream<Policies, 2, 2>>();
    hold<stream<Policies, 2, 3>>();
}

}  // namespace

TEST_CASE("explorer: it knows store buffering, and that fences forbid it") {
    struct dekker {
        explorer::atomic<std::uint32_t> x, y;
        std::uint32_t saw_x = 0, saw_y = 0;
        std::vector<std::function<void()>> threads() {
            return {[this] { x.store(1, std::memory_order_release), saw_y = y.load(std::memory_order_acquire); },
                    [this] { y.store(1, std::memory_order_release), saw_x = x.load(std::memory_order_acquire); }};
        }
        std::string check() const { return saw_x || saw_y ? "" : "both blind"; }
    };
    CHECK(explore<dekker>().violation == "both blind");
    struct fenced : dekker {
        std::vector<std::function<void()>> threads() {
            return {[this] {
                        x.store(1, std::memory_order_relaxed);
                        machine::current()->full_fence();
                        saw_y = y.load(std::memory_order_relaxed);
                    },
                    [this] {
                        y.store(1, std::memory_order_relaxed);
                        machine::current()->full_fence();
                        saw_x = x.load(std::memory_order_relaxed);
                    }};
        }
    };
    CHECK(explore<fenced>().violation == "");
    struct one_sided : dekker {
        std::vector<std::function<void()>> threads() {
            return {[this] { x.store(1, std::memory_order_relaxed), saw_y = y.load(std::memory_order_relaxed); },
                    [this] {
                        y.store(1, std::memory_order_relaxed);
                        machine::current()->membarrier();
                        saw_x = x.load(std::memory_order_relaxed);
                    }};
        }
    };
    CHECK(explore<one_sided>().violation == "");
}

TEST_CASE("explorer: it knows message passing, and that release is needed for it") {
    struct passing {
        explorer::atomic<std::uint32_t> payload, flag;
        std::uint32_t seen = 1;
        std::memory_order order = std::memory_order_relaxed;
        std::vector<std::function<void()>> threads() {
            return {[this] { payload.store(1, std::memory_order_relaxed), flag.store(1, order); },
                    [this] {
                        if (flag.load(std::memory_order_acquire)) seen = payload.load(std::memory_order_relaxed);
                    }};
        }
        std::string check() const { return seen ? "" : "flag before payload"; }
    };
    CHECK(explore<passing>().violation == "flag before payload");
    struct released : passing {
        released() { order = std::memory_order_release; }
    };
    CHECK(explore<released>().violation == "");
}

TEST_CASE("explorer: no wake-up is lost, with either pair of fences") {
    hold<one_event<bell<asymmetric>>>();
    hold<one_event<bell<symmetric>>>();
}

TEST_CASE("explorer: a missing fence or look loses a wake-up, and is caught") {
    const char* const lost = "a thread sleeps for ever";
    CHECK(explore<one_event<bell<no_heavy_fence>>>().violation == lost);
    CHECK(explore<one_event<bell<own_fence_only>>>().violation == lost);
    CHECK(explore<one_event<bell<no_fence_of_the_sleeper>>>().violation == lost);
    CHECK(explore<one_event<no_second_look>>().violation == lost);
    CHECK(explore<one_event<deaf>>().violation == lost);
}

TEST_CASE("explorer: channels deliver everything, in order, by every kind of event") {
    hold_for_all_sizes<modelled<flags<croft::turns, together>, bell<asymmetric>>>();
    hold_for_all_sizes<modelled<flags<croft::booleans, together>, bell<asymmetric>>>();
    hold_for_all_sizes<modelled<flags<croft::booleans, apart>, bell<symmetric>>>();
    hold<stream<modelled<croft::events::batched, bell<asymmetric>>, 1, 1, false>>();
}

TEST_CASE("explorer: two senders and one sleeper") {
    hold<two_senders<modelled<flags<croft::turns, together>, bell<asymmetric>>>>();
}

TEST_CASE("explorer: mutants of the flags and of the channel's waiting are caught") {
    using croft::turns;
    CHECK(explore<stream<modelled<flags<ready_not_released, together>, bell<asymmetric>>, 1, 1>>().violation ==
          "a message is not what was sent");
    CHECK(explore<stream<modelled<flags<ack_not_released, together>, bell<asymmetric>>, 1, 2>>().violation != "");
    CHECK(explore<stream<modelled<flags<ready_before_ack_is_reset, together>, bell<asymmetric>>, 1, 2>>().violation !=
          "");
    CHECK(explore<stream<modelled<flags<turns, together>, bell<no_heavy_fence>>, 1, 1>>().violation ==
          "a thread sleeps for ever");
    CHECK(explore<stream<modelled<flags<turns, together>, no_second_look>, 1, 1>>().violation ==
          "a thread sleeps for ever");
}

#endif
