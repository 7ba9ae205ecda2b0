#pragma once
// Numbers and structures of Linux for RISC-V (include/uapi/asm-generic) that differ from host to host, or that a host's
// headers do not give. Error numbers are those of <cerrno>.

#include <cerrno>
#include <cstdint>

namespace croftsim::abi {

static_assert(ENOSYS == 38 && ELOOP == 40 && EOPNOTSUPP == 95, "croft's hosts have asm-generic's error numbers");

// openat, fcntl
constexpr std::uint32_t o_access_mode = 3, o_read_only = 0, o_write_only = 1, o_read_write = 2;
constexpr std::uint32_t o_create = 0100, o_exclusive = 0200, o_truncate = 01000, o_append = 02000, o_nonblock = 04000;
constexpr std::uint32_t o_directory = 0200000, o_no_follow = 0400000, o_close_on_exec = 02000000;
constexpr std::uint32_t o_temporary = 020000000;  // the bit of O_TMPFILE beside o_directory
constexpr std::int32_t at_cwd = -100;
constexpr std::uint32_t at_symlink_no_follow = 0x100, at_remove_directory = 0x200, at_empty_path = 0x1000;

// poll, epoll
constexpr std::uint32_t poll_in = 0x1, poll_urgent = 0x2, poll_out = 0x4, poll_error = 0x8, poll_hang_up = 0x10;
constexpr std::uint32_t poll_invalid = 0x20, poll_read_normal = 0x40, poll_read_band = 0x80, poll_write_normal = 0x100;
constexpr std::uint32_t poll_write_band = 0x200, poll_read_hang_up = 0x2000;
constexpr std::uint32_t poll_reads = poll_in | poll_read_normal, poll_writes = poll_out | poll_write_normal;

// clone
constexpr std::uint64_t clone_vm = 0x100, clone_fs = 0x200, clone_files = 0x400, clone_sighand = 0x800;
constexpr std::uint64_t clone_vfork = 0x4000, clone_thread = 0x10000, clone_sysvsem = 0x40000;
constexpr std::uint64_t clone_settls = 0x80000, clone_parent_settid = 0x100000, clone_child_cleartid = 0x200000;
constexpr std::uint64_t clone_detached = 0x400000, clone_child_settid = 0x1000000;

// mmap, mremap, madvise
constexpr std::uint64_t map_shared = 1, map_private = 2, map_shared_validate = 3, map_type = 0xf;
constexpr std::uint64_t map_fixed = 0x10, map_anonymous = 0x20, map_hugetlb = 0x40000, map_fixed_noreplace = 0x100000;
constexpr std::uint64_t mremap_maymove = 1, mremap_fixed = 2;
constexpr std::uint64_t madv_dontneed = 4;

// struct timespec of a 64-bit Linux
struct Time {
    std::int64_t seconds = 0, nanoseconds = 0;
};

struct TimerSetting {  // struct itimerspec
    Time interval, value;
};

struct IoVector {
    std::uint64_t base = 0, length = 0;
};

struct Stat {
    std::uint64_t dev, ino;
    std::uint32_t mode, nlink, uid, gid;
    std::uint64_t rdev, pad1;
    std::int64_t size;
    std::int32_t blksize, pad2;
    std::int64_t blocks;
    Time atime, mtime, ctime;
    std::uint32_t unused[2];
};
static_assert(sizeof(Stat) == 128);

struct StatxTime {
    std::int64_t seconds;
    std::uint32_t nanoseconds;
    std::int32_t pad;
};

struct Statx {
    std::uint32_t mask, blksize;
    std::uint64_t attributes;
    std::uint32_t nlink, uid, gid;
    std::uint16_t mode, pad1;
    std::uint64_t ino, size, blocks, attributes_mask;
    StatxTime atime, btime, ctime, mtime;
    std::uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
    std::uint64_t mnt_id, spare[13];
};
static_assert(sizeof(Statx) == 256);

}  // namespace croftsim::abi
