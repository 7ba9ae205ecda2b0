#pragma once
// Lines without a home: no core is told when another one writes, and software keeps the copies apart. A side that has
// done with a line writes its dirty words back to memory and drops it. So the next time it finds there what memory
// holds. It looks at no flag without having dropped its line. It flushes rather than drops: a receiver may have changed
// a message in place, the owner of a string for example. And a line that holds flags of both sides has words of both.
// Any way of waiting will do that looks again by itself; none that waits to be invalidated.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <croft/memory/home.hpp>
#include <croft/memory/lines.hpp>

namespace croft {

class incoherent_lines : public detail::plain_lines {
public:
    static constexpr bool coherent = false;

    incoherent_lines() : plain_lines(detail::home_none) {}

    void constructed(const void* first, std::size_t size) const {
        lines::flush(first, size);
        // Before another thread hears of the channel.
        if constexpr (port::is_many_core) std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    // The lines may have been another channel's, one of whose sides looked at a flag here and has kept that copy.
    void taken(const void* first, std::size_t size) const { lines::flush(first, size); }
    void after_write(const void* first, std::size_t size) const { lines::flush(first, size); }
    void after_read(const void* first, std::size_t size) const { lines::flush(first, size); }
    template <bool Followed, class Flag>
    auto event(Flag& flag) const {
        return flushed_flag<Flag>{flag};
    }
    bool away() const { return true; }
    void before_look(const void* flag) const { lines::flush(flag, 1); }

private:
    template <class Flag>
    struct flushed_flag {
        Flag& flag;
        // Flushed at once even if another store to the line follows: only what is in memory is ordered by its release.
        void store(std::uint32_t value, std::memory_order order) const {
            flag.store(value, order);
            lines::flush(&flag, sizeof(flag));
        }
    };
};

namespace homes {

struct incoherent {
    static incoherent between(detail::ends) { return {}; }
    incoherent_lines at(detail::part) const { return incoherent_lines(); }
    detail::plain_lines of_sender() const { return detail::plain_lines(); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(); }
};

}  // namespace homes
}  // namespace croft
