#pragma once
// Each line at the core that reads it, as with memory/at_reader.hpp. But ordinary stores write it, which bring a copy
// of the line into the writer's caches. The programs of paper 001 do that (its ch_sym_sm_cache;
// docs/evidence/tilepro64.md, section 5). The reader's next store to the line, which resets the flag, invalidates that
// copy, and the writer's next store fetches the line again. Elsewhere than on a many-core it is at_reader.
//
// With flags as booleans and the ack in a line of its own, a message is what it is there. send: wait for ack, store the
// value, reset ack, fence, set ready. receive: wait for ready, load the value, reset ready, set ack. There is no fence
// between, or the receiver would wait until the sender's copy is gone. A machine with homes does without that fence, if
// the receiver is the home of the line with the ready flag. The receiver's reset is in the order of that line before
// the ack is sent. So it is before what the sender stores to the flag once it has seen the ack. And the value was
// loaded before: `fence r, w` says so, and waits for no store. (It is no release, so by the language the sender's next
// store to the value races with that load; `croft run --check races` says so.) So a side that is named has to run where
// it was said to. Where none is named, or the machine has no homes, the ack is a release as anywhere.
//
// Many to one, the ready flags lie side by side: packed_many_to_one.hpp.

#include <atomic>
#include <cstdint>

#include <croft/channel/policies.hpp>
#include <croft/memory/home.hpp>
#include <croft/paper/channel/packed_many_to_one.hpp>

namespace croft {

class allocating_lines : public detail::plain_lines {
public:
    // `ordered`: what is stored here follows stores of the same core to a line that is homed there.
    explicit allocating_lines(int home = detail::home_default, bool ordered = false)
        : plain_lines(home), ordered_(ordered) {}

    template <bool Followed, class Flag>
    auto event(Flag& flag) const {
        return event_flag<Flag>{flag, ordered_};
    }

private:
    template <class Flag>
    struct event_flag {
        Flag& flag;
        bool ordered;
        void store(std::uint32_t value, std::memory_order order) const {
            if (ordered && order == std::memory_order_release) {
                port::finish_loads();
                order = std::memory_order_relaxed;
            }
            flag.store(value, order);
        }
    };

    bool ordered_;
};

namespace homes {

struct at_reader_allocating {
    int sender = detail::any_core;
    int receiver = detail::any_core;
    bool ordered = false;

    static at_reader_allocating between(detail::ends cores) {
        return {cores.sender, cores.receiver,
                cores.receiver != detail::any_core && port::is_many_core && port::has(port::feature::home_forwarding)};
    }
    allocating_lines at(detail::part what) const {
        return what == detail::part::message ? allocating_lines(receiver, false) : allocating_lines(sender, ordered);
    }
    detail::plain_lines of_sender() const { return detail::plain_lines(sender); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(receiver); }
};

}  // namespace homes

namespace baseline {

struct ra_home_allocating : policies {
    using events = croft::events::packed_flags;
    using home = homes::at_reader_allocating;
};

}  // namespace baseline
}  // namespace croft
