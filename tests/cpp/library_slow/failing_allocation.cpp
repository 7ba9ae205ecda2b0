// Allocations that fail when a test wants them to (failing.hpp): the whole program's operator new and delete.

#include <cstddef>
#include <cstdlib>
#include <new>

#include "failing.hpp"

namespace {

void* allocate(std::size_t size, std::size_t alignment) {
    if (failing::plan::refuses(failing::what::allocation)) throw std::bad_alloc();
    // (A multiple of the alignment, as the standard asks.)
    void* const made = alignment <= alignof(std::max_align_t)
                           ? std::malloc(size ? size : 1)
                           : std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
    if (!made) throw std::bad_alloc();
    return made;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new[](std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
// The default one calls operator new; that of AddressSanitizer does not, and would not find its memory freed here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return allocate(size, 1);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
