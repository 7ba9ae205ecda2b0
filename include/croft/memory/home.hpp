#pragma once
// Where a slot's lines are homed: the first of the three policies.
//
// A home policy H is made for a channel, `H::between(ends)`, and says which kind of lines each part of it gets:
//
//   at(part)                        the lines of that part of the slots
//   of_sender(), of_receiver()      the lines of what only that side uses
//   of_both()                       the lines of what both sides share beside the slots. Only a home has it whose
//                                   channels are two objects, one for each side, over the same slots
//                                   (mpi/in_shared_memory.hpp)
//
// Lines are asked for memory, and told of every hand-over of a message and of every event. They have
//
//   void* allocate(size)            aligned to port::cache_line; throws bad_alloc
//   void deallocate(memory, size) noexcept
//   void constructed(first, size)   their objects were made, by whichever thread makes the channel
//   bool attached()                 their objects were made before, by the other side's channel; lines need not have it
//   void taken(first, size)         a side has seen the event and owns these lines from now on
//   void before_write(first, size)  the sender is about to overwrite these lines wholly, and will not read them
//   void write(to, from)            it does, with a message by value
//   void after_write(first, size)   it has, and will signal ready; it will not look at them again
//   void after_read(first, size)    the receiver has done with them and will signal ack
//   event<Followed>(flag)           what to write an event's flag through: it has store(value, order). Followed:
//                                   another store to the same line comes next. A release store is a signal to the other
//                                   side; a relaxed one resets a flag that this side waits for
//   void release()                  what was written is there to be seen before an event that comes without a flag
//   bool away()                     this core is not their home. So the home has to invalidate a copy of them in its
//                                   caches at its next write
//   void before_look(flag)          a look at an event's flag follows
//   coherent                        whether a copy in the own caches is invalidated when another core writes
//
// All but `write` get whole lines, in which nothing but the message is. The line that a message's beginning shares with
// its flags travels with the flag that is signalled last.
//
// A machine whose lines find their way by themselves needs nothing of all this; this header has the home for it. The
// siblings: at_core.hpp homes a slot at one core, at_reader.hpp each line at the core that reads it. forwarded.hpp has
// one core and home-forwarding (paper 000, 5.1 and 6.3). There are round_robin.hpp and incoherent.hpp, too.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <utility>

#include <croft/memory/ends.hpp>
#include <croft/memory/homed_lines.hpp>

namespace croft {

namespace detail {

// A line's content tells its next reader: the receiver reads messages with their ready events, the sender acks.
enum class part { message, ack };

// Lines with a given home that need nothing said about them.
class plain_lines {
public:
    static constexpr bool coherent = true;

    explicit plain_lines(int home = home_default) : home_(home) {}

    void* allocate(std::size_t size) const { return allocate_lines(size, home_); }
    void deallocate(void* memory, std::size_t size) const noexcept { deallocate_lines(memory, size, home_); }
    void constructed(const void*, std::size_t) const {}
    void taken(const void*, std::size_t) const {}
    void before_write(const void*, std::size_t) const {}
    template <class Message>
    void write(Message& to, Message&& from) const {
        to = std::move(from);
    }
    void after_write(const void*, std::size_t) const {}
    void after_read(const void*, std::size_t) const {}
    template <bool Followed, class Flag>
    Flag& event(Flag& flag) const {
        return flag;
    }
    void release() const {
        if constexpr (port::is_many_core) std::atomic_thread_fence(std::memory_order_release);
    }
    bool away() const { return false; }
    void before_look(const void*) const {}

    int home() const { return home_; }

private:
    int home_;
};

// Lines where a look at a flag is a load and nothing else, whoever looks: both hooks are plain_lines' own.
template <class Lines>
concept looked_at_plainly = std::default_initializable<Lines> &&
                            std::same_as<decltype(&Lines::before_look), decltype(&plain_lines::before_look)> &&
                            std::same_as<decltype(&Lines::away), decltype(&plain_lines::away)>;

}  // namespace detail

namespace homes {

// The machine's own choice: hashed over all caches on a TILEPro64, the last writer's cache on x86-64 and AArch64. There
// a core matters where memory has several nodes (homed_lines.hpp): slots come from the receiver's, which reads them
// next.
struct hashed {
    int sender = detail::any_core;
    int receiver = detail::any_core;

    static hashed between(detail::ends cores) {
        return port::is_many_core ? hashed{} : hashed{cores.sender, cores.receiver};
    }
    detail::plain_lines at(detail::part) const { return detail::plain_lines(receiver); }
    detail::plain_lines of_sender() const { return detail::plain_lines(sender); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(receiver); }
};

}  // namespace homes
}  // namespace croft
