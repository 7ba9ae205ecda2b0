#include "kernel/files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <stdexcept>

namespace croftsim {

Files::Files(const RunOptions& options, SplitMix64& random, Waitables& waitables)
    : sandbox(options.directories), random_(random), waitables_(waitables) {
    streams_ = {std::make_shared<InputStream>(options.standard_input),
                std::make_shared<OutputStream>(1, options.output), std::make_shared<OutputStream>(2, options.output)};
    for (const auto& stream : streams_) add(stream, false);
    try {
        working_directory = sandbox.enter(sandbox.resolve(sandbox.root(), options.working_directory, true));
    } catch (const Errno&) {
        throw std::invalid_argument("the program's working directory " + options.working_directory +
                                    " is in none of the directories that it may see");
    }
}

int Files::host_access(std::uint32_t flags) {
    const std::uint32_t access = flags & abi::o_access_mode;
    const int host = access == abi::o_read_write ? O_RDWR : access == abi::o_write_only ? O_WRONLY : O_RDONLY;
    return flags & abi::o_append ? host | O_APPEND : host;
}

bool Files::is_open(std::int32_t fd) const {
    return fd >= 0 && static_cast<std::size_t>(fd) < descriptors_.size() && descriptors_[fd].file;
}

OpenFile& Files::get(std::int32_t fd) const {
    if (!is_open(fd)) throw Errno{EBADF};
    return *descriptors_[fd].file;
}

std::shared_ptr<OpenFile> Files::share(std::int32_t fd) const {
    get(fd);
    return descriptors_[fd].file;
}

bool& Files::close_on_exec(std::int32_t fd) {
    get(fd);
    return descriptors_[fd].close_on_exec;
}

void Files::close(std::int32_t fd) {
    get(fd);
    descriptors_[fd] = {};
}

std::int32_t Files::add(std::shared_ptr<OpenFile> file, bool close_on_exec, std::int64_t least) {
    for (std::int64_t fd = least; fd < limit; ++fd) {
        if (is_open(static_cast<std::int32_t>(fd))) continue;
        if (static_cast<std::size_t>(fd) >= descriptors_.size()) descriptors_.resize(fd + 1);
        if (file->number == 0) file->number = ++last_number_;
        descriptors_[fd] = {std::move(file), close_on_exec};
        return static_cast<std::int32_t>(fd);
    }
    throw Errno{EMFILE};
}

std::array<std::int32_t, 2> Files::add_two(std::shared_ptr<OpenFile> one, std::shared_ptr<OpenFile> other,
                                           bool close_on_exec) {
    const std::int32_t first = add(std::move(one), close_on_exec);
    try {
        return {first, add(std::move(other), close_on_exec)};
    } catch (const Errno&) {
        close(first);
        throw;
    }
}

std::shared_ptr<OpenFile> Files::find(std::uint64_t number, std::int32_t fd) const {
    const auto is_it = [&](const Descriptor& descriptor) {
        return descriptor.file && descriptor.file->number == number;
    };
    if (is_open(fd) && is_it(descriptors_[fd])) return descriptors_[fd].file;
    const auto it = std::ranges::find_if(descriptors_, is_it);
    return it == descriptors_.end() ? nullptr : it->file;
}

std::int32_t Files::duplicate(std::int32_t fd, bool close_on_exec, std::int64_t least) {
    get(fd);
    if (least < 0 || least >= limit) throw Errno{EINVAL};
    return add(descriptors_[fd].file, close_on_exec, least);
}

void Files::duplicate_to(std::int32_t fd, std::int32_t to, bool close_on_exec) {
    get(fd);
    if (to < 0 || static_cast<std::uint32_t>(to) >= limit) throw Errno{EBADF};
    if (static_cast<std::size_t>(to) >= descriptors_.size()) descriptors_.resize(to + 1);
    descriptors_[to] = {descriptors_[fd].file, close_on_exec};
}

Sandbox::PlacePointer Files::base(std::int32_t directory) const {
    if (directory == abi::at_cwd) return working_directory;
    Sandbox::PlacePointer place = get(directory).place();
    if (!place) throw Errno{ENOTDIR};
    return place;
}

Sandbox::Target Files::resolve(std::int32_t directory, const std::string& path, bool follow) const {
    // An absolute path never looks at the directory it would otherwise be relative to.
    const bool absolute = path.starts_with('/');
    return sandbox.resolve(absolute || path.empty() ? sandbox.root() : base(directory), path, follow);
}

struct stat Files::status(const Sandbox::Target& target) const {
    if (const Sandbox::Node* device = Sandbox::device(target)) return DeviceFile::status_of(*device);
    if (target.name.empty()) return OpenDirectory::status_of(*target.directory);
    const struct stat status = Sandbox::status(target);
    if (target.must_be_directory && !S_ISDIR(status.st_mode)) throw Errno{ENOTDIR};
    return status;
}

std::shared_ptr<OpenFile> Files::open(const Sandbox::Target& target, std::uint32_t flags, unsigned mode) {
    const std::uint32_t access = flags & abi::o_access_mode;
    if (access == abi::o_access_mode) throw Errno{EINVAL};
    if (flags & abi::o_temporary) throw Errno{EOPNOTSUPP};
    const std::uint32_t kept = flags & (abi::o_access_mode | abi::o_append | abi::o_nonblock | abi::o_directory);
    bool exists = true;
    struct stat entry{};
    try {
        entry = status(target);
    } catch (const Errno& error) {
        if (error.code != ENOENT || !(flags & abi::o_create)) throw;
        if (target.must_be_directory) throw Errno{EISDIR};
        exists = false;
    }
    if (exists && flags & abi::o_create && flags & abi::o_exclusive) throw Errno{EEXIST};
    if (exists && S_ISLNK(entry.st_mode)) throw Errno{ELOOP};
    if (exists && S_ISDIR(entry.st_mode)) {
        if (access != abi::o_read_only || flags & abi::o_create) throw Errno{EISDIR};
        return std::make_shared<OpenDirectory>(sandbox.enter(target), kept);
    }
    if (flags & abi::o_directory) throw Errno{ENOTDIR};
    if (const Sandbox::Node* device = Sandbox::device(target))
        return std::make_shared<DeviceFile>(*device, kept, Sandbox::path_of(target), random_);

    int host = host_access(flags);
    if (flags & abi::o_truncate && access == abi::o_read_only) host = O_RDWR | (host & O_APPEND);
    if (flags & abi::o_create) host |= O_CREAT;
    if (flags & abi::o_exclusive) host |= O_EXCL;
    auto file = std::make_shared<RegularFile>(Sandbox::open_file(target, host, mode & 0777 & ~umask), kept,
                                              target.directory->read_only, Sandbox::path_of(target));
    if (flags & abi::o_truncate) file->truncate(0);
    return file;
}

std::uint64_t Files::device_number(std::uint64_t host_device) {
    return devices_.try_emplace(host_device, devices_.size() + 1).first->second;
}

std::uint64_t Files::inode_number(std::uint64_t host_device, std::uint64_t host_inode) {
    const auto [it, inserted] = inodes_.try_emplace({host_device, host_inode}, last_inode_ + 1);
    last_inode_ += inserted;
    return it->second;
}

// Times of access and change, owners, and how directories are stored, are the host's affair: the program gets
// constants.
abi::Stat Files::describe(const struct stat& status) {
    abi::Stat result{};
    const bool directory = S_ISDIR(status.st_mode);
    result.dev = device_number(status.st_dev);
    result.ino = inode_number(status.st_dev, status.st_ino);
    result.mode = status.st_mode;
    result.nlink = directory ? 2 : static_cast<std::uint32_t>(status.st_nlink);
    result.uid = result.gid = 1000;
    result.size = directory ? 4096 : status.st_size;
    result.blksize = 4096;
    result.blocks = (result.size + 511) / 512;
    result.mtime = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    return result;
}

}  // namespace croftsim
