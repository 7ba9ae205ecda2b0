#pragma once
// The bodies of data_memory.hpp.

#include <cstddef>
#include <new>

#include <croft/memory/data_memory.hpp>
#include <croft/memory/line_pool.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

struct plain_pages {
    using lock = process_lock;
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
inline bool recycled(std::size_t size) { return !port::is_many_core && size > line_pool<plain_pages>::page_bytes; }

CROFT_INLINE void* allocate_data(std::size_t size, int home) {
    if (detail::recycled(size)) return detail::data_pool().allocate(size, home);
    return allocate_lines(size, home);
}
CROFT_INLINE void deallocate_data(void* memory, std::size_t size, int home) noexcept {
    if (detail::recycled(size)) return detail::data_pool().deallocate(memory, size, home);
    deallocate_lines(memory, size, home);
}

}  // namespace croft::detail
