#pragma once
// A core tells a log what it does: the instructions it carries out and the times it waits. Every cycle of a thread's
// life is in one or the other, in the order of time.
//
// A core that runs ahead of its time (machine/window.md) may be taken back. So its entries are settled when its
// checkpoint moves up, and forgotten if it is restored. Settled entries go on in batches. Cores take turns every few
// cycles, and by the next turn no near cache of the host has anything of this core.

#include <cstdint>
#include <span>

#include "contract/block.hpp"
#include "contract/simulation.hpp"
#include "contract/stall.hpp"
#include "record/event_list.hpp"

namespace croftsim {

// The two ends of what goes from core to core: a message of the user network, a user-level interrupt, its response.
enum class Flow : std::uint8_t { sends, receives, requests, is_requested, responds, is_answered };

enum class Mark : std::uint8_t { instant, begin, end };

class ExecutionLog {
public:
    // It has carried out all of a block. `until`: when the next instruction issues, if it does not wait.
    struct Step {
        const Block* block;
        std::uint64_t until;
    };
    // It has carried out the block's operations before `end`.
    struct Part {
        const Block* block;
        const Op* end;
        std::uint64_t until;
    };
    // An instruction of an out-of-order core retires at `until`.
    struct Retired {
        std::uint64_t pc, until;
    };
    // The latest of these instructions calls, returns, or jumps to where a register says. `behind`: what follows it in
    // memory; `next`: where the core goes on.
    struct Transferred {
        std::uint64_t behind, sp, next;
        Linkage kind;
    };
    // The instruction at pc waited. `address`: for what in memory, if it is that which it waited for; of a
    // fence it says nothing.
    struct Waited {
        std::uint64_t pc;
        Stall why;
        std::uint64_t from, until, address;
    };
    // The instruction at pc reads or writes memory, of which the core can see all that it has written before. Only for
    // who wants to know of each.
    enum class Kind : std::uint8_t { load, store, atomic, reserve, zero };
    struct Accessed {
        std::uint64_t pc, address, time, sp;
        Kind kind;
        std::uint8_t bytes;
    };
    // A function that is followed returns to where it was called. Its arguments, and its result.
    struct Returned {
        std::uint64_t return_address, first, second, result;
        std::uint8_t which;  // Followed::which
    };
    // It took so many cycles more than its block says, or fewer: a load's wait begins with the access itself.
    struct Took {
        std::uint64_t pc;
        std::int64_t more;
    };
    // The program has come to a mark of its own: its text lies there, of an end none.
    struct Marked {
        std::uint64_t time, text;
        Mark what;
    };
    // Both ends have the same number, and nothing else has.
    struct Flows {
        std::uint64_t time, number;
        Flow what;
    };
    // It has come to the instruction at pc, which is at a landmark. It may have to come again, if it is held up there.
    struct Passed {
        std::uint64_t time, pc;
    };
    // A handler is called; else the core would have gone on at pc.
    struct Interrupted {
        std::uint64_t time, pc, sp;
    };
    struct ThreadStarted {
        std::uint64_t time;
    };
    // `pc`: of the instruction that it has come to.
    struct ThreadEnded {
        std::uint64_t time, pc;
    };
    // The commonest first: they are looked for in this order.
    using Events = EventList<Step, Retired, Transferred, Accessed, Waited, Took, Part, Returned, Marked, Flows, Passed,
                             Interrupted, ThreadStarted, ThreadEnded>;

    virtual ~ExecutionLog() = default;

    bool follows_accesses() const { return follows_accesses_; }
    // Behind a transfer of control to `next`: the registers are there as the instruction leaves them.
    [[gnu::always_inline]] void transferred(std::uint64_t next, const std::uint64_t* x) {
        if (((followed_bits_ >> (next / 2 % 64)) & 1) || next == inside_.return_address) [[unlikely]]
            follow(next, x);
    }

    template <class One>
    [[gnu::always_inline]] void tell(const One& event) {
        events_.push(event);
    }
    // Everything told so far is final.
    void settle() {
        settled_ = events_.end();
        settled_inside_ = inside_;
        if (settled_ >= batch) hand_over();
    }
    void take_back() {
        events_.cut(settled_);
        inside_ = settled_inside_;
    }
    // Settled entries go on now.
    void hand_over() {
        take(events_, settled_);
        events_.drop(settled_);
        settled_ = 0;
    }

    // The time of the first access or end of a flow that has been told and not handed over; `never` if there is none.
    std::uint64_t first_left() const;

protected:
    // Those before `end`.
    virtual void take(const Events& events, Events::Place end) = 0;
    void follow_accesses() { follows_accesses_ = true; }
    // Functions by their addresses; they outlive the log.
    void follow(std::span<const Followed> functions);

private:
    static constexpr Events::Place batch = 768;  // words
    static constexpr std::uint64_t nowhere = 1;  // no instruction is there
    // The call of a followed function that is under way: of one within it nothing is told.
    struct Inside {
        std::uint64_t return_address = nowhere, sp = 0, first = 0, second = 0;
        std::uint8_t which = 0;
    };
    void follow(std::uint64_t next, const std::uint64_t* x);

    bool follows_accesses_ = false;
    std::uint64_t followed_bits_ = 0;  // one for each remainder of a function's address
    std::span<const Followed> followed_;
    Inside inside_, settled_inside_;
    Events events_{2 * batch};
    Events::Place settled_ = 0;
};

}  // namespace croftsim
