#pragma once
// The bodies of homed_lines.hpp.

#include <cstddef>
#include <new>

#include <sys/mman.h>

#include <croft/memory/homed_lines.hpp>
#include <croft/memory/line_pool.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace detail {

// A home is a core, or, where it is about nodes of memory, a node.
struct mapped_pages {
    void* get(std::size_t bytes) const {
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory == MAP_FAILED ? nullptr : memory;
    }
    void put(void* memory, std::size_t bytes) const { munmap(memory, bytes); }
    bool set_home(void* memory, std::size_t bytes, int home) const {
#if defined(CROFT_MANY_CORE)
        return port::set_home(memory, bytes, home);
#else
        // A wish: memory from elsewhere does as well, only slower.
        port::put_on_node(memory, bytes, home);
        return true;
#endif
    }
};

// Never destroyed: channels may be, after everything else.
inline line_pool<mapped_pages>& homed_pool() {
    alignas(line_pool<mapped_pages>) static unsigned char room[sizeof(line_pool<mapped_pages>)];
    static auto* const pool = ::new (room) line_pool<mapped_pages>();
    return *pool;
}

#if !defined(CROFT_MANY_CORE)
// Of the lines of a core; -1 if nothing is to be done about it.
inline int node_of_home(int home) { return home >= 0 ? port::memory_nodes::here().of_core(home) : -1; }
#endif

}  // namespace detail

CROFT_INLINE void* allocate_lines(std::size_t size, [[maybe_unused]] int home) {
#if defined(CROFT_MANY_CORE)
    return detail::homed_pool().allocate(size, home);
#else
    if (const int node = detail::node_of_home(home); node >= 0) return detail::homed_pool().allocate(size, node);
    return ::operator new(size, std::align_val_t{port::cache_line});
#endif
}
CROFT_INLINE void deallocate_lines(void* memory, [[maybe_unused]] std::size_t size,
                                   [[maybe_unused]] int home) noexcept {
#if defined(CROFT_MANY_CORE)
    detail::homed_pool().deallocate(memory, size, home);
#else
    if (const int node = detail::node_of_home(home); node >= 0)
        return detail::homed_pool().deallocate(memory, size, node);
    ::operator delete(memory, std::align_val_t{port::cache_line});
#endif
}

}  // namespace croft
