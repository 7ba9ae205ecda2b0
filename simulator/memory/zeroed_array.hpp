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
#include <new>
#include <type_traits>
#include <utility>

#include "memory/huge_pages.hpp"

namespace croftsim {

template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit ZeroedArray(std::size_t count) : bytes_(count * sizeof(T)) {
        void* const at = is_mapped() ? map() : std::memset(::operator new(bytes_, alignment), 0, bytes_);
        if (!at) throw std::bad_alloc();
        first_ = static_cast<T*>(at);
    }
    ~ZeroedArray() { release(); }
    ZeroedArray(ZeroedArray&& other) noexcept
        : bytes_(std::exchange(other.bytes_, 0)), first_(std::exchange(other.first_, nullptr)) {}
    ZeroedArray& operator=(ZeroedArray&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(first_, other.first_);
        return *this;
    }

    T& operator[](std::size_t i) { return first_[i]; }
    const T& operator[](std::size_t i) const { return first_[i]; }
    T* data() { return first_; }
    const T* data() const { return first_; }
    std::size_t size() const { return bytes_ / sizeof(T); }

private:
    static constexpr std::size_t page = HugePages<T>::page;
    static constexpr std::align_val_t alignment{alignof(T)};
    static constexpr std::size_t most_in_huge_pages = 16 * page;
    // Smaller ones are cleared, and so taken, at once.
    static constexpr std::size_t least_mapped = 64 << 10, small_page = 4 << 10;

#if defined(__linux__)
    bool is_mapped() const { return bytes_ >= least_mapped; }
    std::size_t mapped_bytes() const { return (bytes_ + small_page - 1) / small_page * small_page; }
    void* map() const {
        return bytes_ >= page && bytes_ <= most_in_huge_pages ? map_huge() : map_bytes(mapped_bytes());
    }
    static void* map_bytes(std::size_t bytes) {
        void* const got =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return got == MAP_FAILED ? nullptr : got;
    }
    // Aligned to a huge page: mapped with one page more, of which the ends are given back.
    void* map_huge() const {
        const std::size_t whole = mapped_bytes();
        void* const got = map_bytes(whole + page);
        if (!got) return nullptr;
        auto* const at = static_cast<std::byte*>(got);
        const std::size_t before = (page - reinterpret_cast<std::size_t>(at) % page) % page;
        if (before) ::munmap(at, before);
        if (before < page) ::munmap(at + before + whole, page - before);
        ::madvise(at + before, bytes_ / page * page, MADV_HUGEPAGE);
        return at + before;
    }
    void release() {
        if (first_ && is_mapped())
            ::munmap(first_, mapped_bytes());
        else
            ::operator delete(first_, alignment);
    }
#else
    bool is_mapped() const { return false; }
    void* map() const { return nullptr; }
    void release() { ::operator delete(first_, alignment); }
#endif

    std::size_t bytes_;
    T* first_;
};

}  // namespace croftsim
