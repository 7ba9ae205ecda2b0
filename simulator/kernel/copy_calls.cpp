// System calls that copy between files without the program's memory.

#include <algorithm>

#include "kernel/stream_calls.hpp"

namespace croftsim {
namespace {

// A file and where in it: at an offset that the program keeps, or at the file's own position. Only one of them moves.
struct End {
    OpenFile& file;
    std::uint64_t address;  // of the offset in the program's memory; 0: the file's own position
    std::uint64_t offset = 0;

    End(System& system, std::uint64_t descriptor, std::uint64_t address_)
        : file(system.files.get(static_cast<std::int32_t>(descriptor))), address(address_) {
        if (!address) return;
        offset = system.user.get<std::uint64_t>(address);
        system.user.check(address, sizeof offset, Permission::write);
        if (static_cast<std::int64_t>(offset) < 0) throw Errno{EINVAL};
    }
};

std::int64_t copy(System& system, End from, End to, std::uint64_t count) {
    std::array<std::uint8_t, 16384> piece;
    constexpr std::uint64_t most = 0x7ffff000;  // as Linux
    count = std::min(count, most);
    system.shared_mappings.write_back(system, from.file);
    std::uint64_t done = 0;
    try {
        while (done < count) {
            const std::span<std::uint8_t> room{piece.data(), std::min<std::uint64_t>(piece.size(), count - done)};
            const std::size_t got = from.address ? from.file.read_at(room, from.offset + done) : from.file.read(room);
            if (got == 0) break;
            const std::span<const std::uint8_t> bytes{piece.data(), got};
            const std::size_t put = to.address ? to.file.write_at(bytes, to.offset + done) : to.file.write(bytes);
            done += put;
            if (put < got) {
                // Bytes that could not be written have not been read.
                if (!from.address)
                    from.file.seek(static_cast<std::int64_t>(put) - static_cast<std::int64_t>(got), SEEK_CUR);
                break;
            }
        }
    } catch (const Errno&) {
        if (done == 0) throw;
    }
    if (from.address) system.user.put(from.address, from.offset + done);
    if (to.address) system.user.put(to.address, to.offset + done);
    return static_cast<std::int64_t>(done);
}

}  // namespace

namespace calls {

Result sendfile(System& system, const Call& call) {
    const End to(system, call.a[0], 0), from(system, call.a[1], call.a[2]);
    if (!from.file.may_read() || !to.file.may_write()) return -EBADF;
    if (!from.file.is_regular() || to.file.flags & abi::o_append) return -EINVAL;
    try {
        return copy(system, from, to, call.a[3]);
    } catch (const Errno& error) {
        if (error.code == EPIPE) send_broken_pipe(system, call);
        if (error.code != EAGAIN || to.file.flags & abi::o_nonblock || !to.file.waits()) throw;
        // It has been read, and where it was read is where the next attempt begins.
        return system.wait(call, *to.file.waits(), system.deadline_of(call, to.file.write_limit()), -EAGAIN);
    }
}

Result copy_file_range(System& system, const Call& call) {
    const End from(system, call.a[0], call.a[1]), to(system, call.a[2], call.a[3]);
    if (call.a[5]) return -EINVAL;
    if (!from.file.is_regular() || !to.file.is_regular()) return -EINVAL;
    if (!from.file.may_read() || !to.file.may_write() || to.file.flags & abi::o_append) return -EBADF;
    return copy(system, from, to, call.a[4]);
}

}  // namespace calls
}  // namespace croftsim
