#pragma once
// A fixed number of objects, each in cache lines of its own, of one kind of lines (home.hpp).

#include <cstddef>
#include <memory>
#include <new>

#include <croft/memory/home.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Element, class Lines>
class line_array {
    static_assert(alignof(Element) <= port::cache_line, "a message may ask for one cache line of alignment at most");
    struct alignas(port::cache_line) lines {
        Element element;
    };

public:
    // Default-initialises the elements: one of trivial type stays untouched, and so do its lines, until it is written.
    // Where another object has made them already nothing is touched, and they are that one's to destroy (home.hpp,
    // attached()).
    line_array(std::size_t size, Lines kind) : size_(size), kind_(kind) {
        void* memory = kind_.allocate(size * sizeof(lines));
        if (is_attached()) {
            data_ = static_cast<lines*>(memory);
            return;
        }
        try {
            data_ = static_cast<lines*>(memory);
            std::uninitialized_default_construct_n(data_, size);
        } catch (...) {
            kind_.deallocate(memory, size * sizeof(lines));
            throw;
        }
        kind_.constructed(data_, size * sizeof(lines));
    }
    ~line_array() {
        if (!is_attached()) std::destroy_n(data_, size_);
        kind_.deallocate(data_, size_ * sizeof(lines));
    }
    line_array(const line_array&) = delete;
    line_array& operator=(const line_array&) = delete;

    Element& operator[](std::size_t index) { return data_[index].element; }
    const Element& operator[](std::size_t index) const { return data_[index].element; }
    std::size_t size() const { return size_; }
    const Lines& kind() const { return kind_; }

    // From an element to the next one.
    static constexpr std::size_t stride = sizeof(lines);

private:
    static_assert(sizeof(lines) % port::cache_line == 0);
    [[gnu::always_inline]] bool is_attached() const {
        if constexpr (requires { kind_.attached(); })
            return kind_.attached();
        else
            return false;
    }
    lines* data_;
    std::size_t size_;
    Lines kind_;
};

}  // namespace croft::detail
