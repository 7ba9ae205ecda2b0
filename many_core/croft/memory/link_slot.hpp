#pragma once
// A message of the link to a host, in the slot that it came in or leaves in: the owner of that slot. The program reads
// and writes the slot's own bytes, so nothing is copied between the link and the stage that works with them.
//
//   offloaded<T>   came from the host. Destroyed, or reset(), it gives its slot back to the link
//   returned<T>    is to go there (host_link::send). Destroyed unsent, it gives its slot back too
//
// T is a trivially copyable type, or, for messages of any length up to a slot, std::span<const std::byte> one way and
// std::span<std::byte> the other.
//
// A slot may be homed nowhere (memory/data_home.hpp). Then, as with a task_ptr, a thread that has looked at one flushes
// it before it lets go of it. Patterns that know hand_over() see to that.

#include <atomic>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <croft/memory/ends.hpp>
#include <croft/memory/lines.hpp>
#include <croft/port/port.hpp>

namespace croft {
namespace detail {

inline bool release_slot(unsigned number) { return port::release_link_slot(number); }

class link_slot {
public:
    link_slot() = default;
    link_slot(std::byte* memory, std::size_t bytes, unsigned number, bool incoherent)
        : memory_(memory), bytes_(bytes), number_(number), incoherent_(incoherent) {}
    link_slot(link_slot&& from) noexcept { swap(from); }
    link_slot& operator=(link_slot&& from) noexcept {
        if (this != &from) {
            reset();
            swap(from);
        }
        return *this;
    }
    ~link_slot() { reset(); }

    explicit operator bool() const { return memory_ != nullptr; }
    unsigned number() const { return number_; }
    std::size_t size() const { return bytes_; }
    void reset() noexcept {
        if (!memory_) return;
        let_go();
        memory_ = nullptr;
        release_slot(number_);
    }
    // Its slot is the link's now.
    void forget() {
        let_go();
        memory_ = nullptr;
    }
    // As a task_ptr's: to be called before another thread gets this.
    void hand_over(int = any_core) { let_go(); }

protected:
    std::byte* look() const {
        looked_ = true;
        return memory_;
    }
    void resize(std::size_t bytes) { bytes_ = bytes; }

private:
    void swap(link_slot& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
        std::swap(number_, other.number_);
        std::swap(incoherent_, other.incoherent_);
        std::swap(looked_, other.looked_);
    }
    void let_go() noexcept {
        if (looked_ && incoherent_)
            lines::flush(memory_, (bytes_ + port::cache_line - 1) / port::cache_line * port::cache_line);
        looked_ = false;
        // All reads here are done, and all writes visible, before the link or another thread has the slot.
        if constexpr (port::is_many_core) std::atomic_thread_fence(std::memory_order_release);
    }

    std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
    unsigned number_ = 0;
    bool incoherent_ = false;
    mutable bool looked_ = false;  // one thread at a time owns this, and looks
};

}  // namespace detail

template <class T>
class offloaded : public detail::link_slot {
    static_assert(std::is_trivially_copyable_v<T>, "what crosses the link are bytes");

public:
    offloaded() = default;
    // Throws std::runtime_error if the message is no T.
    explicit offloaded(detail::link_slot&& slot) : link_slot(std::move(slot)) {
        if (*this && size() != sizeof(T))
            throw std::runtime_error("croft::offloaded: the host sent a message of " + std::to_string(size()) +
                                     " bytes, and an item has " + std::to_string(sizeof(T)));
    }
    const T& operator*() const { return *reinterpret_cast<const T*>(look()); }
    const T* operator->() const { return &**this; }
};

template <>
class offloaded<std::span<const std::byte>> : public detail::link_slot {
public:
    offloaded() = default;
    explicit offloaded(detail::link_slot&& slot) : link_slot(std::move(slot)) {}
    std::span<const std::byte> operator*() const { return {look(), size()}; }
};

// Before it is written it holds whatever an earlier message left there.
template <class T>
class returned : public detail::link_slot {
    static_assert(std::is_trivially_copyable_v<T>, "what crosses the link are bytes");

public:
    returned() = default;
    explicit returned(detail::link_slot&& slot) : link_slot(std::move(slot)) { resize(sizeof(T)); }
    T& operator*() const { return *reinterpret_cast<T*>(look()); }
    T* operator->() const { return &**this; }
};

// As large as a slot, until it is made shorter.
template <>
class returned<std::span<std::byte>> : public detail::link_slot {
public:
    returned() = default;
    explicit returned(detail::link_slot&& slot) : link_slot(std::move(slot)) {}
    std::span<std::byte> operator*() const { return {look(), size()}; }
    // Throws std::length_error if that is longer than it is.
    void shorten(std::size_t bytes) {
        if (bytes > size()) throw std::length_error("croft::returned: a message is no longer than its slot");
        resize(bytes);
    }
};

}  // namespace croft
