#pragma once
// One event as a word in shared memory: how "ready" and "ack" are written into their flags.
//
// Two ways, with the same functions. `turn` counts how often the slot was used before, modulo 2^32.
//
//   turns     each flag has one writer and is never reset: an event is there when the flag has reached the turn. Two
//             stores for a message and its ack.
//   booleans  to the letter, paper 000, figure 7 and paper 001, figure 4. An event is there when the flag is true, and
//             the side that has waited for it resets it. Four stores, and each side writes both flags.
//
// A ready event carries one bit beside being there: whether it announces a message or the end of the stream. So an end
// takes no value away from the messages, and no line but the flag's.
//
// Why release and acquire suffice. Before a side stores to a flag, it has written or read the message; the store
// releases that. The load that finds the event acquires it. So a message is written before it is read, and read before
// it is overwritten. Flags need no order among each other: each side acts only on the one it waits for. That remains
// true with resets. A reset comes before its writer's next release store (ready.reset before ack.set, ack.reset before
// ready.set). The other side acquires that store before it sets the same flag again, so the reset cannot undo that.

#include <atomic>
#include <cstdint>

#include <croft/port/handing_over.hpp>

namespace croft {

namespace detail {

enum class announcement : std::uint32_t { message, end };

}  // namespace detail

namespace events {

struct turns {
    // Ready: the number of the turn plus one, and below it the announcement.
    static constexpr std::uint32_t no_ready = 0;
    static bool ready(std::uint32_t flag, std::uint32_t turn) { return flag >> 1 == ((turn + 1) & 0x7fff'ffff); }
    static bool at_end(std::uint32_t flag) { return flag & 1; }
    // The value before the event, and the bits that the event changes. The announcement is not among them: the one of
    // the turn before may have been an end, behind which the channel was opened again.
    static std::uint32_t before_ready(std::uint32_t turn) { return turn << 1; }
    static constexpr std::uint32_t ready_changes = ~1u;
    template <class Flag>
    static void set_ready(Flag& flag, std::uint32_t turn, detail::announcement what) {
        port::traced_send(flag, (turn + 1) << 1 | static_cast<std::uint32_t>(what));
    }
    template <class Flag>
    static void reset_ready(Flag&) {}

    // Ack: the number of the turn that may begin.
    static constexpr std::uint32_t first_ack = 0;
    static bool ack(std::uint32_t flag, std::uint32_t turn) { return flag == turn; }
    template <class Flag>
    static void set_ack(Flag& flag, std::uint32_t turn) {
        flag.store(turn + 1, std::memory_order_release);
    }
    template <class Flag>
    static void reset_ack(Flag&) {}
};

struct booleans {
    static constexpr std::uint32_t no_ready = 0;
    static bool ready(std::uint32_t flag, std::uint32_t) { return flag != 0; }
    static bool at_end(std::uint32_t flag) { return flag == 2; }
    static std::uint32_t before_ready(std::uint32_t) { return 0; }
    static constexpr std::uint32_t ready_changes = ~0u;
    template <class Flag>
    static void set_ready(Flag& flag, std::uint32_t, detail::announcement what) {
        port::traced_send(flag, 1 + static_cast<std::uint32_t>(what));
    }
    template <class Flag>
    static void reset_ready(Flag& flag) {
        flag.store(0, std::memory_order_relaxed);  // its own set_ack, a release, follows
    }

    static constexpr std::uint32_t first_ack = 1;
    static bool ack(std::uint32_t flag, std::uint32_t) { return flag != 0; }
    template <class Flag>
    static void set_ack(Flag& flag, std::uint32_t) {
        flag.store(1, std::memory_order_release);
    }
    template <class Flag>
    static void reset_ack(Flag& flag) {
        flag.store(0, std::memory_order_relaxed);  // its own set_ready, a release, follows
    }
};

}  // namespace events

namespace detail {

// How a flag is looked at. A look that leads to the message acquires; a mere look for something to do need not. `lines`
// is what the flag lies in (memory/home.hpp): some want to hear of a look before.
struct acquire_load {
    template <class Flag, class... Lines>
    auto operator()(const Flag& flag, const Lines&... lines) const {
        (lines.before_look(&flag), ...);
        return port::traced_look(flag, std::memory_order_acquire);
    }
};
struct relaxed_load {
    template <class Flag, class... Lines>
    auto operator()(const Flag& flag, const Lines&... lines) const {
        (lines.before_look(&flag), ...);
        return port::traced_look(flag, std::memory_order_relaxed);
    }
};

// How to look further after a first look: some looks have to know whether they are the first.
template <class Load>
auto looks_further(Load load) {
    if constexpr (requires { load.further(); })
        return load.further();
    else
        return load;
}

}  // namespace detail

}  // namespace croft
