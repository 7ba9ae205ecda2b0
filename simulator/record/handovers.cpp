#include "record/handovers.hpp"

#include <algorithm>
#include <utility>

#include "contract/time.hpp"

namespace croftsim {
namespace {

// Neither the user network nor interrupts number their flows so.
constexpr std::uint64_t through_memory = std::uint64_t{3} << 62;

}  // namespace

Handovers::Handovers(std::uint32_t cores, std::span<const Handover> code)
    : code_(code.begin(), code.end()), looked_(cores), taken_(cores) {
    std::sort(code_.begin(), code_.end(), [](const Handover& a, const Handover& b) { return a.begin < b.begin; });
    for (const Handover& one : code_)
        for (std::uint64_t pc = one.begin; pc < one.end; pc += 2) may_be_[place(pc)] = true;
}

void Handovers::accessed(std::uint32_t core, const ExecutionLog::Accessed& access) {
    if (!may_be_[place(access.pc)]) return;
    const auto behind = std::upper_bound(code_.begin(), code_.end(), access.pc,
                                         [](std::uint64_t pc, const Handover& one) { return pc < one.begin; });
    if (behind == code_.begin() || access.pc >= (behind - 1)->end) return;
    const bool writes = access.kind == ExecutionLog::Kind::store || access.kind == ExecutionLog::Kind::atomic;
    switch ((behind - 1)->kind) {
        case Handover::send:
            if (!writes) return;
            receive(core, access.time);  // an answer
            return leave(access.address, {access.time, core}, false);
        case Handover::leave:
            if (writes) leave(access.address, {access.time, core}, true);
            return;
        case Handover::look:
            looked_[core] = {access.time, access.address};
            return;
        case Handover::receive:
            looked_[core] = {access.time, access.address};
            return receive(core, access.time);
        case Handover::note:
            looked_[core].time = access.time;
            return receive(core, access.time);
        case Handover::take:
            taken_[core] = access.address;
            return;
    }
}

void Handovers::receive(std::uint32_t core, std::uint64_t known) {
    const Look look = std::exchange(looked_[core], {});
    if (look.address) receipts_.push_back({look.time, known, look.address, core, false});
}

void Handovers::leave(std::uint64_t address, Left last, bool is_task) {
    std::vector<Left>& here = left_[address];
    // Of tasks that had come to that place before any receipt that is still to be looked at, the latest alone matters.
    if (is_task)
        while (here.size() > 1 && here[1].time < ordered_) here.erase(here.begin());
    here.push_back(last);
}

void Handovers::order_until(std::uint64_t time, Timeline& timeline) {
    ordered_ = time;
    const auto later = std::stable_partition(receipts_.begin(), receipts_.end(),
                                             [time](const Receipt& receipt) { return receipt.known < time; });
    std::sort(receipts_.begin(), later, [](const Receipt& a, const Receipt& b) {
        return std::pair(a.known, a.core) < std::pair(b.known, b.core);
    });
    for (auto receipt = receipts_.begin(); receipt != later; ++receipt) resolve(*receipt, timeline);
    receipts_.erase(receipts_.begin(), later);
}

void Handovers::finish(Timeline& timeline) {
    for (std::uint32_t core = 0; core < looked_.size(); ++core) receive(core, never - 1);
    order_until(never, timeline);
}

void Handovers::resolve(const Receipt& receipt, Timeline& timeline) {
    const auto found = left_.find(receipt.address);
    if (found == left_.end()) return;
    std::vector<Left>& here = found->second;
    const auto later =
        std::find_if(here.begin(), here.end(), [&](const Left& one) { return one.time >= receipt.known; });
    const auto first = receipt.is_task && later != here.begin() ? later - 1 : here.begin();
    const auto from = receipt.is_task ? Trace::handed_over : Trace::sent;
    const auto to = receipt.is_task ? Trace::stolen : Trace::received;
    for (auto one = first; one != later; ++one)
        if (one->core != receipt.core)
            timeline.flow({one->core, from, one->time}, {receipt.core, to, std::max(receipt.time, one->time)},
                          through_memory | ++flows_);
    here.erase(here.begin(), later);
}

}  // namespace croftsim
