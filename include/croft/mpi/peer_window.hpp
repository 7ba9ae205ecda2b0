#pragma once
// How many items a worker process may have that it has not given back. Few keep the end of a stream short, when one
// process still has work and all others none; many keep it busy while results and new items are on their way. As an
// emitter does between threads (pattern/engine/emitter_node.hpp): two for each of its threads at first, and twice as
// many whenever it is about to run dry because of this bound, but no more than take it a millisecond.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace croft::mpi::detail {

class peer_window {
    using clock = std::chrono::steady_clock;

public:
    void begin(std::uint32_t threads) {
        least_ = 2 * std::max<std::uint32_t>(threads, 1);
        size_ = least_;
    }
    bool has_room() {
        if (given_ < size_) return true;
        bound_ = true;
        return false;
    }
    std::uint32_t given() const { return given_; }

    void give() {
        if (given_++ == 0) {
            since_ = clock::now();
            back_ = 0;
        }
    }
    void take_back() {
        --given_;
        ++back_;
        if (!bound_ || given_ > size_ / 4) return;
        bound_ = false;
        const auto took = std::max<std::chrono::nanoseconds>(clock::now() - since_, std::chrono::nanoseconds(1));
        const std::uint64_t in_time = back_ * std::uint64_t{1'000'000} / static_cast<std::uint64_t>(took.count());
        size_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            2 * std::uint64_t{size_}, least_, std::max<std::uint64_t>(least_, std::min<std::uint64_t>(in_time, most))));
    }

private:
    static constexpr std::uint64_t most = 1 << 16;

    std::uint32_t least_ = 0, size_ = 0;
    std::uint32_t given_ = 0;
    bool bound_ = false;       // somebody would have given more
    clock::time_point since_;  // it has had something to do
    std::uint64_t back_ = 0;   // and has given back
};

}  // namespace croft::mpi::detail
