// croft's own system calls: where a page's lines are homed, which memory controller holds it, which lines' requests are
// counted, and when everything is (docs/instructions.md).

#include "kernel/system.hpp"

namespace croftsim {
namespace {

// 0, or the negative number of the error.
std::int64_t refusal(const System& system, const Call& call) {
    const std::uint64_t address = call.a[0], bytes = call.a[1];
    if (address % page || bytes % page || bytes == 0 || address > AddressSpace::limit ||
        bytes > AddressSpace::limit - address)
        return -EINVAL;
    return system.memory.allows(address, bytes, Permission::none) ? 0 : -ENOMEM;
}

}  // namespace

namespace calls {

Result croft_set_home(System& system, const Call& call) {
    if (const auto error = refusal(system, call)) return error;
    std::uint16_t home = 0;
    switch (const auto wanted = static_cast<std::int64_t>(call.a[2])) {
        case -1:
            home = Page::default_home;
            break;
        case -2:
            home = Page::hashed;
            break;
        case -3:
            home = Page::round_robin;
            break;
        case -4:
            home = Page::incoherent;
            break;
        default:
            if (wanted < 0 || wanted >= static_cast<std::int64_t>(system.machine.tiles())) return -EINVAL;
            home = static_cast<std::uint16_t>(system.machine.tile_of(static_cast<std::uint64_t>(wanted)));
    }
    system.machine.address_space_changes(call.a[0], call.a[1], false);
    system.memory.set_home(call.a[0], call.a[1], home);
    return 0;
}

Result croft_set_controller(System& system, const Call& call) {
    if (const auto error = refusal(system, call)) return error;
    const auto wanted = static_cast<std::int64_t>(call.a[2]);
    if (wanted < -1 || wanted >= static_cast<std::int64_t>(system.machine.controllers())) return -EINVAL;
    if (system.machine.controllers_have_homes()) system.machine.address_space_changes(call.a[0], call.a[1], false);
    system.memory.set_controller(call.a[0], call.a[1], wanted < 0 ? Page::striped : static_cast<std::uint8_t>(wanted));
    return 0;
}

Result croft_count_requests(System& system, const Call& call) {
    if (call.a[1] == 0 || call.a[0] > AddressSpace::limit || call.a[1] > AddressSpace::limit - call.a[0])
        return -EINVAL;
    if (!system.memory.allows(call.a[0], call.a[1], Permission::none)) return -ENOMEM;
    system.machine.count_requests(call.a[0], call.a[1]);
    return 0;
}

Result croft_begin_region(System& system, const Call&) { return system.machine.begin_region() ? 0 : -EBUSY; }
Result croft_end_region(System& system, const Call&) { return system.machine.end_region() ? 0 : -EINVAL; }

}  // namespace calls
}  // namespace croftsim
