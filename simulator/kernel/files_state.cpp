// How the program's open files are kept in a checkpoint, and found again.
//
// A file of the host is kept by the program's name for it, its flags and its position. Its bytes stay where they are,
// so its length must be the same when the run goes on. A file that has been removed meanwhile has no name, and is kept
// with its bytes. Files that share a descriptor (dup) share it again.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "kernel/event_counter.hpp"
#include "kernel/files.hpp"
#include "kernel/interest_list.hpp"
#include "kernel/pipe_end.hpp"
#include "kernel/socket_file.hpp"
#include "kernel/timer_file.hpp"

namespace croftsim {
namespace {

bool has_name(const struct stat& status) { return status.st_nlink > 0; }

HostDescriptor nameless_file() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "croft-XXXXXX").string();
    HostDescriptor made(error ? -1 : ::mkstemp(name.data()));
    if (!made) throw CheckpointError("cannot make a file in the host's folder for temporary files");
    ::unlink(name.c_str());
    ::fcntl(made.get(), F_SETFD, FD_CLOEXEC);
    return made;
}

}  // namespace

void InputStream::serialise(Archive& archive) {
    std::uint64_t digest = digest_.value();
    archive(taken_, digest);
    if (!archive.loads() || taken_ == 0) return;
    const std::uint64_t wanted = std::exchange(taken_, 0);
    std::vector<std::uint8_t> bytes;
    while (taken_ < wanted) {
        bytes.resize(std::min<std::uint64_t>(wanted - taken_, 1 << 16));
        std::size_t count = 0;
        try {
            count = read(bytes);
        } catch (const Errno&) {
        }
        if (count == 0) break;
    }
    if (taken_ != wanted || digest_.value() != digest)
        throw CheckpointError("the program has read " + std::to_string(wanted) +
                              " bytes of its standard input, which has to begin with the same bytes again");
}

void RegularFile::serialise(Archive& archive) {
    const auto length_now = static_cast<std::uint64_t>(status().st_size);
    std::uint64_t length = length_now, position = static_cast<std::uint64_t>(seek(0, SEEK_CUR));
    archive(length, position);
    if (!archive.loads()) return;
    if (length != length_now)
        throw CheckpointError("the file " + path + " has " + std::to_string(length_now) + " bytes, but had " +
                              std::to_string(length) + " when the checkpoint was written");
    seek(static_cast<std::int64_t>(position), SEEK_SET);
}

void RegularFile::serialise_contents(Archive& archive) {
    std::vector<std::uint8_t> bytes;
    if (!archive.loads()) {
        bytes.resize(static_cast<std::size_t>(status().st_size));
        // The descriptor may be for writing alone.
        const HostDescriptor reads(
            ::open(("/proc/self/fd/" + std::to_string(host_.get())).c_str(), O_RDONLY | O_CLOEXEC));
        std::size_t done = 0;
        for (ssize_t count = 1; done < bytes.size() && count > 0;
             done += static_cast<std::size_t>(std::max<ssize_t>(count, 0)))
            count = ::pread(reads ? reads.get() : host_.get(), bytes.data() + done, bytes.size() - done,
                            static_cast<off_t>(done));
        if (done < bytes.size()) throw CheckpointError("cannot read the removed file " + path);
    }
    archive(bytes);
    if (archive.loads() && write_at(bytes, 0) != bytes.size())
        throw CheckpointError("cannot write a file in the host's folder for temporary files");
}

void OpenDirectory::Entry::serialise(Archive& archive) {
    archive(name);
    archive.bytes(&status, sizeof status);
}

void Files::serialise_place(Archive& archive, Sandbox::PlacePointer& place) const {
    std::string path = archive.loads() ? "" : place->path();
    archive(path);
    if (!archive.loads()) return;
    try {
        place = sandbox.enter(sandbox.resolve(sandbox.root(), path, false));
    } catch (const Errno&) {
        throw CheckpointError("the program's directory " + path + " is no longer there");
    }
}

// A file of the host that had that number may have another one now; to the program it is the same.
void Files::found_again(std::uint64_t device, std::uint64_t inode, const struct stat& now) {
    if (device != now.st_dev)
        if (const auto known = devices_.find(device); known != devices_.end())
            devices_.try_emplace(now.st_dev, known->second);
    const std::pair<std::uint64_t, std::uint64_t> before{device, inode}, behind{now.st_dev, now.st_ino};
    if (before == behind) return;
    if (auto known = inodes_.extract(before)) {
        known.key() = behind;
        inodes_.insert(std::move(known));
    }
}

std::shared_ptr<OpenFile> Files::open_again(OpenFile::Kind kind, const std::string& path, std::uint32_t flags,
                                            bool is_nameless) {
    if (is_nameless) return std::make_shared<RegularFile>(nameless_file(), flags, false, path);
    try {
        const Sandbox::Target target = sandbox.resolve(sandbox.root(), path, false);
        if (kind == OpenFile::Kind::directory) return std::make_shared<OpenDirectory>(sandbox.enter(target), flags);
        if (const Sandbox::Node* device = Sandbox::device(target))
            return std::make_shared<DeviceFile>(*device, flags, path, random_);
        if (kind == OpenFile::Kind::device) Archive::damaged();
        return std::make_shared<RegularFile>(Sandbox::open_file(target, host_access(flags), 0), flags,
                                             target.directory->read_only, path);
    } catch (const Errno& error) {
        throw CheckpointError("the program's " +
                              std::string(kind == OpenFile::Kind::directory ? "directory " : "file ") + path +
                              (error.code == ENOENT ? " is no longer there" : " cannot be opened any more"));
    }
}

void Files::serialise_file(Archive& archive, std::shared_ptr<OpenFile>& file) {
    using Kind = OpenFile::Kind;
    auto kind = file ? file->kind() : Kind::input;
    std::uint32_t flags = file ? file->flags : 0;
    archive(kind, flags);
    if (kind == Kind::input || kind == Kind::output) {
        std::uint64_t stream = 0;
        if (!archive.loads() && kind == Kind::output)
            stream = static_cast<std::uint64_t>(static_cast<const OutputStream&>(*file).stream());
        stream = archive.place(stream, streams_.size());
        if (archive.loads()) file = streams_.at(stream);
        if (file->kind() != kind) Archive::damaged();
        file->flags = flags;
        return file->serialise(archive);
    }
    if (kind >= Kind::pipe) {
        if (archive.loads()) file = made_again(kind, flags);
        return file->serialise(archive);
    }
    std::string path = file ? file->path : "";
    struct stat status{};
    if (file) status = file->status();
    std::uint64_t device = status.st_dev, inode = status.st_ino;
    bool is_nameless = kind == Kind::regular && !has_name(status);
    archive(path, device, inode, is_nameless);
    if (archive.loads()) file = open_again(kind, path, flags, is_nameless);
    if (file->kind() != kind) throw CheckpointError("what the program has open as " + path + " is something else now");
    if (is_nameless) {
        static_cast<RegularFile&>(*file).serialise_contents(archive);
        if (archive.loads()) file->set_append(flags & abi::o_append);
    }
    file->serialise(archive);
    if (archive.loads() && kind != Kind::device) found_again(device, inode, file->status());
    if (!archive.loads() && kind == Kind::regular && !is_nameless) {
        struct stat there{};
        try {
            there = this->status(sandbox.resolve(sandbox.root(), path, false));
        } catch (const Errno&) {
        }
        if (there.st_dev != status.st_dev || there.st_ino != status.st_ino)
            throw CheckpointError("the program has the file " + path + " open, which has another name by now");
    }
}

// A file that the program has made, and no path leads to.
std::shared_ptr<OpenFile> Files::made_again(OpenFile::Kind kind, std::uint32_t flags) {
    switch (kind) {
        case OpenFile::Kind::pipe:
            return std::make_shared<PipeEnd>(waitables_, flags, 0);
        case OpenFile::Kind::counter:
            return std::make_shared<EventCounter>(waitables_.waiting, flags, 0, false);
        case OpenFile::Kind::timer:
            return std::make_shared<TimerFile>(waitables_, flags, 0);
        case OpenFile::Kind::interest:
            return std::make_shared<InterestList>(*this, flags);
        case OpenFile::Kind::socket:
            return std::make_shared<SocketFile>(waitables_, flags, 0);
        default:
            Archive::damaged();
    }
}

void Files::serialise(Archive& archive) {
    archive(umask, devices_, inodes_, last_inode_, last_number_);
    serialise_place(archive, working_directory);
    std::vector<std::shared_ptr<OpenFile>> files;  // each once, in the order of its first descriptor
    std::size_t descriptors = archive.count(descriptors_.size());
    if (archive.loads()) {
        if (descriptors > limit) Archive::damaged();
        descriptors_.assign(descriptors, {});
    }
    std::vector<std::uint64_t> which(descriptors, Archive::nowhere);
    if (!archive.loads())
        for (std::size_t fd = 0; fd < descriptors; ++fd) {
            if (!descriptors_[fd].file) continue;
            const auto known = std::find(files.begin(), files.end(), descriptors_[fd].file);
            which[fd] = static_cast<std::uint64_t>(known - files.begin());
            if (known == files.end()) files.push_back(descriptors_[fd].file);
        }
    const std::size_t number = archive.count(files.size());
    if (archive.loads()) files.resize(number);
    for (auto& file : files) {
        std::uint64_t of_all = file ? file->number : 0;
        archive(of_all);
        serialise_file(archive, file);
        file->number = of_all;
    }
    for (std::size_t fd = 0; fd < descriptors; ++fd) {
        which[fd] = archive.place(which[fd], number);
        archive(descriptors_[fd].close_on_exec);
        if (archive.loads() && which[fd] != Archive::nowhere) descriptors_[fd].file = files[which[fd]];
    }
}

}  // namespace croftsim
