#pragma once
// A fixed number of objects, each in cache lines of its own, in memory from a home policy.

#include <cstddef>
#include <memory>
#include <new>

#include <croft/memory/home.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Element, class Home>
class line_array {
    static_assert(alignof(Element) <= port::cache_line, "a message may ask for one cache line of alignment at most");
    struct alignas(port::cache_line) lines {
        Element element;
    };

public:
    // Default-initialises the elements: one of trivial type stays untouched, and so do its lines, until it is written.
    line_array(std::size_t size, Home home, part what) : size_(size), home_(home), part_(what) {
        void* memory = home_.allocate(size * sizeof(lines), part_);
        try {
            data_ = static_cast<lines*>(memory);
            std::uninitialized_default_construct_n(data_, size);
        } catch (...) {
            home_.deallocate(memory, size * sizeof(lines), part_);
            throw;
        }
    }
    ~line_array() {
        std::destroy_n(data_, size_);
        home_.deallocate(data_, size_ * sizeof(lines), part_);
    }
    line_array(const line_array&) = delete;
    line_array& operator=(const line_array&) = delete;

    Element& operator[](std::size_t index) { return data_[index].element; }
    const Element& operator[](std::size_t index) const { return data_[index].element; }
    const Home& home() const { return home_; }

private:
    static_assert(sizeof(lines) % port::cache_line == 0);
    lines* data_;
    std::size_t size_;
    [[no_unique_address]] Home home_;
    part part_;
};

}  // namespace croft
