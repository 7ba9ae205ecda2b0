#pragma once
// Where a slot's lines are homed: the first of the three policies.
//
// A home policy is an object that a channel asks for memory, and tells of every hand-over of a message. It has
//
//   void* allocate(size, part)      lines (aligned to port::cache_line) for that part of the channel; throws bad_alloc
//   void deallocate(memory, size, part) noexcept
//   void before_write(first, size)  the sender is about to overwrite a message, wholly, and will not read it
//   void after_write(first, size)   the sender has written it and will signal ready; it will not look at it again
//   void after_read(first, size)    the receiver has done with it and will signal ack
// and, where the last three do nothing, `static constexpr bool is_passive = true`.
//
// A machine whose lines find their way by themselves needs nothing in the last three. Others allocate without fetching
// in the first, home-forward in the second and drop the own copy in the third (paper 000, 5.1 and 6.3).

#include <cstddef>
#include <new>

#include <croft/port/port.hpp>

namespace croft {

// What lies in a line says who reads it next: the receiver reads messages with their ready events, the sender acks.
enum class part { message, ack };

namespace homes {

// The machine's own choice: hashed over all caches on a TILEPro64, the last writer's cache on x86-64 and AArch64.
struct hashed {
    static constexpr bool is_passive = true;
    void* allocate(std::size_t size, part) const { return ::operator new(size, std::align_val_t{port::cache_line}); }
    void deallocate(void* memory, std::size_t, part) const noexcept {
        ::operator delete(memory, std::align_val_t{port::cache_line});
    }
    void before_write(const void*, std::size_t) const {}
    void after_write(const void*, std::size_t) const {}
    void after_read(const void*, std::size_t) const {}
};

}  // namespace homes
}  // namespace croft
