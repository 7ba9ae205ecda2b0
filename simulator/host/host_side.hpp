#pragma once
// The other end of a host link (device/host_link.hpp): a script in simulated time (scripted_host.hpp), or a program
// that runs beside the simulation (live_host.hpp). All calls come from the thread that simulates.

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

class HostSide {
public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    struct Slots {
        static constexpr bool is_plain = true;
        std::uint32_t input = 0, output = 0;
    };

    virtual ~HostSide() = default;

    // How many slots either way the host would have; a program may open the link with other numbers.
    virtual Slots slots() const = 0;

    // The cycle from which the next message to the program is there; `never` if none is in sight.
    virtual std::uint64_t next(std::uint64_t now) = 0;
    // That message, which is there. It is on its way from now on.
    virtual std::vector<std::uint8_t> take() = 0;
    // Whether all messages were taken and no other will come. It stays so.
    virtual bool ended() = 0;

    // Sets a buffer aside for a result that is about to leave the machine; false if there is none.
    virtual bool reserve() = 0;
    // The result has arrived, in that buffer.
    virtual void deliver(std::vector<std::uint8_t> result, std::uint64_t now) = 0;
    // The program has closed the link: that was the last result.
    virtual void closed() = 0;

    // Whether the answers above change by themselves. Then the link asks for them every so many cycles. While nothing
    // else in the machine can go on, it asks in real time, with wait().
    virtual bool live() const = 0;
    virtual void wait(std::chrono::milliseconds most) = 0;

    // The run is over; `why` is one sentence unless the program ended by itself with status 0. No call follows.
    virtual void finished(const std::string& why) = 0;

    // Throws CheckpointError if it cannot be had again.
    virtual void serialise(Archive& archive) = 0;
};

}  // namespace croftsim
