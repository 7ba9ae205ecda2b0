#pragma once
// The hardware queues of the user network as a resource. Each core has four. A channel over the network needs one at
// its receiver for the messages and one at its sender for the acks (paper 001, figure 9). So a tile can be an end of
// four such channels and no more.
//
// Any thread may claim a queue for a core. As a rule the thread that makes the channel does, so it hears at once if
// there is none left. Only the thread that runs on that core can open the queue. Every claim has a tag of its own: a
// word that was meant for a queue's earlier owner never comes to its next one.

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <croft/memory/ends.hpp>

namespace croft {

namespace detail {

class queue_book {
public:
    unsigned claim(int core) {
        const std::lock_guard guard(lock_);
        unsigned& taken = taken_[core];
        const auto queue = static_cast<unsigned>(std::countr_one(taken));
        if (queue >= port::queue_count)
            throw std::length_error("croft::channel: core " + std::to_string(core) +
                                    " has four hardware queues, which are taken: it can be an end of no more channels "
                                    "over the network");
        taken |= 1u << queue;
        return queue;
    }
    void release(int core, unsigned queue) {
        const std::lock_guard guard(lock_);
        taken_[core] &= ~(1u << queue);
    }
    unsigned new_tag() {
        const std::lock_guard guard(lock_);
        return ++last_tag_;
    }
    static queue_book& of_process() {
        static queue_book book;
        return book;
    }

private:
    std::mutex lock_;
    std::map<int, unsigned> taken_;  // by core, a bit a queue
    unsigned last_tag_ = 0;          // 0 is that of notifications
};

}  // namespace detail

// Does something with the number of a queue, which the instructions want as a constant.
template <class Action>
[[gnu::always_inline]] inline auto with_queue(unsigned queue, Action action) {
    switch (queue) {
        case 0:
            return action.template operator()<0>();
        case 1:
            return action.template operator()<1>();
        case 2:
            return action.template operator()<2>();
        default:
            return action.template operator()<3>();
    }
}
[[gnu::always_inline]] inline std::uint64_t receive_from(unsigned queue) {
    return with_queue(queue, []<unsigned Queue>() { return port::receive_word<Queue>(); });
}
[[gnu::always_inline]] inline unsigned waiting_in(unsigned queue) {
    return with_queue(queue, []<unsigned Queue>() { return port::words_waiting<Queue>(); });
}

// One end of a channel: a queue of a core.
class network_end {
public:
    // A core that is not known yet is the one that open() is called on. Throws std::length_error.
    explicit network_end(int core) : core_(core), tag_(detail::queue_book::of_process().new_tag()) {
        if (core_ != detail::any_core) claim();
    }
    ~network_end() {
        if (claimed_) detail::queue_book::of_process().release(core_, queue_);
    }
    network_end(const network_end&) = delete;
    network_end& operator=(const network_end&) = delete;

    // Called by the thread whose end this is, once. Throws std::length_error; std::logic_error if it runs elsewhere
    // than was said.
    void open() {
        const auto here = static_cast<int>(port::this_core());
        if (core_ == detail::any_core) {
            core_ = here;
            claim();
        } else if (core_ != here) {
            throw std::logic_error("croft::channel: a side that was to run on core " + std::to_string(core_) +
                                   " runs on core " + std::to_string(here));
        }
        with_queue(queue_, [this]<unsigned Queue>() {
            port::map_queue<Queue>(tag_);
            while (port::words_waiting<Queue>() != 0) port::receive_word<Queue>();  // its earlier owner's
        });
    }
    unsigned queue() const { return queue_; }
    port::address address() const { return {static_cast<unsigned>(core_), tag_}; }

private:
    void claim() {
        queue_ = detail::queue_book::of_process().claim(core_);
        claimed_ = true;
    }
    int core_;
    unsigned tag_;
    unsigned queue_ = 0;
    bool claimed_ = false;
};

}  // namespace croft

#endif
