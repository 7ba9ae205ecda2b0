#pragma once
// macOS: see README.md for what each name promises. It lets nobody choose a core, has one node of memory and no control
// groups.

#include <errno.h>
#include <pthread.h>
#include <sys/sysctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// macOS's counterpart of a futex, which its own C++ library calls for std::atomic::wait. But std::atomic::wait does not
// return before the word has changed, and knows no time limit.
extern "C" int __ulock_wait(std::uint32_t operation, void* address, std::uint64_t value, std::uint32_t microseconds);
extern "C" int __ulock_wake(std::uint32_t operation, void* address, std::uint64_t value);

namespace croft::port {

namespace detail {
inline constexpr std::uint32_t compare_and_wait = 1, without_errno = 0x01000000;
}

inline std::size_t core_count() {
    int cores = 1;
    std::size_t size = sizeof cores;
    // Those that work now, which is fewer in some states of power; 1 if the kernel does not tell.
    if (::sysctlbyname("hw.activecpu", &cores, &size, nullptr, 0) != 0) cores = 1;
    return static_cast<std::size_t>(std::max(cores, 1));
}

inline std::vector<int> allowed_cores() {
    std::vector<int> cores(core_count());
    for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = static_cast<int>(i);
    return cores;
}
inline std::size_t core_count(std::size_t) { return core_count(); }
inline std::vector<int> allowed_cores_by_node() { return allowed_cores(); }

inline int current_core() { return -2; }  // macOS does not tell
inline void give_way() { ::sched_yield(); }
inline bool pin_this_thread(int) { return false; }
inline void name_this_thread(const char* name) { ::pthread_setname_np(name); }
inline std::string name_of_this_thread() {
    char name[64] = "";
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    return name;
}

class affinity_guard {
public:
    affinity_guard() {}  // (else one that is not used would be reported)
    ~affinity_guard() {}
    affinity_guard(const affinity_guard&) = delete;
    affinity_guard& operator=(const affinity_guard&) = delete;
};

class memory_nodes {
public:
    static const memory_nodes& here() {
        static constexpr memory_nodes own;
        return own;
    }
    bool several() const { return false; }
    int of_core(int) const { return -1; }
    std::vector<int> together(std::vector<int> cores) const { return cores; }
};
inline bool put_on_node(void*, std::size_t, int) { return false; }

inline void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    __ulock_wait(detail::compare_and_wait | detail::without_errno, const_cast<std::atomic<std::uint32_t>*>(&word),
                 value, 0);
}

inline bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                              std::chrono::steady_clock::time_point end) {
    using std::chrono::microseconds;
    const auto left = std::chrono::ceil<microseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    // It takes 32 bits of microseconds, of which 0 is no end: those who wait for longer wake once an hour.
    const auto most = std::min<microseconds::rep>(left, 3'600'000'000);
    const int answer =
        __ulock_wait(detail::compare_and_wait | detail::without_errno, const_cast<std::atomic<std::uint32_t>*>(&word),
                     value, static_cast<std::uint32_t>(most));
    return answer != -ETIMEDOUT || most < left;
}

inline void wake_one(const std::atomic<std::uint32_t>& word) {
    __ulock_wake(detail::compare_and_wait | detail::without_errno, const_cast<std::atomic<std::uint32_t>*>(&word), 0);
}

// There is no membarrier, so both sides of the pair are full fences.
inline void decide_fences() {}
inline void light_fence() { full_fence(); }
inline void heavy_fence() { full_fence(); }

}  // namespace croft::port
