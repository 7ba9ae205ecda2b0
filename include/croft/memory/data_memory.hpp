#pragma once
// Memory of the data that stages hand each other: lines with a home, given back by another thread than took them, and
// used again. On a many-core the process's pool of homed lines does that. Elsewhere malloc does for what fits in a
// page; longer runs come from a pool too, because malloc gets large ones from the operating system and returns them
// there, page faults and all. To make a datum, hand it to another thread and free it there (bench/task_data.cpp, two
// cores of a Xeon, best of seven) took, from the pool and from malloc, 3.5 and 4.2 us at 8 KiB, 3.9 and 12 us at 16
// KiB, 5.1 and 35 us at 64 KiB, 8.9 and 70 us at 256 KiB, 0.25 and 0.42 ms at 4 MiB. The pool keeps what it has until
// the process ends. Which node of a machine with several the pages are on is left to their first touch, which is the
// first producer's; that was not measured.

#include <cstddef>
#include <new>

#include <croft/memory/homed_lines.hpp>
#include <croft/memory/line_pool.hpp>
#include <croft/port/port.hpp>

namespace croft {
namespace detail {

#if !defined(CROFT_MANY_CORE)

struct plain_pages {
    static constexpr std::align_val_t alignment{4096};
    void* get(std::size_t bytes) const { return ::operator new(bytes, alignment, std::nothrow); }
    void put(void* memory, std::size_t) const { ::operator delete(memory, alignment); }
    bool set_home(void*, std::size_t, int) const { return true; }
};

// Never destroyed: data may be, after everything else.
inline line_pool<plain_pages>& data_pool() {
    alignas(line_pool<plain_pages>) static unsigned char room[sizeof(line_pool<plain_pages>)];
    static auto* const pool = ::new (room) line_pool<plain_pages>();
    return *pool;
}
inline bool recycled(std::size_t size) { return size > line_pool<plain_pages>::page_bytes; }

#endif

}  // namespace detail

// As allocate_lines.
inline void* allocate_data(std::size_t size, int home) {
#if !defined(CROFT_MANY_CORE)
    if (detail::recycled(size)) return detail::data_pool().allocate(size, home);
#endif
    return allocate_lines(size, home);
}
inline void deallocate_data(void* memory, std::size_t size, int home) noexcept {
#if !defined(CROFT_MANY_CORE)
    if (detail::recycled(size)) return detail::data_pool().deallocate(memory, size, home);
#endif
    deallocate_lines(memory, size, home);
}

}  // namespace croft
