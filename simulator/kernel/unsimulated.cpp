#include "kernel/unsimulated.hpp"

#include "kernel/system.hpp"

namespace croftsim {

std::vector<std::pair<std::string, std::uint64_t>> Unsimulated::list() const {
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const auto& [number, count] : counts_)
        rows.emplace_back(number == nameless ? "calls that Linux lacks" : name_of_system_call(number), count);
    return rows;
}

// Programs ask for much that they can do without: they hear what an older kernel would say.
Result calls::unsimulated(System& system, const Call& call) {
    if (system.options.strict_system_calls)
        throw GuestFault(call.thread.core, "system call " + describe_system_call(call.number) + " is not simulated");
    system.unsimulated.add(name_of_system_call(call.number).empty() ? Unsimulated::nameless : call.number);
    return -ENOSYS;
}

}  // namespace croftsim
