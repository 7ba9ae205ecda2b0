#pragma once
// The senders of messages and of stolen tasks (`croft run --trace`, `--lines`). If one came through memory, this finds
// the store of another core that the receiver, or the thief, has found. The program's library has named these stores
// and loads (croft/port/handing_over.hpp). Messages of the user network have numbers.
//
// Cores tell of what they do in batches. So sends and receipts are kept until the machine has come to a time before
// which nobody will tell of any. Then receipts are looked at in the order of time. That is enough to find the right
// store. A slot is not written again before its receiver has said that it may be. A place of a deque is not written
// again before the task there has been taken.
//
// Room is bounded: sends and receipts of a stretch of time, and the latest `most` of those that nobody has received.

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "contract/simulation.hpp"
#include "record/code_filter.hpp"
#include "record/execution_log.hpp"

namespace croftsim {

class Handovers {
public:
    enum class By : std::uint8_t { message, task, user_network };
    struct End {
        std::uint32_t core;
        std::uint64_t time;
    };
    // Memory that is allocated: which allocation's it is, by number, and since when.
    struct Tenant {
        std::uint32_t allocation = Lines::nothing;
        std::uint64_t since = 0;
    };
    struct Handed {
        By by;
        std::uint64_t address;     // of nothing in memory by the user network
        std::uint32_t allocation;  // where that was when it was sent
        End from, to;              // two cores
    };
    // Receives all that has been handed over, in the order of receipts.
    using Sink = std::function<void(const Handed&)>;
    // The allocation of an address at a time since the latest order_until().
    using TenantAt = std::function<Tenant(std::uint64_t address, std::uint64_t time)>;

    Handovers(std::uint32_t cores, std::span<const Handover> code, TenantAt tenant_at, Sink sink);

    void accessed(std::uint32_t core, const ExecutionLog::Accessed& access);
    // The core has last taken a task, which it begins.
    void stole(std::uint32_t core, std::uint64_t time) {
        receipts_.push_back({time, time, taken_[core], core, By::task});
    }
    // The two ends of a message of the user network.
    void sent(const End& from, std::uint64_t number) { sends_.push_back({from, numbered | number, By::user_network}); }
    void received(const End& to, std::uint64_t number) {
        receipts_.push_back({to.time, to.time, numbered | number, to.core, By::user_network});
    }
    // Nobody will tell of anything before `time`.
    void order_until(std::uint64_t time);
    // Nobody will tell of anything: who has looked has found what there was.
    void finish();
    // Messages that nobody has been seen to receive.
    std::uint64_t unreceived() const { return unreceived_; }

private:
    static constexpr std::size_t most = 1 << 20;
    static constexpr std::uint64_t numbered = std::uint64_t{1} << 63;  // no address has that bit

    struct Send {
        End from;
        std::uint64_t address;
        By by;
    };
    struct Left {
        std::uint64_t time;
        std::uint32_t core;
        Tenant tenant;
    };
    struct Look {
        std::uint64_t time = 0, address = 0;
    };
    // Of what had been left before `known`, which is when this is looked at in the order of time.
    struct Receipt {
        std::uint64_t time, known, address;
        std::uint32_t core;
        By by;
    };
    void receive(std::uint32_t core, std::uint64_t known);
    void leave(const Send& send);
    void resolve(const Receipt& receipt);
    void forget_older_half();

    std::vector<Handover> code_;  // by where they begin
    CodeFilter filter_;
    const TenantAt tenant_at_;
    const Sink sink_;
    std::vector<Look> looked_;          // by core, the latest
    std::vector<std::uint64_t> taken_;  // by core, where
    std::vector<Send> sends_;
    // By address, in the order of time: messages that nobody has received, and tasks of which the latest counts.
    std::unordered_map<std::uint64_t, std::vector<Left>> left_;
    std::size_t kept_ = 0;  // in left_
    std::vector<Receipt> receipts_;
    std::uint64_t ordered_ = 0, unreceived_ = 0;
};

}  // namespace croftsim
