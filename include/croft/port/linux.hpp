#pragma once
// Linux: see README.md for what each name promises.

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <croft/port/cgroup.hpp>

#if !defined(CROFT_MANY_CORE)
#include <croft/port/numa.hpp>
#endif

namespace croft::port {

namespace detail {

// A set of cores, as large as the kernel's: its size is not known beforehand, so it is asked for with growing room.
class core_set {
public:
    // The calling thread's; empty if the kernel does not tell.
    static core_set of_this_thread() {
        for (std::size_t words = 16; words <= 4096; words *= 2) {
            core_set set(words);
            const long bytes = syscall(SYS_sched_getaffinity, 0, words * sizeof(unsigned long), set.bits_.data());
            if (bytes > 0) return set;
            if (errno != EINVAL) break;
        }
        return core_set(0);
    }
    static core_set only(int core) {
        core_set set(static_cast<std::size_t>(core) / word_bits + 1);
        set.bits_[static_cast<std::size_t>(core) / word_bits] = 1ul << (static_cast<std::size_t>(core) % word_bits);
        return set;
    }
    bool apply() const {
        return syscall(SYS_sched_setaffinity, 0, bits_.size() * sizeof(unsigned long), bits_.data()) == 0;
    }
    std::vector<int> cores() const {
        std::vector<int> found;
        for (std::size_t i = 0; i < bits_.size(); ++i)
            for (unsigned long left = bits_[i]; left != 0; left &= left - 1)
                found.push_back(static_cast<int>(i * word_bits + static_cast<std::size_t>(std::countr_zero(left))));
        return found;
    }

private:
    static constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
    explicit core_set(std::size_t words) : bits_(words) {}
    std::vector<unsigned long> bits_;
};

inline bool membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

// `settling`: membarrier worked, and is refused now. Light fences are full from then on, but one that was light may
// have been a moment ago.
enum class fences : int { undecided, asymmetric, settling, symmetric };
inline constinit std::atomic<fences> fence_pair = fences::undecided;

inline bool register_membarrier() {
    return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace detail

inline std::vector<int> allowed_cores() { return detail::core_set::of_this_thread().cores(); }

// The same, those of one node of memory after those of another.
inline std::vector<int> allowed_cores_by_node() {
#if defined(CROFT_MANY_CORE)
    return allowed_cores();
#else
    return memory_nodes::here().together(allowed_cores());
#endif
}

namespace detail {
inline std::size_t quota_of_process() {
    static const std::size_t quota = cgroup_quota();  // reads files, so only once
    return quota;
}
}  // namespace detail

inline std::size_t core_count() {
    std::size_t cores = allowed_cores().size();
    if (cores == 0) cores = static_cast<std::size_t>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
    if constexpr (waits_on_lines) return cores;  // a simulated machine has no control groups
    const std::size_t quota = detail::quota_of_process();
    return quota ? std::min(cores, quota) : cores;
}
// The same, of so many that the caller knows to be allowed.
inline std::size_t core_count(std::size_t allowed) {
    if (allowed == 0) return core_count();
    const std::size_t quota = detail::quota_of_process();
    return quota ? std::min(allowed, quota) : allowed;
}

// The name by which debuggers, perf and top call it: the first 15 characters. A simulated machine has nobody to tell.
inline void name_this_thread(const char* name) {
    if constexpr (!waits_on_lines) ::prctl(PR_SET_NAME, name);
}

inline std::string name_of_this_thread() {
    char name[16] = "";
    ::prctl(PR_GET_NAME, name);
    return name;
}

// Where this thread runs at the moment; -1 if that is not known.
inline int current_core() { return sched_getcpu(); }

// Lets another thread have this core, if one waits for it.
inline void give_way() { ::sched_yield(); }

inline bool pin_this_thread(int core) { return core >= 0 && detail::core_set::only(core).apply(); }

class affinity_guard {
public:
    affinity_guard() : before_(detail::core_set::of_this_thread()) {}
    // (None at all the kernel refuses; to look for that first takes memory, and there may be none.)
    ~affinity_guard() {
        if (waits_on_lines && before_.cores().empty()) return;
        before_.apply();
    }
    affinity_guard(const affinity_guard&) = delete;
    affinity_guard& operator=(const affinity_guard&) = delete;

private:
    detail::core_set before_;
};

inline void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                              std::chrono::steady_clock::time_point end) {
    // The clock is the kernel's CLOCK_MONOTONIC, in which a bitset wait's end is told.
    // The kernel refuses a time before its clock's zero, and would not wait at all.
    const auto since = std::max<std::chrono::nanoseconds>(end.time_since_epoch(), std::chrono::nanoseconds{0});
    const timespec until{static_cast<time_t>(since.count() / 1'000'000'000),
                         static_cast<long>(since.count() % 1'000'000'000)};
    return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, &until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
           errno != ETIMEDOUT;
}

inline void wake_one(const std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Chooses the pair, once for the process. The heavy side sees to it that this was done, so an earlier caller only makes
// light fences light from then on. No order of initialisation matters. A light fence that still reads `undecided` is a
// full one, which fits either kind of partner. Suppose a light fence reads `asymmetric`. Then every heavy fence there
// ever was or will be is a membarrier, or waits until that light fence is long over.
inline void decide_fences() {
    using detail::fences;
    static const fences decided = detail::register_membarrier() ? fences::asymmetric : fences::symmetric;
    // Only if nobody has: by now it may be known that membarrier is refused. Release, so that a thread that reads
    // `asymmetric` comes after the registration.
    fences before = fences::undecided;
    if (detail::fence_pair.load(std::memory_order_relaxed) == before)
        detail::fence_pair.compare_exchange_strong(before, decided, std::memory_order_release,
                                                   std::memory_order_relaxed);
}

inline void light_fence() {
    if (detail::fence_pair.load(std::memory_order_relaxed) == detail::fences::asymmetric)
        std::atomic_signal_fence(std::memory_order_seq_cst);  // the compiler shall not reorder either
    else
        full_fence();
}

namespace detail {

// A process may forbid itself membarrier when it has long begun (seccomp); then it is done without from now on. Other
// cores may have two kinds of light fence. One that comes after the store below is seen is a full one, and meets the
// full fence that the heavy side ends with. One that came before was light: the stores of its thread ahead of it may
// still be in its core's store buffer. No fence of this thread reaches that. But a store buffer empties itself, in
// microseconds, and a thread that lost its core has had it emptied. So a thread that would do a heavy fence waits for
// much longer than that, each for itself until one has.
[[gnu::noinline, gnu::cold]] inline void give_up_membarrier() {
    fences now = fences::asymmetric;
    fence_pair.compare_exchange_strong(now, fences::settling, std::memory_order_seq_cst);
    full_fence();
    timespec left{.tv_sec = 0, .tv_nsec = 10'000'000};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    fence_pair.store(fences::symmetric, std::memory_order_seq_cst);
    full_fence();
}

}  // namespace detail

inline void heavy_fence() {
    using detail::fences;
    fences pair = detail::fence_pair.load(std::memory_order_acquire);
    if (pair == fences::undecided) {
        decide_fences();
        pair = detail::fence_pair.load(std::memory_order_acquire);
    }
    if (pair == fences::symmetric) return full_fence();
    if (pair == fences::asymmetric && detail::membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
    detail::give_up_membarrier();
}

}  // namespace croft::port
