#pragma once
// An array of megabytes that costs the host only the part that is used. All of its bytes are zero, and no page of the
// host's is taken before one is written. So its elements are never constructed: a type belongs here if zero bytes are a
// value of it, and if it needs no destructor.
//
// The pages of 2 MiB that it fills are huge pages where the host has them (huge_pages.hpp). A rest behind them is in
// small pages, and so is all of a much larger array. A program may never reach most of that, and each touch would take
// 2 MiB.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "memory/huge_pages.hpp"

namespace croftsim {

template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit ZeroedArray(std::size_t count) : first_(nullptr, Release{count * sizeof(T)}) {
        const std::size_t bytes = count * sizeof(T);
        void* const at = is_mapped(bytes) ? map(bytes) : std::memset(::operator new(bytes, alignment), 0, bytes);
        if (!at) throw std::bad_alloc();
        first_.reset(static_cast<T*>(at));
    }

    T& operator[](std::size_t i) { return first_[i]; }
    const T& operator[](std::size_t i) const { return first_[i]; }
    T* data() { return first_.get(); }
    const T* data() const { return first_.get(); }
    std::size_t size() const { return first_.get_deleter().bytes / sizeof(T); }

private:
    static constexpr std::size_t page = HugePages<T>::page;
    static constexpr std::align_val_t alignment{alignof(T)};
    static constexpr std::size_t most_in_huge_pages = 16 * page;
    // Smaller ones are cleared, and so taken, at once.
    static constexpr std::size_t least_mapped = 64 << 10, small_page = 4 << 10;

#if defined(__linux__)
    static bool is_mapped(std::size_t bytes) { return bytes >= least_mapped; }
    static std::size_t mapped_bytes(std::size_t bytes) { return (bytes + small_page - 1) / small_page * small_page; }
    static void* map(std::size_t bytes) {
        return bytes >= page && bytes <= most_in_huge_pages ? map_huge(bytes) : map_bytes(mapped_bytes(bytes));
    }
    static void* map_bytes(std::size_t bytes) {
        void* const got =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return got == MAP_FAILED ? nullptr : got;
    }
    // Aligned to a huge page: mapped with one page more, of which the ends are given back.
    static void* map_huge(std::size_t bytes) {
        const std::size_t whole = mapped_bytes(bytes);
        void* const got = map_bytes(whole + page);
        if (!got) return nullptr;
        auto* const at = static_cast<std::byte*>(got);
        const std::size_t before = (page - reinterpret_cast<std::size_t>(at) % page) % page;
        if (before) ::munmap(at, before);
        if (before < page) ::munmap(at + before + whole, page - before);
        ::madvise(at + before, bytes / page * page, MADV_HUGEPAGE);
        return at + before;
    }
    static void release(T* at, std::size_t bytes) {
        if (is_mapped(bytes))
            ::munmap(at, mapped_bytes(bytes));
        else
            ::operator delete(at, alignment);
    }
#else
    static bool is_mapped(std::size_t) { return false; }
    static void* map(std::size_t) { return nullptr; }
    static void release(T* at, std::size_t) { ::operator delete(at, alignment); }
#endif

    struct Release {
        std::size_t bytes;
        void operator()(T* at) const { release(at, bytes); }
    };
    std::unique_ptr<T[], Release> first_;
};

}  // namespace croftsim
