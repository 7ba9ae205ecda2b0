#pragma once
// The bodies of homed_lines.hpp.

#include <cstddef>
#include <new>

#include <sys/mman.h>

#include <croft/memory/homed_lines.hpp>
#include <croft/memory/line_pool.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

// A home is a core, or, where it is about nodes of memory, a node.
struct mapped_pages {
    using lock = process_lock;
    void* get(std::size_t bytes) const {
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory == MAP_FAILED ? nullptr : memory;
    }
    void put(void* memory, std::size_t bytes) const { munmap(memory, bytes); }
    bool set_home(void* memory, std::size_t bytes, int home) const { return port::set_home(memory, bytes, home); }
};

// Never destroyed: channels may be, after everything else.
inline line_pool<mapped_pages>& homed_pool() {
    alignas(line_pool<mapped_pages>) static unsigned char room[sizeof(line_pool<mapped_pages>)];
    static auto* const pool = ::new (room) line_pool<mapped_pages>();
    return *pool;
}

CROFT_INLINE void* allocate_lines(std::size_t size, int home) {
    if (const auto pages = port::home_of_pages(home)) return detail::homed_pool().allocate(size, *pages);
    return ::operator new(size, std::align_val_t{port::cache_line});
}
CROFT_INLINE void deallocate_lines(void* memory, std::size_t size, int home) noexcept {
    if (const auto pages = port::home_of_pages(home)) return detail::homed_pool().deallocate(memory, size, *pages);
    ::operator delete(memory, std::align_val_t{port::cache_line});
}

}  // namespace croft::detail
