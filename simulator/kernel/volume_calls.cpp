// System calls about what files lie on, room for them, and files that lie in memory.

#include <sys/mman.h>

#include <algorithm>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

// How much room the host has is its own affair: the program gets constants.
void tell_volume(const System& system, std::uint64_t address) {
    struct Volume {  // struct statfs
        std::uint64_t type, block_bytes, blocks, free, available, files, free_files;
        std::int32_t id[2];
        std::uint64_t longest_name, fragment_bytes, flags, spare[4];
    } volume{};
    static_assert(sizeof(Volume) == 120);
    volume.type = 0x01021994;  // tmpfs
    volume.block_bytes = volume.fragment_bytes = 4096;
    volume.blocks = volume.free = volume.available = std::uint64_t{1} << 28;
    volume.files = volume.free_files = std::uint64_t{1} << 24;
    volume.longest_name = 255;
    system.user.put(address, volume);
}

}  // namespace

namespace calls {

Result statfs(System& system, const Call& call) {
    system.files.status(system.files.resolve(abi::at_cwd, system.user.string(call.a[0]), true));
    tell_volume(system, call.a[1]);
    return 0;
}

Result fstatfs(System& system, const Call& call) {
    system.files.get(static_cast<std::int32_t>(call.a[0]));
    tell_volume(system, call.a[1]);
    return 0;
}

// Room is there when it is written to; a file that has to be longer gets zeros at its end.
Result fallocate(System& system, const Call& call) {
    constexpr std::uint64_t keep_size = 1;
    const auto offset = static_cast<std::int64_t>(call.a[2]), length = static_cast<std::int64_t>(call.a[3]);
    OpenFile& file = system.files.get(static_cast<std::int32_t>(call.a[0]));
    if (offset < 0 || length <= 0) return -EINVAL;
    if (call.a[1] & ~keep_size) return -EOPNOTSUPP;
    if (!file.may_write()) return -EBADF;
    const struct stat status = file.status();
    if (S_ISFIFO(status.st_mode)) return -ESPIPE;
    if (!file.is_regular()) return -ENODEV;
    if (offset + static_cast<std::uint64_t>(length) > static_cast<std::uint64_t>(INT64_MAX)) return -EFBIG;
    if (!(call.a[1] & keep_size) && offset + length > status.st_size)
        file.truncate(static_cast<std::uint64_t>(offset + length));
    return 0;
}

Result memfd_create(System& system, const Call& call) {
    constexpr std::uint64_t close_on_exec = 1, allow_sealing = 2, no_exec_seal = 8, executable = 16;
    constexpr std::size_t longest = 249;
    if (call.a[1] & ~(close_on_exec | allow_sealing | no_exec_seal | executable)) return -EINVAL;
    std::string name;
    try {
        name = system.user.string(call.a[0], longest + 1);
    } catch (const Errno& error) {
        throw Errno{error.code == ENAMETOOLONG ? EINVAL : error.code};
    }
    HostDescriptor made(::memfd_create("croft", MFD_CLOEXEC));
    if (!made) throw Errno{errno};
    return system.files.add(
        std::make_shared<RegularFile>(std::move(made), abi::o_read_write, false, "/memfd:" + name + " (deleted)"),
        call.a[1] & close_on_exec);
}

// As where the number of watchers that a user may have is 0. Programs then look from time to time.
Result inotify_init1(System&, const Call&) { return -EMFILE; }

Result close_range(System& system, const Call& call) {
    constexpr std::uint64_t unshare = 2, on_exec = 4;
    const auto first = static_cast<std::uint32_t>(call.a[0]), last = static_cast<std::uint32_t>(call.a[1]);
    if (call.a[2] & ~(unshare | on_exec) || first > last) return -EINVAL;
    for (std::uint64_t fd = first; fd <= std::min(last, Files::limit - 1); ++fd) {
        if (!system.files.is_open(static_cast<std::int32_t>(fd))) continue;
        if (call.a[2] & on_exec)
            system.files.close_on_exec(static_cast<std::int32_t>(fd)) = true;
        else
            system.files.close(static_cast<std::int32_t>(fd));
    }
    return 0;
}

}  // namespace calls
}  // namespace croftsim
