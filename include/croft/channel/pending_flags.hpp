#pragma once
// The flags that a receiver of many looks at, side by side. An entry holds, for one sender, the flag that the next
// ready event will change, and its value until then. So a look is three loads and a comparison. The way by the channel,
// its state and its slot is twice as long, and most looks are at senders that are idle.
//
// An entry is right as long as its channel stays at its slot: until set_ack(), or until the end, with which it goes.
// Then the receiver, the one thread that reads it, makes it anew. It knows a flag's value until the event without a
// look. The receiver has seen the event of the turn before there (or the slot is new), and flags that are reset it has
// reset itself. A load finds no older value than an earlier load of this thread, or its own store. So it finds the
// known value, or the event. An acquiring look later tells which event.
//
// For channels whose slots can tell (slot.hpp's next_flag) and where a look is a load and nothing else; fair_choice.hpp
// asks the others one by one.

#include <cstddef>
#include <cstdint>

#include <croft/channel/flag.hpp>
#include <croft/memory/home.hpp>

namespace croft::detail {

// `matters`: the bits in which an event differs from what was there before. (The others tell what it announces.) Lines:
// the lines that the flag lies in; only their kind counts.
template <class Word, class Lines, std::uint32_t Matters>
    requires looked_at_plainly<Lines>
struct pending_flag {
    static constexpr std::uint32_t matters = Matters;

    const Word* flag;
    std::uint32_t before;

    template <class Load>
    [[gnu::always_inline]] std::uint32_t difference(Load& load) const {
        return load(*flag, Lines()) ^ before;
    }
    template <class Load>
    [[gnu::always_inline]] bool is_ready(Load& load) const {
        return (difference(load) & matters) != 0;
    }
    // Whether the event of one of four side by side may be there. They are looked at together, so that one's loads need
    // not wait for another's comparison. All entries come before all flags, because a look that is ordered lets no load
    // behind it pass.
    template <class Load>
    [[gnu::always_inline]] static bool any_of_four(const pending_flag* first, Load& load) {
        const pending_flag a = first[0], b = first[1], c = first[2], d = first[3];
        std::uint32_t any = a.difference(load);
        any |= b.difference(load);
        any |= c.difference(load);
        any |= d.difference(load);
        asm("" : "+r"(any));  // or it is taken apart again, into a branch for each
        return (any & matters) != 0;
    }
};

}  // namespace croft::detail
