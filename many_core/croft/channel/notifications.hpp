#pragma once
// Events that travel over the machine's network (paper 000, 6.2, figures 9 and 10; the future work of 001, IV.B). One
// word holds the tuple (event, interface, slot). All tuples of a core go into its one catch-all queue, so any number of
// interfaces can end at a core.
//
// TB, the table of interfaces, tells where the events of an interface are kept. EVENT_RDY is an array of flags that
// only the receiver's core touches; only the sender's core touches EVENT_ACK. A tuple is written into its flag by
// whoever takes it from the queue:
//
//   - the interrupt handler, if the core is doing something else when it comes;
//   - wait(), if the core waits (figure 10): it takes tuples until the event that it waits for is among them.
//
// The accesses that the handler may make. It interrupts its thread between any two instructions, in the middle of
// malloc too. It reads the queue and the table, writes flags, and does nothing else: no lock, no allocation, no
// thread-local object. It leaves everything else as it found it. The flags are atomics that the same core reads and
// writes, so no order between cores is needed (relaxed). Each access is single, so neither side sees half of one. The
// handler sets a flag and the thread resets it. These two never meet: an event of a slot comes only after the side that
// waits for it has given the slot away. It does so (a notification) after it has reset the flag. The compiler keeps to
// that order because every instruction of the network is a barrier to it.
//
// Why no event is missed. wait() keeps the handler out while it works. Otherwise the handler might take the last tuple
// between wait()'s look at the flag and its wait for a tuple. Then there would be none to wait for. So a tuple is in
// flight, in the queue, or in its flag. wait() looks at the flag, finds nothing, and takes the next tuple, for which it
// waits. So the event is in the flag at its first look, or comes out of the queue later.
//
// Why nothing waits in a circle. A core that sends into a full queue waits until there is room. The handler never
// sends, and wait() does not send while it keeps the handler out. So a core that waits for room has its handler at work
// on its own queue. A core that keeps the handler out takes tuples itself. So every queue of tuples is always being
// emptied.

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>

#include <croft/channel/flag.hpp>

namespace croft {

using event_flag = std::atomic<std::uint32_t>;

namespace notifications {

enum class kind : std::uint32_t { none, ready, end, ack };  // what the event's flag is set to

inline constexpr unsigned tag = 0;  // no queue is ever mapped to it, so it comes to the catch-all
inline constexpr std::size_t max_interfaces = 1 << 14, max_slots = 1 << 16;

namespace detail {

struct interface {
    std::atomic<event_flag*> ready{nullptr};
    std::atomic<event_flag*> ack{nullptr};
    std::atomic<std::uint32_t> use{0};  // how often the entry has been used: a tuple of an earlier use is nobody's
};
// One for all threads: written when a channel is made, only read afterwards, so every core has its own copy in its
// cache.
inline constinit std::array<interface, max_interfaces> table{};

inline constinit std::mutex book_lock;
inline std::uint32_t next_free = 0;  // under the lock; no interface below it is free

inline thread_local constinit bool attached = false;

}  // namespace detail

// An entry of the table: a channel's number.
class registration {
public:
    // Throws std::length_error if there are too many channels.
    registration(event_flag* ready, event_flag* ack) {
        const std::lock_guard guard(detail::book_lock);
        while (detail::next_free < max_interfaces &&
               detail::table[detail::next_free].ready.load(std::memory_order_relaxed))
            ++detail::next_free;
        if (detail::next_free == max_interfaces)
            throw std::length_error("croft: there can be 16384 channels with notifications, and no more");
        number_ = detail::next_free;
        detail::interface& own = detail::table[number_];
        use_ = own.use.load(std::memory_order_relaxed) + 1;
        own.use.store(use_, std::memory_order_relaxed);
        own.ack.store(ack, std::memory_order_relaxed);
        own.ready.store(ready, std::memory_order_relaxed);
    }
    ~registration() {
        const std::lock_guard guard(detail::book_lock);
        detail::table[number_].ready.store(nullptr, std::memory_order_relaxed);
        detail::table[number_].ack.store(nullptr, std::memory_order_relaxed);
        if (number_ < detail::next_free) detail::next_free = number_;
    }
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;
    // The tuple as a word, from the top: the entry's use (32 bits), its number (14), the slot's number (16), and the
    // event (2). notify() fills in the event.
    std::uint64_t tuple(std::uint32_t slot) const {
        return std::uint64_t{use_} << 32 | std::uint64_t{number_} << 18 | std::uint64_t{slot} << 2;
    }

private:
    std::uint32_t number_, use_;
};
inline constexpr std::uint64_t next_slot = 4;  // to be added to a tuple

// The network does not wait for memory: a thread whose writes others are to see releases them before.
inline void notify(port::address core, std::uint64_t tuple, kind event) {
    port::send_word(core, tuple | static_cast<std::uint64_t>(event));
}

// A word that is no tuple, or one of a channel that is gone, is nobody's. (A channel's last acks come when its sender
// has nothing more to send, and stay in the queue until somebody looks.)
inline void deal_with(std::uint64_t word) {
    const auto event = static_cast<std::uint32_t>(word) & 3;
    const detail::interface& to = detail::table[static_cast<std::uint32_t>(word) >> 18];
    if (event == 0 || to.use.load(std::memory_order_relaxed) != word >> 32) return;
    event_flag* const flags =
        (event == static_cast<std::uint32_t>(kind::ack) ? to.ack : to.ready).load(std::memory_order_relaxed);
    if (flags) flags[static_cast<std::uint32_t>(word) >> 2 & (max_slots - 1)].store(event, std::memory_order_relaxed);
}

inline void handle_interrupt(std::uint64_t) {
    while (port::words_waiting<port::catch_all>() != 0) deal_with(port::receive_word<port::catch_all>());
}

// From now on this thread's notifications reach it whatever it does. True the first time.
inline bool attach() {
    if (detail::attached) return false;
    detail::attached = true;
    port::set_interrupt_handler(handle_interrupt);
    port::set_interrupt_sources(port::queue_source(port::catch_all));
    port::enable_interrupts();
    return true;
}

}  // namespace notifications

namespace waits {

struct notified {
    static constexpr bool wakes_by_network = true;

    template <class Scan>
    void wait(Scan scan) const {
        notifications::attach();
        port::disable_interrupts();
        while (!scan(detail::relaxed_load{})) notifications::deal_with(port::receive_word<port::catch_all>());
        port::enable_interrupts();
    }
    void begin_looking() const { notifications::attach(); }  // then its events come whatever it does
    void notify() const {}
};

}  // namespace waits
}  // namespace croft

#endif
