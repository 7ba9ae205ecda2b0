#pragma once
// The kernel's answers in files: short texts, read whole. Streams would cost every user of croft their headers.

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

namespace croft::port::detail {

// Up to `Room - 1` bytes of a file; none, if it cannot be read.
template <std::size_t Room>
class small_file {
public:
    explicit small_file(const char* path) {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        exists_ = file >= 0;
        if (!exists_) return;
        std::size_t size = 0;
        for (;;) {
            const auto more = ::read(file, text_ + size, Room - 1 - size);
            if (more <= 0) break;
            size += static_cast<std::size_t>(more);
        }
        text_[size] = 0;
        ::close(file);
    }
    bool exists() const { return exists_; }
    char* text() { return text_; }

private:
    bool exists_;
    char text_[Room] = {};
};

}  // namespace croft::port::detail
