// System calls that name files by their paths.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

std::int32_t descriptor(std::uint64_t argument) { return static_cast<std::int32_t>(argument); }

Sandbox::Target resolve(System& system, std::uint64_t directory, std::uint64_t path, bool follow) {
    return system.files.resolve(descriptor(directory), system.user.string(path), follow);
}

// An entry of a host directory that can be made, removed or renamed. `busy` is the error for a granted directory
// itself, `.` and the like.
int host_directory(const Sandbox::Target& target, int busy) {
    if (target.name.empty()) throw Errno{busy};
    if (Sandbox::device(target)) throw Errno{busy == EEXIST ? EEXIST : EACCES};
    if (!target.directory->host) throw Errno{EACCES};
    if (target.directory->read_only) throw Errno{EROFS};
    return target.directory->host->get();
}

std::int64_t outcome(int host_result) {
    if (host_result < 0) throw Errno{errno};
    return host_result;
}

// The file that fstatat and statx are about.
struct stat status_of(System& system, std::uint64_t directory, std::uint64_t path_address, std::uint64_t flags) {
    const std::string path = path_address ? system.user.string(path_address) : "";
    if (path.empty()) {
        if (!(flags & abi::at_empty_path)) throw Errno{path_address ? ENOENT : EFAULT};
        if (descriptor(directory) == abi::at_cwd) return OpenDirectory::status_of(*system.files.working_directory);
        return system.files.get(descriptor(directory)).status();
    }
    const bool follow = !(flags & abi::at_symlink_no_follow);
    return system.files.status(system.files.resolve(descriptor(directory), path, follow));
}

void rename(System& system, const Call& call, std::uint64_t flags) {
    constexpr std::uint64_t no_replace = 1, exchange = 2;
    if (flags & ~(no_replace | exchange) || flags == (no_replace | exchange)) throw Errno{EINVAL};
    const Sandbox::Target from = resolve(system, call.a[0], call.a[1], false);
    const Sandbox::Target to = resolve(system, call.a[2], call.a[3], false);
    const int from_directory = host_directory(from, EBUSY), to_directory = host_directory(to, EBUSY);
    const bool is_directory = S_ISDIR(system.files.status(from).st_mode);
    if (!is_directory && to.must_be_directory) throw Errno{ENOTDIR};
    // musl has no renameat2().
    outcome(static_cast<int>(
        ::syscall(SYS_renameat2, from_directory, from.name.c_str(), to_directory, to.name.c_str(), flags)));
}

Result check_access(System& system, const Call& call, std::uint64_t flags) {
    constexpr std::uint64_t effective = 0x200;
    const auto mode = static_cast<int>(call.a[2]);
    if (mode & ~7 || flags & ~(abi::at_symlink_no_follow | effective | abi::at_empty_path)) return -EINVAL;
    const bool follow = !(flags & abi::at_symlink_no_follow);
    const Sandbox::Target target = resolve(system, call.a[0], call.a[1], follow);
    const struct stat status = system.files.status(target);  // it exists
    if (status.st_dev == invented_device) return mode & ~static_cast<int>(status.st_mode) & 7 ? -EACCES : 0;
    if (mode & W_OK && target.directory->read_only) return -EROFS;
    // Neither name is a symbolic link that the host would follow: "." is the granted directory itself.
    const char* name = target.name.empty() ? "." : target.name.c_str();
    return outcome(
        ::faccessat(target.directory->host->get(), name, mode, S_ISLNK(status.st_mode) ? AT_SYMLINK_NOFOLLOW : 0));
}

}  // namespace

namespace calls {

Result openat(System& system, const Call& call) {
    const auto flags = static_cast<std::uint32_t>(call.a[2]);
    const bool new_only = flags & abi::o_create && flags & abi::o_exclusive;
    const Sandbox::Target target = resolve(system, call.a[0], call.a[1], !(flags & abi::o_no_follow) && !new_only);
    std::shared_ptr<OpenFile> file = system.files.open(target, flags, static_cast<unsigned>(call.a[3]));
    return system.files.add(std::move(file), flags & abi::o_close_on_exec);
}

Result fstat(System& system, const Call& call) {
    system.user.put(call.a[1], system.files.describe(system.files.get(descriptor(call.a[0])).status()));
    return 0;
}

Result newfstatat(System& system, const Call& call) {
    system.user.put(call.a[2], system.files.describe(status_of(system, call.a[0], call.a[1], call.a[3])));
    return 0;
}

Result statx(System& system, const Call& call) {
    constexpr std::uint32_t basic = 0x7ff;
    const abi::Stat status = system.files.describe(status_of(system, call.a[0], call.a[1], call.a[2]));
    abi::Statx result{};
    result.mask = basic;
    result.blksize = static_cast<std::uint32_t>(status.blksize);
    result.nlink = status.nlink;
    result.uid = status.uid;
    result.gid = status.gid;
    result.mode = static_cast<std::uint16_t>(status.mode);
    result.ino = status.ino;
    result.size = static_cast<std::uint64_t>(status.size);
    result.blocks = static_cast<std::uint64_t>(status.blocks);
    result.mtime = {status.mtime.seconds, static_cast<std::uint32_t>(status.mtime.nanoseconds), 0};
    result.dev_minor = static_cast<std::uint32_t>(status.dev);
    system.user.put(call.a[4], result);
    return 0;
}

Result faccessat(System& system, const Call& call) { return check_access(system, call, 0); }
Result faccessat2(System& system, const Call& call) { return check_access(system, call, call.a[3]); }

Result truncate(System& system, const Call& call) {
    if (static_cast<std::int64_t>(call.a[1]) < 0) return -EINVAL;
    const Sandbox::Target target =
        resolve(system, static_cast<std::uint64_t>(std::int64_t{abi::at_cwd}), call.a[0], true);
    system.files.open(target, abi::o_write_only, 0)->truncate(call.a[1]);
    return 0;
}

Result getcwd(System& system, const Call& call) {
    const std::string path = system.files.working_directory->path();
    if (call.a[1] <= path.size()) return -ERANGE;
    system.user.write(call.a[0], {reinterpret_cast<const std::uint8_t*>(path.c_str()), path.size() + 1});
    return static_cast<std::int64_t>(path.size() + 1);
}

Result chdir(System& system, const Call& call) {
    const Sandbox::Target target =
        resolve(system, static_cast<std::uint64_t>(std::int64_t{abi::at_cwd}), call.a[0], true);
    system.files.working_directory = system.files.sandbox.enter(target);
    return 0;
}

Result fchdir(System& system, const Call& call) {
    Sandbox::PlacePointer place = system.files.get(descriptor(call.a[0])).place();
    if (!place) return -ENOTDIR;
    system.files.working_directory = std::move(place);
    return 0;
}

Result readlinkat(System& system, const Call& call) {
    if (static_cast<std::int64_t>(call.a[3]) <= 0) return -EINVAL;
    const Sandbox::Target target = resolve(system, call.a[0], call.a[1], false);
    if (!S_ISLNK(system.files.status(target).st_mode)) return -EINVAL;
    char text[4096];
    const auto length =
        outcome(static_cast<int>(::readlinkat(target.directory->host->get(), target.name.c_str(), text, sizeof text)));
    const std::uint64_t count = std::min<std::uint64_t>(static_cast<std::uint64_t>(length), call.a[3]);
    system.user.write(call.a[2], {reinterpret_cast<const std::uint8_t*>(text), count});
    return static_cast<std::int64_t>(count);
}

Result mkdirat(System& system, const Call& call) {
    const Sandbox::Target target = resolve(system, call.a[0], call.a[1], false);
    const int directory = host_directory(target, EEXIST);
    return outcome(::mkdirat(directory, target.name.c_str(), call.a[2] & 0777 & ~system.files.umask));
}

Result unlinkat(System& system, const Call& call) {
    if (call.a[2] & ~std::uint64_t{abi::at_remove_directory}) return -EINVAL;
    const Sandbox::Target target = resolve(system, call.a[0], call.a[1], false);
    const int directory = host_directory(target, call.a[2] ? EBUSY : EISDIR);
    const struct stat status = system.files.status(target);
    outcome(::unlinkat(directory, target.name.c_str(), call.a[2] ? AT_REMOVEDIR : 0));
    if (S_ISDIR(status.st_mode) || status.st_nlink == 1) system.files.forget(status.st_dev, status.st_ino);
    return 0;
}

Result renameat(System& system, const Call& call) {
    rename(system, call, 0);
    return 0;
}

Result renameat2(System& system, const Call& call) {
    rename(system, call, call.a[4]);
    return 0;
}

Result umask(System& system, const Call& call) {
    return std::exchange(system.files.umask, static_cast<unsigned>(call.a[0] & 0777));
}

}  // namespace calls
}  // namespace croftsim
