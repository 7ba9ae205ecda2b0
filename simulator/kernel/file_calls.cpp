// System calls on open files.

#include <algorithm>
#include <functional>

#include "kernel/pipe_end.hpp"
#include "kernel/stream_calls.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t piece_bytes = 64 * 1024;        // what the host holds of a transfer at a time
constexpr std::uint64_t most_bytes = 0x7ffff000;        // of one call, as Linux
constexpr std::uint64_t rw_append = 16, rw_known = 31;  // RWF_*

std::int32_t descriptor(const Call& call) { return static_cast<std::int32_t>(call.a[0]); }

using Read = std::function<std::size_t(std::span<std::uint8_t>, std::uint64_t done)>;
using Write = std::function<std::size_t(std::span<const std::uint8_t>, std::uint64_t done)>;

// Bytes that were moved before an error count, and the error is forgotten, as Linux does.
template <class Step>
std::int64_t transfer(std::span<const abi::IoVector> vectors, Step step) {
    std::uint64_t done = 0;
    try {
        for (const abi::IoVector& vector : vectors) {
            const std::uint64_t length = std::min(vector.length, most_bytes - done);
            for (std::uint64_t offset = 0; offset < length;) {
                const std::uint64_t wanted = std::min(piece_bytes, length - offset);
                const std::uint64_t moved = step(vector.base + offset, wanted, done);
                done += moved;
                offset += moved;
                if (moved < wanted) return static_cast<std::int64_t>(done);
            }
        }
    } catch (const Errno&) {
        if (done == 0) throw;
    }
    return static_cast<std::int64_t>(done);
}

std::int64_t read_into(const System& system, std::span<const abi::IoVector> vectors, const Read& read) {
    std::vector<std::uint8_t> piece;
    return transfer(vectors, [&](std::uint64_t address, std::uint64_t bytes, std::uint64_t done) {
        const std::uint64_t room = system.user.accessible(address, bytes, Permission::write);
        if (room == 0) throw Errno{EFAULT};
        piece.resize(room);
        const std::size_t count = read(piece, done);
        system.user.write(address, {piece.data(), count});
        return count;
    });
}

std::int64_t write_from(const System& system, std::span<const abi::IoVector> vectors, const Write& write) {
    std::vector<std::uint8_t> piece;
    return transfer(vectors, [&](std::uint64_t address, std::uint64_t bytes, std::uint64_t done) {
        const std::uint64_t there = system.user.accessible(address, bytes, Permission::read);
        if (there == 0) throw Errno{EFAULT};
        piece.resize(there);
        system.user.read(address, piece);
        return write(piece, done);
    });
}

Result read_file(System& system, const Call& call, std::span<const abi::IoVector> vectors) {
    OpenFile& file = system.files.get(descriptor(call));
    if (!file.may_read()) return -EBADF;
    if (file.waits()) return read_stream(system, call, file, vectors);
    system.shared_mappings.write_back(system, file);
    return read_into(system, vectors, [&](std::span<std::uint8_t> to, std::uint64_t) { return file.read(to); });
}

Result write_file(System& system, const Call& call, std::span<const abi::IoVector> vectors) {
    OpenFile& file = system.files.get(descriptor(call));
    if (!file.may_write()) return -EBADF;
    if (file.waits()) return write_stream(system, call, file, vectors);
    system.shared_mappings.write_back(system, file);
    const std::int64_t count = write_from(
        system, vectors, [&](std::span<const std::uint8_t> from, std::uint64_t) { return file.write(from); });
    if (file.is_regular() && count > 0)
        system.shared_mappings.read_again(system, file, static_cast<std::uint64_t>(file.seek(0, SEEK_CUR) - count),
                                          static_cast<std::uint64_t>(count));
    return count;
}

Result read_file_at(System& system, const Call& call, std::span<const abi::IoVector> vectors) {
    OpenFile& file = system.files.get(descriptor(call));
    const std::uint64_t offset = call.a[3];
    if (static_cast<std::int64_t>(offset) < 0) return -EINVAL;
    if (!file.may_read()) return -EBADF;
    system.shared_mappings.write_back(system, file);
    return read_into(system, vectors,
                     [&](std::span<std::uint8_t> to, std::uint64_t done) { return file.read_at(to, offset + done); });
}

Result write_file_at(System& system, const Call& call, std::span<const abi::IoVector> vectors) {
    OpenFile& file = system.files.get(descriptor(call));
    const std::uint64_t offset = call.a[3];
    if (static_cast<std::int64_t>(offset) < 0) return -EINVAL;
    if (!file.may_write()) return -EBADF;
    system.shared_mappings.write_back(system, file);
    const std::int64_t count = write_from(system, vectors, [&](std::span<const std::uint8_t> from, std::uint64_t done) {
        return file.write_at(from, offset + done);
    });
    system.shared_mappings.read_again(system, file, offset, static_cast<std::uint64_t>(count));
    return count;
}

}  // namespace

namespace calls {

Result read(System& system, const Call& call) { return read_file(system, call, {{{call.a[1], call.a[2]}}}); }
Result write(System& system, const Call& call) { return write_file(system, call, {{{call.a[1], call.a[2]}}}); }
Result pread64(System& system, const Call& call) { return read_file_at(system, call, {{{call.a[1], call.a[2]}}}); }
Result pwrite64(System& system, const Call& call) { return write_file_at(system, call, {{{call.a[1], call.a[2]}}}); }
Result readv(System& system, const Call& call) {
    return read_file(system, call, vectors_of(system, call.a[1], call.a[2]));
}
Result writev(System& system, const Call& call) {
    return write_file(system, call, vectors_of(system, call.a[1], call.a[2]));
}
Result preadv(System& system, const Call& call) {
    return read_file_at(system, call, vectors_of(system, call.a[1], call.a[2]));
}
Result pwritev(System& system, const Call& call) {
    return write_file_at(system, call, vectors_of(system, call.a[1], call.a[2]));
}

// With an offset of -1 these are readv and writev. The flags say how soon and how lastingly, but for one.
Result preadv2(System& system, const Call& call) {
    if (call.a[5] & ~rw_known) return -EOPNOTSUPP;
    return static_cast<std::int64_t>(call.a[3]) == -1 ? readv(system, call) : preadv(system, call);
}
Result pwritev2(System& system, const Call& call) {
    if (call.a[5] & ~rw_known) return -EOPNOTSUPP;
    if (call.a[5] & rw_append) return -EOPNOTSUPP;
    return static_cast<std::int64_t>(call.a[3]) == -1 ? writev(system, call) : pwritev(system, call);
}

Result close(System& system, const Call& call) {
    system.files.close(descriptor(call));
    return 0;
}

Result lseek(System& system, const Call& call) {
    return system.files.get(descriptor(call)).seek(static_cast<std::int64_t>(call.a[1]), static_cast<int>(call.a[2]));
}

Result ftruncate(System& system, const Call& call) {
    OpenFile& file = system.files.get(descriptor(call));
    if (!file.may_write() || static_cast<std::int64_t>(call.a[1]) < 0) return -EINVAL;
    system.shared_mappings.write_back(system, file);
    file.truncate(call.a[1]);
    return 0;
}

Result fchmod(System& system, const Call& call) {
    system.files.get(descriptor(call)).set_mode(static_cast<unsigned>(call.a[1]));
    return 0;
}

Result fsync(System& system, const Call& call) {
    OpenFile& file = system.files.get(descriptor(call));
    system.shared_mappings.write_back(system, file);
    file.synchronise();
    return 0;
}

Result dup(System& system, const Call& call) { return system.files.duplicate(descriptor(call), false, 0); }

Result dup3(System& system, const Call& call) {
    const auto to = static_cast<std::int32_t>(call.a[1]);
    if (descriptor(call) == to || call.a[2] & ~std::uint64_t{abi::o_close_on_exec}) return -EINVAL;
    system.files.duplicate_to(descriptor(call), to, call.a[2] & abi::o_close_on_exec);
    return to;
}

Result fcntl(System& system, const Call& call) {
    enum : std::uint32_t {
        duplicate = 0,
        get_fd = 1,
        set_fd = 2,
        get_flags = 3,
        set_flags = 4,
        get_lock = 5,
        set_lock = 6,
        set_lock_wait = 7,
        duplicate_close_on_exec = 1030,
        set_pipe_size = 1031,
        get_pipe_size = 1032
    };
    const std::int32_t fd = descriptor(call);
    OpenFile& file = system.files.get(fd);
    const std::uint64_t argument = call.a[2];
    switch (static_cast<std::uint32_t>(call.a[1])) {
        case duplicate:
            return system.files.duplicate(fd, false, static_cast<std::int32_t>(argument));
        case duplicate_close_on_exec:
            return system.files.duplicate(fd, true, static_cast<std::int32_t>(argument));
        case get_fd:
            return system.files.close_on_exec(fd);
        case set_fd:
            system.files.close_on_exec(fd) = argument & 1;
            return 0;
        case get_flags:
            return file.flags;
        case set_flags: {
            constexpr std::uint32_t changeable = abi::o_append | abi::o_nonblock;
            file.set_append(argument & abi::o_append);
            file.flags = (file.flags & ~changeable) | (static_cast<std::uint32_t>(argument) & changeable);
            return 0;
        }
        // Record locks are between processes, and there is one.
        case get_lock:
            system.user.put(argument, std::int16_t{2});
            return 0;  // F_UNLCK
        case set_lock:
        case set_lock_wait:
            return 0;
        case set_pipe_size:
        case get_pipe_size: {
            auto* end = dynamic_cast<PipeEnd*>(&file);
            if (!end) return -EBADF;
            if (call.a[1] == set_pipe_size) end->pipe().set_capacity(static_cast<std::uint32_t>(argument));
            return static_cast<std::int64_t>(end->pipe().capacity());
        }
        default:
            return -EINVAL;
    }
}

// Nothing is a terminal, so that every C library buffers its streams in the same way wherever they lead.
Result ioctl(System& system, const Call& call) {
    enum : std::uint32_t { readable = 0x541b, nonblocking = 0x5421, keep_on_exec = 0x5450, close_on_exec = 0x5451 };
    const std::int32_t fd = descriptor(call);
    OpenFile& file = system.files.get(fd);
    switch (const auto request = static_cast<std::uint32_t>(call.a[1])) {
        case readable: {
            const std::uint64_t bytes = file.readable_bytes();
            system.user.put(call.a[2], static_cast<std::int32_t>(std::min<std::uint64_t>(bytes, INT32_MAX)));
            return 0;
        }
        case nonblocking: {
            const bool set = system.user.get<std::int32_t>(call.a[2]) != 0;
            file.flags = set ? file.flags | abi::o_nonblock : file.flags & ~abi::o_nonblock;
            return 0;
        }
        case keep_on_exec:
        case close_on_exec:
            system.files.close_on_exec(fd) = request == close_on_exec;
            return 0;
        default:
            return -ENOTTY;
    }
}

Result getdents64(System& system, const Call& call) {
    OpenFile& file = system.files.get(descriptor(call));
    auto* directory = dynamic_cast<OpenDirectory*>(&file);
    if (!directory) return -ENOTDIR;
    std::vector<std::uint8_t> out;
    const std::uint64_t room = std::min<std::uint64_t>(call.a[2], 1 << 20);
    const std::uint64_t before = directory->position();
    while (const OpenDirectory::Entry* entry = directory->next()) {
        // struct linux_dirent64: inode, offset of the next, length, type, name; in all a multiple of 8 bytes
        constexpr std::size_t header = 19;
        const std::size_t start = out.size(), length = (header + entry->name.size() + 1 + 7) / 8 * 8;
        if (start + length > room) break;
        out.resize(start + length);
        const std::uint64_t inode = system.files.inode_number(entry->status.st_dev, entry->status.st_ino);
        const std::uint64_t next = directory->position() + 1;
        const auto bytes = static_cast<std::uint16_t>(length);
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&inode), 8, &out[start]);
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&next), 8, &out[start + 8]);
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&bytes), 2, &out[start + 16]);
        out[start + 18] = static_cast<std::uint8_t>((entry->status.st_mode & S_IFMT) >> 12);
        std::copy(entry->name.begin(), entry->name.end(), &out[start + header]);
        directory->advance();
    }
    if (out.empty() && directory->next()) return -EINVAL;
    try {
        system.user.write(call.a[1], out);
    } catch (const Errno&) {
        directory->seek(static_cast<std::int64_t>(before), SEEK_SET);
        throw;
    }
    return static_cast<std::int64_t>(out.size());
}

}  // namespace calls
}  // namespace croftsim
