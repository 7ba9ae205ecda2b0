#pragma once
// Memory as a device leaves it: pages striped over all controllers with the machine's default homes. After
// send_to_memory(), not a line of them is in any cache.

#include <cstddef>
#include <new>

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)
#include <sys/mman.h>
#endif

namespace programs {

#if defined(CROFT_MANY_CORE)

class striped_pages {
public:
    explicit striped_pages(std::size_t bytes)
        : bytes_((bytes + croft::port::page_bytes - 1) / croft::port::page_bytes * croft::port::page_bytes) {
        data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~striped_pages() { ::munmap(data_, bytes_); }
    striped_pages(const striped_pages&) = delete;
    striped_pages& operator=(const striped_pages&) = delete;
    void* data() const { return data_; }
    // To set the home of a page, be it the same one, takes all its lines out of all caches.
    void send_to_memory() const { croft::port::set_home(data_, bytes_, croft::port::home_default); }

private:
    std::size_t bytes_;
    void* data_;
};

#else

class striped_pages {
public:
    explicit striped_pages(std::size_t bytes) : data_(::operator new(bytes, alignment)) {}
    ~striped_pages() { ::operator delete(data_, alignment); }
    striped_pages(const striped_pages&) = delete;
    striped_pages& operator=(const striped_pages&) = delete;
    void* data() const { return data_; }
    void send_to_memory() const {}

private:
    static constexpr std::align_val_t alignment{croft::port::cache_line};
    void* data_;
};

#endif

}  // namespace programs
