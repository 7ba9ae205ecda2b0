#pragma once
// How many items a worker process may have that it has not given back. Few keep the end of a stream short, when one
// process still has work and all others none. Many keep it busy while results and new items are on their way. The
// window is as an emitter's between threads (pattern/engine/emitter_node.hpp). At first it is two for each of its
// threads, and one that comes while the root works on an item itself. It doubles whenever the process says that it has
// run dry while more would have been given. But it is no more than take it a millisecond. The process also says how
// long an item takes. Seen from here, the way there and back would be part of that time. Then a window that is too
// small for that way would seem to be large enough.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace croft::mpi::detail {

class peer_window {
public:
    void begin(std::uint32_t threads) { size_ = least_ = 2 * std::max<std::uint32_t>(threads, 1) + 1; }
    bool has_room() {
        if (given_ < size_) return true;
        bound_ = true;
        return false;
    }
    void give() { ++given_; }
    void take_back() { --given_; }

    // It had nothing left to do, after some time in which an item took it so many ns.
    void ran_dry(std::uint32_t ns_an_item) {
        if (!std::exchange(bound_, false)) return;
        const std::uint32_t in_time = 1'000'000 / std::max<std::uint32_t>(ns_an_item, 1);
        size_ = std::clamp(std::min(2 * size_, in_time), least_, std::max(least_, most));
    }

private:
    static constexpr std::uint32_t most = 1 << 16;

    std::uint32_t least_ = 0, size_ = 0;  // no room before begin()
    std::uint32_t given_ = 0;
    bool bound_ = false;  // more would have been given
};

// The other side of it: how long items take in a process, told whenever it has none left.
class busy_time {
    using clock = std::chrono::steady_clock;

public:
    void begin_one() {
        if (under_way_++ == 0) {
            since_ = clock::now();
            done_ = 0;
        }
    }
    // True: that was the last one there is.
    bool end_one() {
        ++done_;
        return --under_way_ == 0;
    }
    std::uint32_t ns_an_item() const {
        const auto took = std::chrono::nanoseconds(clock::now() - since_).count();
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(took) / done_, 1u << 31));
    }

private:
    std::uint32_t under_way_ = 0;
    std::uint32_t done_ = 0;  // since there was something to do
    clock::time_point since_;
};

}  // namespace croft::mpi::detail
