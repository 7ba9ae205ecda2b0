#pragma once
// The kernel's answers in files: short texts, read whole. Streams would cost every user of croft their headers.

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

namespace croft::port::detail {

// A path made of parts; one that is too long is none, and names no file.
struct path_of {
    char text[4096];
    path_of(std::initializer_list<const char*> parts) {
        std::size_t size = 0;
        for (const char* part : parts) {
            const std::size_t more = std::strlen(part);
            if (more >= sizeof text - size) {
                size = 0;
                break;
            }
            std::memcpy(text + size, part, more);
            size += more;
        }
        text[size] = 0;
    }
};

// Up to `Room - 1` bytes of a file; none, if it cannot be read.
template <std::size_t Room>
class small_file {
public:
    explicit small_file(const path_of& path) {
        const int file = ::open(path.text, O_RDONLY | O_CLOEXEC);
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
