// The window's way to the L1, which may take so many accesses a cycle, and be blocked.

#include <algorithm>

#include "contract/asynchronous_loads.hpp"
#include "core/core.hpp"
#include "core/out_of_order.hpp"

namespace croftsim {

// Whether the L1 takes the load in that cycle. If not, the load comes again.
bool OutOfOrder::goes_to_l1(MemoryOperation& operation, std::uint64_t place, std::uint64_t time) {
    const bool taken = is_taken(time);
    if (port_blocked_ || (!taken && blocks_ && blocks_port(operation.address, operation.size))) {
        wait(operation, Wait::port);
        return false;
    }
    if (taken) {
        if (noted_) note_look(operation, place, time);
        issue_again(operation, place, time + 2);
        return false;
    }
    take_port(time);
    return true;
}

void OutOfOrder::issue_again(MemoryOperation& operation, std::uint64_t place, std::uint64_t earliest) {
    InFlight& entry = entry_of(operation.sequence);
    entry.issues = slots_.take(IssueUnit::memory, earliest);
    events_.push({entry.issues, operation.age, place});
}

// Whether the access cannot go to the L1 because of another to its line, and with it no other access from now on.
bool OutOfOrder::blocks_port(std::uint64_t address, unsigned size) {
    const auto awaits = [&](std::uint64_t at) { return under_way_ && loads_.awaits(line_of(at)); };
    port_blocked_ = port_blocked_ || is_asked_for(address, size) || awaits(address) || awaits(address + size - 1);
    return port_blocked_;
}

bool OutOfOrder::is_asked_for(std::uint64_t address, unsigned size) const {
    const auto asked = [&](std::uint64_t line) { return std::ranges::find(asked_for_, line) != asked_for_.end(); };
    return asked(line_of(address)) || asked(line_of(address + size - 1));
}

}  // namespace croftsim
