#pragma once
// Operations on the lines of a range that begins with a line and is a whole number of lines. On croft's many-cores each
// is an instruction a line (docs/instructions.md). Anywhere else there is nothing to do, because the lines find their
// way by themselves.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <croft/port/port.hpp>

namespace croft::lines {

#if defined(CROFT_MANY_CORE)

namespace detail {
template <class Action>
void each(const void* first, std::size_t size, Action action) {
    auto* const bytes = static_cast<const unsigned char*>(first);
#pragma GCC unroll 8  // one instruction a line is what it is about
    for (std::size_t at = 0; at < size; at += port::cache_line) action(bytes + at);
}
}  // namespace detail

inline int this_core() { return static_cast<int>(port::this_core()); }
// This core is going to overwrite them wholly; until then they hold nothing in particular.
inline void allocate(const void* first, std::size_t size) {
    detail::each(first, size, [](const void* line) { port::allocate_line(const_cast<void*>(line)); });
}
// To their home, and out of the own caches (paper 000, definition 5.1).
inline void forward(const void* first, std::size_t size) {
    detail::each(first, size, [](const void* line) { port::forward_line(line); });
}
inline void drop(const void* first, std::size_t size) {
    detail::each(first, size, [](const void* line) { port::drop_line(line); });
}
// Writes dirty words to memory, and drops all lines from the own caches.
inline void flush(const void* first, std::size_t size) {
    detail::each(first, size, [](const void* line) { port::flush_line(line); });
}

// Orders like a store that has this order, relaxed or release.
template <class Word>
void store_without_allocating(Word& to, std::uint32_t value, std::memory_order order) {
    static_assert(sizeof(to) == 4);
    if (order == std::memory_order_release) std::atomic_thread_fence(order);
    port::store_without_allocating(reinterpret_cast<std::uint32_t*>(&to), value);
}
// Copies without bringing the lines written to into the own caches.
template <class T>
void copy_without_allocating(T& to, const T& from) {
    port::copy_without_allocating<sizeof(T), alignof(T)>(&to, &from);
}

#else

inline int this_core() { return -1; }
inline void allocate(const void*, std::size_t) {}
inline void forward(const void*, std::size_t) {}
inline void drop(const void*, std::size_t) {}
inline void flush(const void*, std::size_t) {}
template <class Word>
void store_without_allocating(Word& to, std::uint32_t value, std::memory_order order) {
    to.store(value, order);
}
template <class T>
void copy_without_allocating(T& to, const T& from) {
    to = from;
}

#endif

}  // namespace croft::lines
