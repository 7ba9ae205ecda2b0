// croft's own system calls for the link to a host (docs/instructions.md, device/host_link.hpp).

#include "kernel/system.hpp"

namespace croftsim {
namespace {

const HostLinkDescription& description(const System& system, const Call& call) {
    const HostLinkDescription* found = system.machine.host_link();
    if (!found)
        throw GuestFault(call.thread.core,
                         "the program opens a link to a host, and this machine has none: its file has no [host_link]");
    if (!system.options.host)
        throw GuestFault(call.thread.core,
                         "the program opens the link to a host, and no host is at its other end: offload to it with "
                         "croft.Accelerator, or run it with a host script");
    return *found;
}

HostLink& link(System& system) {
    if (!system.link) throw Errno{ENOTCONN};
    return *system.link;
}

Result or_wait(System& system, const Call& call, std::optional<std::int64_t> got) {
    if (!got) {
        system.threads.block(call.thread, Wait::host, 0, Threads::never);
        return blocked;
    }
    return *got == HostLink::end_of_stream ? -ENODATA : *got;
}

}  // namespace

namespace calls {

Result croft_link_slots(System& system, const Call& call) {
    const std::uint64_t bytes = description(system, call).slot;
    const HostSide::Slots slots = system.options.host->slots();
    return static_cast<std::int64_t>(bytes << 32 | slots.input << 16 | slots.output);
}

Result croft_link_open(System& system, const Call& call) {
    const HostLinkDescription& wire = description(system, call);
    const std::uint64_t address = call.a[0], input = call.a[1], output = call.a[2];
    if (system.link) return -EBUSY;
    if (address % AddressSpace::page_bytes || input == 0 || output == 0 || input > HostLink::most_slots ||
        output > HostLink::most_slots)
        return -EINVAL;
    system.user.check(address, (input + output) * wire.slot, Permission::read | Permission::write);
    const HostSide::Slots slots{static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(output)};
    system.link.emplace(system.machine, wire, *system.options.host, address, slots);
    return 0;
}

Result croft_link_receive(System& system, const Call& call) {
    return or_wait(system, call, link(system).receive(call.thread.id));
}

Result croft_link_release(System& system, const Call& call) { return link(system).release(call.a[0]) ? 0 : -EINVAL; }

Result croft_link_acquire(System& system, const Call& call) {
    return or_wait(system, call, link(system).acquire(call.thread.id));
}

Result croft_link_send(System& system, const Call& call) {
    if (link(system).is_closed()) return -ENOTCONN;
    return link(system).send(call.a[0], call.a[1]) ? 0 : -EINVAL;
}

Result croft_link_close(System& system, const Call& call) {
    if (call.a[0]) {
        link(system).abandon();
        return 0;
    }
    return or_wait(system, call, link(system).close(call.thread.id));
}

}  // namespace calls
}  // namespace croftsim
