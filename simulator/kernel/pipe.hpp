#pragma once
// A pipe, and an end of it. It has room for 16 pages, as under Linux, and a write begins a new page unless its odd
// bytes fit into the last one. So a write of up to a page is never cut.

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

class Pipe {
public:
    static constexpr std::size_t page_bytes = 4096;

    // As many as there are, or as there is room for.
    std::size_t read(std::span<std::uint8_t> to);
    std::size_t write(std::span<const std::uint8_t> from);

    std::size_t size() const;
    bool is_empty() const { return pages_.empty(); }
    bool is_full() const { return pages_.size() >= most_pages_; }
    std::uint64_t capacity() const { return most_pages_ * page_bytes; }
    // In bytes, rounded up to a power of two. Throws Errno: EBUSY if there are more in it, EPERM for more than a MiB.
    void set_capacity(std::uint64_t bytes);

    bool has_reader = true, has_writer = true;
    std::uint64_t reader_changes = 0, writer_changes = 0;  // OpenFile::changes, of the two ends

    void serialise(Archive& archive) {
        archive(pages_, most_pages_, has_reader, has_writer, reader_changes, writer_changes);
    }

private:
    struct Page {
        std::vector<std::uint8_t> bytes;
        std::uint64_t first = 0;  // what lies before it has been read
        void serialise(Archive& archive) { archive(bytes, first); }
    };
    std::deque<Page> pages_;
    std::uint64_t most_pages_ = 16;
};
static_assert(is_listed<Pipe, 112>);

}  // namespace croftsim
