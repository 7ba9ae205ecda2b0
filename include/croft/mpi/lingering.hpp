#pragma once
// The rest of a link that one side has destroyed before the other one has. It still receives, and throws away, the
// peer's messages, up to the peer's last word. MPI must not find messages that nobody receives when a communicator is
// freed (MPICH ends the program then). A send whose receive was withdrawn may never end. So the group keeps the rest
// until then, and its destructor waits for all of them: by then each process has destroyed its links.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace croft::mpi::detail {

class lingering {
public:
    virtual ~lingering() = default;
    // Gets on. True if nothing is left.
    virtual bool has_ended() = 0;
    // Whether it never will end: the peer is lost.
    virtual bool has_failed() const = 0;
    // Nobody waits for it any more: memory that MPI may still use is never freed.
    virtual void abandon() = 0;
};

class lingering_ones {
public:
    // Whether any has ended is not asked each time: it takes a look at MPI for each.
    void keep(std::unique_ptr<lingering> one) {
        const std::lock_guard lock(mutex_);
        all_.push_back(std::move(one));
        if (all_.size() < enough_) return;
        drop_ended();
        enough_ = 2 * all_.size() + few;
    }
    // True if none is left.
    bool have_ended() {
        const std::lock_guard lock(mutex_);
        drop_ended();
        return all_.empty();
    }
    // The same, or what is left will never end.
    bool are_done() {
        if (have_ended()) return true;
        const std::lock_guard lock(mutex_);
        return std::all_of(all_.begin(), all_.end(), [](const auto& one) { return one->has_failed(); });
    }
    void abandon() {
        const std::lock_guard lock(mutex_);
        for (auto& each : all_) each->abandon();
        all_.clear();
    }

private:
    static constexpr std::size_t few = 64;

    void drop_ended() {
        std::erase_if(all_, [](const auto& one) { return one->has_ended(); });
    }

    std::mutex mutex_;
    std::size_t enough_ = few;
    std::vector<std::unique_ptr<lingering>> all_;
};

}  // namespace croft::mpi::detail
