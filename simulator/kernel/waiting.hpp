#pragma once
// Threads that wait in a system call for something that other threads, or time, change: bytes in a pipe, a timer, one
// of many files. The arguments of the call are still in the thread's hart. Whenever anything of that kind has changed,
// the kernel carries out the call again, until it has a result. The thread that began to wait first comes first. Nobody
// polls, and a core whose thread waits does nothing.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

// For reports: what a thread waits for.
enum class Waits : std::uint8_t { time, pipe, counter, timer, socket, files };
const char* description_of(Waits waits);

class Waiting {
public:
    struct Waiter {
        static constexpr bool is_plain = true;
        std::uint32_t thread = 0;
        Waits waits = Waits::time;
        std::uint64_t done = 0;  // bytes that its call has moved so far
    };

    // Something has changed for which threads may wait.
    void changed() { changed_ = true; }
    bool take_change() { return std::exchange(changed_, false); }

    // In the order in which they began to wait.
    const std::vector<Waiter>& waiters() const { return waiters_; }
    Waiter* find(std::uint32_t thread);
    void add(const Waiter& waiter) { waiters_.push_back(waiter); }
    void remove(std::uint32_t thread);

    void serialise(Archive& archive) { archive(waiters_, changed_); }

private:
    std::vector<Waiter> waiters_;
    bool changed_ = false;
};
static_assert(is_listed<Waiting, 32>);

}  // namespace croftsim
