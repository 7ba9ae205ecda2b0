#pragma once
// The matrices of a stream that are in memory when it begins, as if a device had put them there. Their pages are
// striped over all controllers with the machine's default homes, and not a line of them is in any cache. Behind each
// matrix lies the vector that is made of it, so the matrix's address tells where that goes. Two layouts:
//
//   lines_of_their_own   each worker's part of the vector lies in lines of its own. Otherwise those who write one line
//                        at once would invalidate each other. One matrix begins behind the other
//   as_published         the vector is in one piece, and each matrix begins a page of 64 KiB, as paper 001's programs
//                        have it (docs/evidence/tilepro64.md, 5)
//
// The stream goes round them. A simulated tile's L2 is 64 KiB, so all 64 hold 4 MiB. Each line read takes room twice,
// at its home and at its reader. So when a matrix of a set of 6 MiB comes again, it is long gone from all caches. Every
// matrix of the stream comes from memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <croft/port/port.hpp>

#include "striped_pages.hpp"

namespace programs {

enum class vector_layout { lines_of_their_own, as_published };

template <class Element>
class matrix_set {
public:
    static constexpr std::size_t usual_bytes = std::size_t{6} << 20;

    // At least `fewest` size x size matrices, and as many as take `bytes`; vectors in so many parts.
    matrix_set(std::size_t size, std::size_t parts, std::size_t fewest, vector_layout layout,
               std::size_t bytes = usual_bytes)
        : part_(layout == vector_layout::as_published ? 0 : whole_lines((size + parts - 1) / parts)),
          result_(whole_lines(size * size)),
          used_(result_ + (part_ == 0 ? whole_lines(size) : parts * part_)),
          stride_(part_ == 0 ? round_up(used_, page_bytes / sizeof(Element)) : used_),
          count_(std::max(fewest, bytes / (used_ * sizeof(Element)) + 1)),
          pages_(count_ * stride_ * sizeof(Element)) {
        std::vector<Element> table(size + 64);
        std::uint32_t noise = 1;
        for (Element& element : table) element = static_cast<Element>((noise = noise * 1664525 + 1013904223) >> 24);
        // From even places only, so that whole words are copied.
        for (std::size_t i = 0; i < count_; ++i)
            for (std::size_t y = 0; y < size; ++y)
                std::memcpy(matrix(i) + y * size, table.data() + (i + y) % 32 * 2, size * sizeof(Element));
        pages_.send_to_memory();
    }

    std::size_t count() const { return count_; }
    const void* data() const { return pages_.data(); }
    std::size_t bytes() const { return count_ * stride_ * sizeof(Element); }
    Element* matrix(std::size_t number) const { return static_cast<Element*>(pages_.data()) + number * stride_; }
    // A part of the vector that is made of a matrix; its first entry is the vector's entry `first`.
    Element* result_of(Element* matrix, std::size_t part, std::size_t first) const {
        return matrix + result_ + (part_ == 0 ? first : part * part_);
    }

private:
    static std::size_t whole_lines(std::size_t elements) {
        return round_up(elements * sizeof(Element), croft::port::cache_line) / sizeof(Element);
    }
    static std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

    static constexpr std::size_t page_bytes = std::size_t{64} << 10;

    std::size_t part_, result_, used_, stride_, count_;  // in elements, but for the last; part_ 0: in one piece
    striped_pages pages_;
};

}  // namespace programs
