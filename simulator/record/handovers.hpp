#pragma once
// From whom a message or a stolen task came, where it came through memory (`croft run --trace`): which store of another
// core the thread has found that receives, or steals. What these stores and loads are, the program's library has named
// (croft/port/handing_over.hpp).
//
// Cores tell of what they do in batches. So stores and receipts are kept until the machine has come to a time before
// which nobody will tell of any; receipts are then looked at in the order of time. Nothing else is needed to find the
// right store: a slot is not written again before its receiver has said that it may be, and a place of a deque not
// before the task there has been taken.

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "contract/simulation.hpp"
#include "core/execution_log.hpp"
#include "record/timeline.hpp"

namespace croftsim {

class Handovers {
public:
    Handovers(std::uint32_t cores, std::span<const Handover> code);

    void accessed(std::uint32_t core, const ExecutionLog::Accessed& access);
    // What the core has taken last was a task, which it begins.
    void stole(std::uint32_t core, std::uint64_t time) { receipts_.push_back({time, time, taken_[core], core, true}); }
    // Nobody will tell of anything before `time`.
    void order_until(std::uint64_t time, Timeline& timeline);
    // Nobody will tell of anything: who has looked has found what there was.
    void finish(Timeline& timeline);

private:
    struct Left {
        std::uint64_t time;
        std::uint32_t core;
    };
    struct Look {
        std::uint64_t time = 0, address = 0;
    };
    // Of what had been left before `known`, which is when this is looked at in the order of time.
    struct Receipt {
        std::uint64_t time, known, address;
        std::uint32_t core;
        bool is_task;
    };
    static constexpr std::size_t places = 1 << 14;
    static std::size_t place(std::uint64_t pc) { return pc / 2 % places; }

    void receive(std::uint32_t core, std::uint64_t known);
    void leave(std::uint64_t address, Left last, bool is_task);
    void resolve(const Receipt& receipt, Timeline& timeline);

    std::vector<Handover> code_;         // by where they begin
    std::array<bool, places> may_be_{};  // most instructions are in none, and that is to be seen at once
    std::vector<Look> looked_;           // by core, the latest
    std::vector<std::uint64_t> taken_;   // by core, where
    // By address, in the order of time: messages that nobody has received, and tasks of which the latest counts.
    std::unordered_map<std::uint64_t, std::vector<Left>> left_;
    std::vector<Receipt> receipts_;
    std::uint64_t ordered_ = 0, flows_ = 0;
};

}  // namespace croftsim
