#pragma once
// A host in simulated time. It offers the same messages over and over, as fast as they are taken or one every so many
// cycles. It keeps the results with the cycles of their arrival. A run with it is as deterministic as one without a
// host.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "host/host_side.hpp"

namespace croftsim {

class ScriptedHost final : public HostSide {
public:
    struct Script {
        std::vector<std::vector<std::uint8_t>> messages;  // one after the other, then from the first one again
        std::uint64_t count = 0;                          // of messages in all
        std::uint64_t every = 0;                          // cycles from one to the next; 0: as fast as they are taken
        Slots slots{16, 16};
    };
    struct Result {
        std::uint64_t cycle;
        std::vector<std::uint8_t> bytes;
        void serialise(Archive& archive) { archive(cycle, bytes); }
    };

    // Throws std::invalid_argument for a count of messages of which there are none.
    explicit ScriptedHost(Script script);

    const std::vector<Result>& results() const { return results_; }  // in the order of arrival
    bool was_closed() const { return closed_; }

    Slots slots() const override { return script_.slots; }
    std::uint64_t next(std::uint64_t now) override;
    std::vector<std::uint8_t> take() override;
    bool ended() override { return taken_ == script_.count; }
    bool reserve() override { return true; }
    void deliver(std::vector<std::uint8_t> result, std::uint64_t now) override;
    void closed() override { closed_ = true; }
    bool live() const override { return false; }
    void wait(std::chrono::milliseconds) override {}
    void finished(const std::string&) override {}
    void serialise(Archive& archive) override { archive(taken_, results_, closed_); }

private:
    const Script script_;
    std::uint64_t taken_ = 0;
    std::vector<Result> results_;
    bool closed_ = false;
};
static_assert(is_listed<ScriptedHost, 96>);

}  // namespace croftsim
