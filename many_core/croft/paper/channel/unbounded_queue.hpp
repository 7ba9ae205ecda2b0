#pragma once
// FastFlow's unbounded queue: one sender, one receiver, a list of rings of pointers. The sender fills a ring until its
// next slot is still taken, links another one behind it and goes on there. The receiver empties a ring, finds it linked
// and goes on to the next. Emptied rings return to the sender through a small pool, so that a stream in balance
// allocates nothing. (Aldinucci, Danelutto, Kilpatrick, Meneghin and Torquati, "An efficient unbounded lock-free queue
// for multi-core systems", Euro-Par 2012; the uSWSR_Ptr_Buffer of FastFlow, paper 003, IV.A.)
//
// A baseline: croft::channel with this way of making slots. The degree K is the size of one ring. The sender never
// waits, so there is no back-pressure, and memory may run out (std::bad_alloc from publish() and close()). Pointers
// only, not null, as in its sibling null_slot_queue.hpp, the ring by itself.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/memory/packed_array.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>

namespace croft {
namespace baseline {

template <class Pointer, class Policies>
class ring_list {
    static_assert(std::is_pointer_v<Pointer> && std::is_object_v<std::remove_pointer_t<Pointer>>,
                  "an unbounded queue carries pointers to objects");
    template <class T>
    using atomic = typename Policies::template atomic<T>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));
    static_assert(line_kind::coherent, "neighbouring slots share a line, and both sides write it");

    struct ring {
        ring(std::size_t size, line_kind kind) : slots(size, kind) {}
        alignas(port::cache_line) atomic<ring*> next{nullptr};
        detail::packed_array<atomic<Pointer>, line_kind> slots;
    };
    struct side {
        std::uint32_t index = 0;
        Pointer message = nullptr;
    };

public:
    static constexpr bool holds_acks_back = false;
    static constexpr bool waits_alone = true;

    static constexpr std::size_t pooled = 4;  // rings kept for reuse; further ones are freed

    struct sender_state : side {
        std::size_t takes = 0;  // the place in the pool to take from next
    };
    struct receiver_state : side {
        std::size_t gives = 0;  // the place in the pool to give to next
    };

    ring_list(std::size_t size, home where, detail::ends)
        : size_(size), kind_(where.at(detail::part::message)), filled_(make_ring().release()), emptied_(filled_) {}
    ~ring_list() {
        for (ring* one = emptied_; one;) {
            const std::unique_ptr<ring> owned(one);
            one = one->next.load(std::memory_order_relaxed);
        }
        for (auto& place : pool_) const std::unique_ptr<ring> owned(place.load(std::memory_order_relaxed));
    }
    ring_list(const ring_list&) = delete;
    ring_list& operator=(const ring_list&) = delete;

    template <class State>
    void begin(State&) {}

    Pointer& message(sender_state& at) { return at.message; }
    Pointer& message(receiver_state& at) {
        if (const auto [pointer, linked] = look(at); linked) {
            recycle(at, linked);
            return at.message = pointer;
        } else {
            return at.message = pointer;
        }
    }
    void* own_lines(const side&) const { return nullptr; }  // neighbours share one
    static constexpr std::size_t own_size = 0;
    const line_kind& lines() const { return kind_; }

    template <class Load>
    bool has_ack(const sender_state&, Load) const {
        return true;
    }
    void set_ready(sender_state& at, detail::announcement what) {
        const Pointer put = what == detail::announcement::end ? end_mark<Pointer>() : checked(at.message);
        // Relaxed: see null_slots::has_ack.
        if (filled_->slots[at.index].load(std::memory_order_relaxed) == nullptr) {
            // Release: the object that the pointer leads to was written before.
            port::traced_send(filled_->slots[at.index], put);
        } else {
            std::unique_ptr<ring> fresh = take_ring(at);
            fresh->slots[0].store(put, std::memory_order_relaxed);  // before the link, whose release covers it
            // Release: also the slots filled before. Whoever finds the link and then an empty slot knows that the ring
            // is empty for good.
            port::traced_send(filled_->next, fresh.get());
            filled_ = fresh.release();
            at.index = 0;
        }
        advance(at);
    }

    // There is something in this ring, or a link; a ring is only linked with something in it.
    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        return load(emptied_->slots[at.index], kind_) != nullptr || load(emptied_->next, kind_) != nullptr;
    }
    bool at_end(const receiver_state& at) const { return look(at).pointer == end_mark<Pointer>(); }
    bool set_ack(receiver_state& at) {
        emptied_->slots[at.index].store(nullptr, std::memory_order_relaxed);  // as in null_slots
        advance(at);
        return false;  // no sender ever waits for room
    }
    bool flush_acks(receiver_state&) { return false; }

private:
    struct seen {
        Pointer pointer;
        ring* linked;  // the ring that it is the first of; null: the one being emptied
    };
    // The slot that the receiver comes to next, if there is anything.
    seen look(const receiver_state& at) const {
        const auto& slot = emptied_->slots[at.index];
        if (const Pointer pointer = port::traced_receive(slot, std::memory_order_acquire)) return {pointer, nullptr};
        // Acquire: everything that was put into this ring is then visible, so an empty slot is the end of this ring.
        // Without the second look, a pointer that came between the first one and the link would be skipped.
        ring* const next = port::traced_receive(emptied_->next, std::memory_order_acquire);
        if (!next) return {nullptr, nullptr};
        if (const Pointer pointer = slot.load(std::memory_order_acquire)) return {pointer, nullptr};
        return {next->slots[0].load(std::memory_order_acquire), next};
    }
    void recycle(receiver_state& at, ring* next) {
        std::unique_ptr<ring> empty(emptied_);
        emptied_ = next;
        at.index = 0;
        auto& place = pool_[at.gives];
        // Acquire: the sender has taken what was there. (Were it still there, the pool would be full.)
        if (place.load(std::memory_order_acquire) != nullptr) return;
        empty->next.store(nullptr, std::memory_order_relaxed);  // nobody else knows this ring now
        place.store(empty.get(), std::memory_order_release);    // the ring is as new
        (void)empty.release();                                  // and unknown here from now on
        at.gives = (at.gives + 1) % pooled;
    }
    std::unique_ptr<ring> take_ring(sender_state& at) {
        auto& place = pool_[at.takes];
        // Acquire: the receiver has emptied it.
        ring* const used = place.load(std::memory_order_acquire);
        if (!used) return make_ring();
        place.store(nullptr, std::memory_order_release);
        at.takes = (at.takes + 1) % pooled;
        return std::unique_ptr<ring>(used);
    }
    // The list that the two sides walk along owns it, or the pool. In between the side that takes it owns it, because
    // an explorer of interleavings may end a side between any two accesses.
    std::unique_ptr<ring> make_ring() const { return std::make_unique<ring>(size_, kind_); }

    void advance(side& at) const {
        if (++at.index == size_) at.index = 0;
    }

    std::size_t size_;
    line_kind kind_;
    alignas(port::cache_line) std::array<atomic<ring*>, pooled> pool_{};

protected:                                     // for the tests, which have to know where the two sides are
    alignas(port::cache_line) ring* filled_;   // the sender's
    alignas(port::cache_line) ring* emptied_;  // the receiver's
};

}  // namespace baseline

namespace events {
struct ring_list {
    template <class Message, class Policies>
    using storage = baseline::ring_list<Message, Policies>;
};
}  // namespace events

namespace baseline {
template <class Policies>
struct with_ring_list : Policies {
    using events = croft::events::ring_list;
};
}  // namespace baseline

// Message is a pointer.
template <class Message, class Policies = policies>
using unbounded_queue = channel<Message, baseline::with_ring_list<Policies>>;
// N of them into one receiver.
template <class Message, class Policies = policies>
using unbounded_many_to_one = many_to_one<Message, baseline::with_ring_list<Policies>>;

}  // namespace croft
