#pragma once
// An allocator for arrays of megabytes that are used all over, in pages of 2 MiB where the host has them. Most of the
// cost of a simulated cache's miss are the host's own misses, in its caches and its TLB.

#include <cstddef>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace croftsim {

template <class T>
struct HugePages {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{2} << 20;

    HugePages() = default;
    template <class Other>
    HugePages(const HugePages<Other>&) {}  // NOLINT: allocators convert

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* const at = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
        // Only asked for: if it is refused, pages are small ones.
        if (bytes >= page) ::madvise(at, bytes / page * page, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(at);
    }
    void deallocate(T* at, std::size_t count) {
        ::operator delete(at, count * sizeof(T), alignment(count * sizeof(T)));
    }
    // A vector's elements without a value get none: whoever hands out bytes clears those that it hands out.
    template <class Element>
    void construct(Element* at) {
        ::new (static_cast<void*>(at)) Element;
    }
    template <class Element, class... Arguments>
    void construct(Element* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const HugePages&) const = default;

private:
    static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes >= page ? page : alignof(T)}; }
};

}  // namespace croftsim
