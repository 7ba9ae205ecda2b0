#include "record/handovers.hpp"

#include <algorithm>
#include <utility>

#include "base/time.hpp"

namespace croftsim {

Handovers::Handovers(std::uint32_t cores, std::span<const Handover> code, TenantAt tenant_at, Sink sink)
    : code_(code.begin(), code.end()),
      tenant_at_(std::move(tenant_at)),
      sink_(std::move(sink)),
      looked_(cores),
      taken_(cores) {
    std::sort(code_.begin(), code_.end(), [](const Handover& a, const Handover& b) { return a.begin < b.begin; });
    for (const Handover& one : code_)
        for (std::uint64_t pc = one.begin; pc < one.end; pc += 2) filter_.add(pc);
}

void Handovers::accessed(std::uint32_t core, const ExecutionLog::Accessed& access) {
    if (!filter_.may_have(access.pc)) return;
    const auto behind = std::upper_bound(code_.begin(), code_.end(), access.pc,
                                         [](std::uint64_t pc, const Handover& one) { return pc < one.begin; });
    if (behind == code_.begin() || access.pc >= (behind - 1)->end) return;
    const bool writes = access.kind == ExecutionLog::Kind::store || access.kind == ExecutionLog::Kind::atomic;
    switch ((behind - 1)->kind) {
        case Handover::send:
            if (!writes) return;
            receive(core, access.time);  // an answer
            sends_.push_back({{core, access.time}, access.address, By::message});
            return;
        case Handover::leave:
            if (writes) sends_.push_back({{core, access.time}, access.address, By::task});
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
    if (look.address) receipts_.push_back({look.time, known, look.address, core, By::message});
}

void Handovers::leave(const Send& send) {
    std::vector<Left>& here = left_[send.address];
    // Only the latest of the tasks matters that had come to that place before any receipt that is still to be looked
    // at.
    if (send.by == By::task)
        while (here.size() > 1 && here[1].time < ordered_) {
            here.erase(here.begin());
            --kept_;
        }
    else
        ++unreceived_;
    const Tenant tenant = send.by == By::message ? tenant_at_(send.address, send.from.time) : Tenant{};
    here.push_back({send.from.time, send.from.core, tenant});
    if (++kept_ > most) forget_older_half();
}

// What is left where nobody looks stays: nothing says that nobody ever will.
void Handovers::forget_older_half() {
    std::vector<std::uint64_t> times;
    for (const auto& [address, here] : left_)
        for (const Left& one : here) times.push_back(one.time);
    const auto half = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), half, times.end());
    for (auto entry = left_.begin(); entry != left_.end();) {
        kept_ -= std::erase_if(entry->second, [&](const Left& one) { return one.time < *half; });
        entry = entry->second.empty() ? left_.erase(entry) : std::next(entry);
    }
}

void Handovers::order_until(std::uint64_t time) {
    const auto not_yet =
        std::stable_partition(sends_.begin(), sends_.end(), [time](const Send& send) { return send.from.time < time; });
    std::stable_sort(sends_.begin(), not_yet, [](const Send& a, const Send& b) {
        return std::pair(a.from.time, a.from.core) < std::pair(b.from.time, b.from.core);
    });
    for (auto send = sends_.begin(); send != not_yet; ++send) leave(*send);
    sends_.erase(sends_.begin(), not_yet);

    ordered_ = time;
    const auto later = std::stable_partition(receipts_.begin(), receipts_.end(),
                                             [time](const Receipt& receipt) { return receipt.known < time; });
    std::stable_sort(receipts_.begin(), later, [](const Receipt& a, const Receipt& b) {
        return std::pair(a.known, a.core) < std::pair(b.known, b.core);
    });
    for (auto receipt = receipts_.begin(); receipt != later; ++receipt) resolve(*receipt);
    receipts_.erase(receipts_.begin(), later);
}

void Handovers::finish() {
    for (std::uint32_t core = 0; core < looked_.size(); ++core) receive(core, never - 1);
    order_until(never);
}

void Handovers::resolve(const Receipt& receipt) {
    const auto found = left_.find(receipt.address);
    if (found == left_.end()) return;
    std::vector<Left>& here = found->second;
    const auto later =
        std::find_if(here.begin(), here.end(), [&](const Left& one) { return one.time >= receipt.known; });
    const bool is_task = receipt.by == By::task;
    const auto first = is_task && later != here.begin() ? later - 1 : here.begin();
    // If memory has been allocated anew since then, nobody receives any more what was left there.
    const std::uint64_t since = later == here.begin() ? 0 : (later - 1)->tenant.since;
    for (auto one = first; one != later; ++one)
        if (one->core != receipt.core && one->time >= since)
            sink_({receipt.by,
                   receipt.address,
                   one->tenant.allocation,
                   {one->core, one->time},
                   {receipt.core, std::max(receipt.time, one->time)}});
    const auto gone = static_cast<std::size_t>(later - here.begin());
    kept_ -= gone;
    if (!is_task) unreceived_ -= gone;
    here.erase(here.begin(), later);
    if (here.empty()) left_.erase(found);
}

}  // namespace croftsim
