#pragma once
// The two things that a network of roles is made of.
//
// An inlet is where items go in: into a channel, or straight into the next role if that is on the same thread. The
// sender does not know which. A role is taken up by its thread in turn: it takes something from its own input, without
// waiting, and sends it on. So roles on one thread call each other, and a thread steps only the first of each such
// chain.
//
// All calls to an inlet come from one thread, the one that its sender runs on.

#include <croft/memory/ends.hpp>
#include <croft/pattern/engine/look.hpp>

namespace croft::detail {

template <class Item, class Policies>
class inlet {
public:
    virtual ~inlet() = default;

    // Where the next item is to be written; null if there is no room for one now. Until the item is there, calls give
    // the same place or another one; only the last counts.
    virtual Item* acquire() = 0;
    // It is written where acquire() said.
    virtual void publish() = 0;
    // It lies here, and may be changed and moved from; it is done with on return. After an acquire() that found room.
    virtual void consume(Item& item) = 0;
    // No item will follow. At any time, room or not.
    virtual void end() = 0;
    // Whether acquire() would find room, looked at by the way.
    virtual bool may_accept(const look<Policies>& load) = 0;
    // The core that will work on what acquire() has made room for, if that is known: for data that are to be homed
    // there (hand_over.hpp).
    virtual int worker() const { return any_core; }
};

enum class progress {
    none,  // has to wait for something
    some,  // did something
    ended  // there is nothing left for it to do, now and ever; but it may be handed to its thread again
};

template <class Policies>
class role {
public:
    virtual ~role() = default;
    virtual progress step() = 0;
    // Whether a step would make progress. It waits for all that it looks at in vain.
    virtual bool may_step(const look<Policies>& load) = 0;
    // Its thread is going to wait.
    virtual void before_wait() {}
};

}  // namespace croft::detail
