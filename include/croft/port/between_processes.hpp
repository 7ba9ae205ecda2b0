#pragma once
// Operations that processes of one node need, where threads of one need less. These are memory that several map,
// sleeping on its words, a pair of fences between their threads, and whether one of them still lives. Linux only, so
// far.
//
// Unlike linux.hpp's, these sleeps are found by where a word is kept, not by its address in one process. That costs the
// kernel a look at the page. The heavy fence reaches the cores of every process that has asked for it.

#if !defined(__linux__)
#error "croft's shared memory between processes knows Linux only"
#endif

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <croft/port/cgroup.hpp>
#include <croft/port/port.hpp>
#include <croft/port/small_file.hpp>

namespace croft::port::between_processes {

// ---- sleeping ----

inline void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}
// False if that time has passed.
inline bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                              std::chrono::steady_clock::time_point end) {
    // The kernel refuses a time before its clock's zero, and would not wait at all.
    const auto since = std::max<std::chrono::nanoseconds>(end.time_since_epoch(), std::chrono::nanoseconds{0});
    const timespec until{static_cast<time_t>(since.count() / 1'000'000'000),
                         static_cast<long>(since.count() % 1'000'000'000)};
    return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, &until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
           errno != ETIMEDOUT;
}
inline void wake_one(const std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// ---- fences ----

// Whether heavy fences, whoever's, reach the threads of this process: asked for once, for good.
inline constinit std::atomic<bool> is_reached = false;

inline bool has_heavy_fence() {
    static const bool asked = [] {
        const bool reached = port::detail::membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) &&
                             port::detail::membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
        // Release: a thread that reads it knows that the kernel has this process on its list.
        is_reached.store(reached, std::memory_order_release);
        return reached;
    }();
    return asked;
}
// Accesses of a thread around this fence and of a thread of any process around heavy_fence() are ordered as if both
// were full fences. Relaxed: some object called has_heavy_fence(). The calling thread has made that object, or was
// handed it by its maker. So it finds the same answer.
inline void light_fence() {
    if (is_reached.load(std::memory_order_relaxed))
        std::atomic_signal_fence(std::memory_order_seq_cst);  // the compiler shall not reorder either
    else
        full_fence();
}
// Waits until whatever any thread has stored before can be seen. No fence of this thread reaches stores that others
// have left in their cores' store buffers. But these empty themselves, in microseconds, and so it waits for much
// longer.
inline void settle() {
    full_fence();
    timespec left{.tv_sec = 0, .tv_nsec = 10'000'000};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    full_fence();
}
// Only where has_heavy_fence(). The kernel may refuse it when it has granted it before (a sandbox that was gone into
// later). Then light fences were light, in every process, and remain so.
inline void heavy_fence() {
    if (port::detail::membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED)) [[likely]]
        return;
    settle();
}

// ---- how many of them can run at the same time ----

// Not port::core_count(), which is this process's: each may be kept to a core of its own.
inline std::size_t core_count_of_node() {
    const auto cores = static_cast<std::size_t>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
    static const std::size_t quota = cgroup_quota();
    return quota ? std::min(cores, quota) : cores;
}

// ---- whether a process lives ----

// A number may be another process's later, the time it began at may not.
struct process {
    std::int64_t id = 0;
    std::uint64_t began = 0;

    bool operator==(const process&) const = default;

    static process of(std::int64_t id) { return {id, began_at(id)}; }
    static process this_one() { return of(::getpid()); }
    // A process that has ended and was not waited for by its parent has ended. If one cannot be seen from here, in
    // another container say, do not ask about it: no file of its could be opened either.
    bool lives() const { return began != 0 && began_at(id) == began; }

private:
    // In the kernel's ticks; 0 if there is no such process, or it has ended.
    static std::uint64_t began_at(std::int64_t id) {
        char number[24];
        std::snprintf(number, sizeof number, "%lld", static_cast<long long>(id));
        port::detail::small_file<1024> stat(port::detail::path_of{"/proc/", number, "/stat"});
        // "17 (a name, perhaps with spaces and brackets) S 1 ...": the state is the third field, this one the 22nd.
        const char* at = stat.exists() ? std::strrchr(stat.text(), ')') : nullptr;
        if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X') return 0;
        for (int field = 2; field < 22 && at; ++field) at = std::strchr(at + 1, ' ');
        return at ? std::strtoull(at + 1, nullptr, 10) : 0;
    }
};

// ---- memory ----

// A file without a name, of zeros; negative if there can be none (errno).
inline int make_file(std::size_t size) {
    const int file = static_cast<int>(syscall(SYS_memfd_create, "croft", 1u /* closed in what is executed */));
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) != 0) {
        const int why = errno;
        ::close(file);
        errno = why;
        return -1;
    }
    return file;
}
// The same, of another process that has it open under that number.
inline int open_file_of(const process& whose, int number) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%lld/fd/%d", static_cast<long long>(whose.id), number);
    return ::open(path, O_RDWR | O_CLOEXEC);
}
// Which file it is and how long, of all on this machine.
struct file_identity {
    std::uint64_t device = 0, number = 0, size = 0;

    bool operator==(const file_identity&) const = default;
    static file_identity of(int file) {
        struct stat about;
        if (::fstat(file, &about) != 0) return {};
        return {about.st_dev, about.st_ino, static_cast<std::uint64_t>(about.st_size)};
    }
};
inline void close_file(int file) { ::close(file); }
// Null if it cannot be mapped. A fork shares it.
inline void* map_file(int file, std::size_t size) {
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? nullptr : at;
}
inline void unmap_file(void* at, std::size_t size) { ::munmap(at, size); }

}  // namespace croft::port::between_processes
