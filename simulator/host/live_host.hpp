#pragma once
// A host that runs beside the simulation, in real time: two bounded queues between a native caller and the link. The
// results do not depend on when the caller calls; the number of the run's cycles does.
//
// Any thread may call the caller's side. When the run is over, however it ends, every thread that waits there is woken.
// Then offload() and get() throw HostEnded, unless the program closed the link, which is the end of the stream of
// results.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/host_side.hpp"

namespace croftsim {

// The run ended before the program closed the link. what() is a sentence.
struct HostEnded : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class LiveHost final : public HostSide {
public:
    using Bytes = std::vector<std::uint8_t>;
    using Milliseconds = std::chrono::milliseconds;

    // Each queue holds as many messages as there are slots that way.
    explicit LiveHost(Slots slots);

    // ---- the caller ----

    // Waits so long at most for room; false, and the message untouched, if there was none. Throws HostEnded;
    // std::logic_error after close().
    bool offload(Bytes& message, Milliseconds most);
    // Waits so long at most for a result; none if there is none, or no other will come: exhausted() tells which.
    // Throws HostEnded once no result is left.
    std::optional<Bytes> get(Milliseconds most);
    bool exhausted() const;
    // No more messages.
    void close();
    // Asks the run to end: stopping() is for its progress function. A thread that waits here is woken when it does.
    void stop();
    bool stopping() const;

    // ---- the simulation ----

    Slots slots() const override { return slots_; }
    std::uint64_t next(std::uint64_t now) override;
    Bytes take() override;
    bool ended() override;
    bool reserve() override;
    void deliver(Bytes result, std::uint64_t now) override;
    void closed() override;
    bool live() const override { return true; }
    void wait(Milliseconds most) override;
    void finished(const std::string& why) override;
    void serialise(Archive& archive) override;

private:
    [[noreturn]] void refuse() const;

    const Slots slots_;
    mutable std::mutex lock_;
    std::condition_variable for_caller_, for_simulation_;
    std::deque<Bytes> messages_, results_;
    std::size_t reserved_ = 0;  // results under way
    bool closed_ = false;       // by the caller: no more messages
    bool served_ = false;       // by the program: no more results
    bool finished_ = false;
    bool stopping_ = false;
    bool changed_ = false;  // by the caller, since the simulation last waited
    std::string why_;
};

}  // namespace croftsim
