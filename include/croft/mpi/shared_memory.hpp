#pragma once
// Memory that processes of one node have in common, each at an address of its own. One makes it and tells the others
// its name, by a message. Each maps it and lets go of it by itself. It is gone with the last process, however that
// ends.
//
// It is the operating system's, not an MPI window (MPI_Win_allocate_shared). To free a window all its processes have to
// come. Suppose a process goes by an exception while the others wait for its messages. It could not destroy an object
// with a window inside: all would hang. And a window takes a communicator of the few thousand that an MPI has.

#include <errno.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <croft/mpi/error.hpp>
#include <croft/port/between_processes.hpp>

namespace croft::mpi {

namespace detail {
namespace os = port::between_processes;
}

class shared_memory {
public:
    // How another process finds it, as long as its maker keeps it open. In another container the same numbers may be
    // another process's, and another file, so it says which one it is.
    struct name {
        detail::os::process maker{};
        int file = -1;
        detail::os::file_identity identity{};
    };

    shared_memory() = default;
    // Zeros, and none of it is taken before it is touched. Throws `error`.
    explicit shared_memory(std::size_t size) : size_(size) {
        file_ = detail::os::make_file(size);
        if (file_ >= 0) at_ = detail::os::map_file(file_, size);
        if (!at_) fail("making shared memory", no_rank);
        name_ = {detail::os::process::this_one(), file_, detail::os::file_identity::of(file_)};
    }
    // Another's. `rank`: whose, for the sentence of an `error`.
    shared_memory(const name& one, int rank) : name_(one) {
        const int file = detail::os::open_file_of(one.maker, one.file);
        if (file >= 0) {
            if (detail::os::file_identity::of(file) == one.identity) {
                size_ = static_cast<std::size_t>(one.identity.size);
                at_ = detail::os::map_file(file, size_);
            } else {
                errno = ESRCH;
            }
            const int why = errno;
            detail::os::close_file(file);
            errno = why;
        }
        if (!at_) fail("mapping the memory of", rank);
    }
    shared_memory(shared_memory&& from) noexcept { swap(from); }
    shared_memory& operator=(shared_memory&& from) noexcept {
        swap(from);
        return *this;
    }
    ~shared_memory() {
        close();
        if (at_) detail::os::unmap_file(at_, size_);
    }

    unsigned char* data() const { return static_cast<unsigned char*>(at_); }
    std::size_t size() const { return size_; }
    const name& named() const { return name_; }
    // Nobody else will map it.
    void close() {
        if (file_ >= 0) detail::os::close_file(std::exchange(file_, -1));
    }

private:
    void swap(shared_memory& other) noexcept {
        std::swap(name_, other.name_);
        std::swap(file_, other.file_);
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
    }
    [[noreturn]] void fail(const char* doing, int rank) {
        std::string sentence = std::string("croft::mpi: ") + doing;
        if (rank != no_rank) sentence += " rank " + std::to_string(rank);
        sentence += std::string(": ") + std::strerror(errno);
        close();
        throw error(sentence, rank);
    }

    name name_;
    int file_ = -1;
    void* at_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace croft::mpi
