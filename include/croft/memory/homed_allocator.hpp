#pragma once
// An allocator of memory homed at a core, for containers that one core uses: std::vector<T, homed_allocator<T>>.

#include <cstddef>

#include <croft/memory/homed_lines.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class T>
class homed_allocator {
    static_assert(alignof(T) <= port::cache_line);

public:
    using value_type = T;

    explicit homed_allocator(int core = any_core) : core_(core) {}
    template <class U>
    homed_allocator(const homed_allocator<U>& other) : core_(other.core()) {}

    T* allocate(std::size_t count) { return static_cast<T*>(allocate_lines(bytes(count), core_)); }
    void deallocate(T* at, std::size_t count) noexcept { deallocate_lines(at, bytes(count), core_); }

    int core() const { return core_; }
    friend bool operator==(const homed_allocator& a, const homed_allocator& b) { return a.core_ == b.core_; }

private:
    static std::size_t bytes(std::size_t count) {
        return (count * sizeof(T) + port::cache_line - 1) / port::cache_line * port::cache_line;
    }
    int core_;
};

}  // namespace croft::detail
