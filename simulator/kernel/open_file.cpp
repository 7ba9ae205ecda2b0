#include "kernel/open_file.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

namespace croftsim {
namespace {

// Repeats a host call until all is done, nothing more comes, or an error; an error after some bytes is kept for later.
template <class Step>
std::size_t all(std::size_t bytes, Step step) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t count = step(done);
        if (count < 0) {
            if (errno == EINTR && done == 0) throw Errno{EINTR};  // somebody wants to end the run
            if (done == 0) throw Errno{errno};
            break;
        }
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

off_t host_offset(std::uint64_t offset) {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) throw Errno{EINVAL};
    return static_cast<off_t>(offset);
}

}  // namespace

struct stat invented_status(unsigned mode, std::uint64_t number) {
    struct stat status{};
    status.st_mode = mode;
    status.st_nlink = 1;
    status.st_dev = invented_device;
    status.st_ino = number;
    return status;
}

std::size_t InputStream::read(std::span<std::uint8_t> to) {
    if (host_ < 0) return 0;
    const bool terminal = ::isatty(host_);
    const std::size_t count = all(to.size(), [&](std::size_t done) -> ssize_t {
        return terminal && done ? 0 : ::read(host_, to.data() + done, to.size() - done);
    });
    taken_ += count;
    digest_.add_bytes(to.first(count));
    return count;
}

std::size_t OutputStream::write(std::span<const std::uint8_t> from) {
    if (receiver_) {
        receiver_(stream_, {reinterpret_cast<const char*>(from.data()), from.size()});
        return from.size();
    }
    return all(from.size(), [&](std::size_t done) { return ::write(stream_, from.data() + done, from.size() - done); });
}

std::size_t RegularFile::read(std::span<std::uint8_t> to) {
    return all(to.size(), [&](std::size_t done) { return ::read(host_.get(), to.data() + done, to.size() - done); });
}

std::size_t RegularFile::write(std::span<const std::uint8_t> from) {
    return all(from.size(),
               [&](std::size_t done) { return ::write(host_.get(), from.data() + done, from.size() - done); });
}

std::size_t RegularFile::read_at(std::span<std::uint8_t> to, std::uint64_t offset) {
    return all(to.size(), [&](std::size_t done) {
        return ::pread(host_.get(), to.data() + done, to.size() - done, host_offset(offset + done));
    });
}

std::size_t RegularFile::write_at(std::span<const std::uint8_t> from, std::uint64_t offset) {
    return all(from.size(), [&](std::size_t done) {
        return ::pwrite(host_.get(), from.data() + done, from.size() - done, host_offset(offset + done));
    });
}

std::int64_t RegularFile::seek(std::int64_t offset, int whence) {
    if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) throw Errno{EINVAL};
    const off_t result = ::lseek(host_.get(), offset, whence);
    if (result < 0) throw Errno{errno};
    return result;
}

void RegularFile::truncate(std::uint64_t size) {
    if (::ftruncate(host_.get(), host_offset(size)) != 0) throw Errno{errno};
}

void RegularFile::synchronise() {
    if (::fsync(host_.get()) != 0) throw Errno{errno};
}

void RegularFile::set_append(bool append) {
    const int host_flags = ::fcntl(host_.get(), F_GETFL);
    if (host_flags < 0 || ::fcntl(host_.get(), F_SETFL, append ? host_flags | O_APPEND : host_flags & ~O_APPEND) != 0)
        throw Errno{errno};
}

void RegularFile::set_mode(unsigned mode) {
    if (read_only_) throw Errno{EROFS};
    if (::fchmod(host_.get(), mode & 0777) != 0) throw Errno{errno};
}

struct stat RegularFile::status() const {
    struct stat status{};
    if (::fstat(host_.get(), &status) != 0) throw Errno{errno};
    return status;
}

std::uint64_t RegularFile::readable_bytes() {
    const std::int64_t left = status().st_size - seek(0, SEEK_CUR);
    return left > 0 ? static_cast<std::uint64_t>(left) : 0;
}

std::int64_t OpenDirectory::seek(std::int64_t offset, int whence) {
    if (whence == SEEK_CUR)
        offset += static_cast<std::int64_t>(position_);
    else if (whence != SEEK_SET)
        throw Errno{EINVAL};
    if (offset < 0) throw Errno{EINVAL};
    if (offset == 0) entries_.reset();
    position_ = static_cast<std::uint64_t>(offset);
    return offset;
}

const OpenDirectory::Entry* OpenDirectory::next() {
    if (!entries_) list();
    return position_ < entries_->size() ? &(*entries_)[position_] : nullptr;
}

struct stat OpenDirectory::status_of(const Sandbox::Place& place) {
    if (!place.host) return invented_status(S_IFDIR | 0555, place.node->number);
    struct stat status{};
    if (::fstat(place.host->get(), &status) != 0) throw Errno{errno};
    return status;
}

void OpenDirectory::list() {
    std::vector<Entry> found;
    const auto* nodes = place_->node ? &place_->node->children : nullptr;
    if (place_->host) {
        const int reading = ::openat(place_->host->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (reading < 0) throw Errno{errno};
        const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(reading), ::closedir);
        if (!stream) throw Errno{errno};
        while (const dirent* host_entry = ::readdir(stream.get())) {
            const std::string name = host_entry->d_name;
            Entry entry{name, {}};
            if (name == "." || name == ".." || (nodes && nodes->contains(name))) continue;
            if (::fstatat(place_->host->get(), name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) continue;
            found.push_back(std::move(entry));
        }
    }
    if (nodes)
        for (const auto& [name, node] : *nodes)
            if (node.granted) found.push_back({name, status_of({nullptr, name, node.host, &node})});
    std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    found.insert(found.begin(),
                 {Entry{".", status_of(*place_)}, Entry{"..", status_of(place_->parent ? *place_->parent : *place_)}});
    entries_ = std::move(found);
}

std::size_t DeviceFile::read(std::span<std::uint8_t> to) {
    if (node_.device == Device::null) return 0;
    if (node_.device == Device::zero)
        std::fill(to.begin(), to.end(), std::uint8_t{0});
    else
        random_.fill(to);
    return to.size();
}

}  // namespace croftsim
