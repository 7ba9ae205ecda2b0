// System calls about whom the process belongs to: users, groups, sessions, capabilities. There is one process. It leads
// its group and its session, has the one user, and may do nothing that takes a capability.

#include "kernel/system.hpp"

namespace croftsim {
namespace {

constexpr auto unchanged = static_cast<std::uint32_t>(-1);

void check_is_process(std::uint64_t id) {
    if (id != 0 && static_cast<std::uint32_t>(id) != System::process) throw Errno{ESRCH};
}

// Each of the first `count` arguments names the user that there is, or leaves one as it is.
Result keep_user(const Call& call, int count, bool may_be_unchanged) {
    for (int i = 0; i < count; ++i) {
        const auto id = static_cast<std::uint32_t>(call.a[i]);
        if (id == unchanged && !may_be_unchanged) return -EINVAL;
        if (id != System::user_id && id != unchanged) return -EPERM;
    }
    return 0;
}

struct CapabilityHeader {
    std::uint32_t version;
    std::int32_t process;
};

// How many sets of 32 capabilities a program of that version has. For another version the kernel names its own.
std::uint64_t capability_sets(System& system, std::uint64_t address, CapabilityHeader& header) {
    header = system.user.get<CapabilityHeader>(address);
    if (header.version == 0x19980330) return 1;
    if (header.version == 0x20071026 || header.version == 0x20080522) return 2;
    system.user.put(address, std::uint32_t{0x20080522});
    return 0;
}

}  // namespace

namespace calls {

Result getpgid(System&, const Call& call) {
    check_is_process(call.a[0]);
    return System::process;
}

Result setpgid(System&, const Call& call) {
    if (static_cast<std::int32_t>(call.a[1]) < 0) return -EINVAL;
    check_is_process(call.a[0]);
    return -EPERM;  // it leads its session
}

Result setsid(System&, const Call&) { return -EPERM; }  // it leads its group

Result setuid(System&, const Call& call) { return keep_user(call, 1, false); }
Result setreuid(System&, const Call& call) { return keep_user(call, 2, true); }
Result setresuid(System&, const Call& call) { return keep_user(call, 3, true); }
Result setfsuid(System&, const Call&) { return System::user_id; }  // which it is, whatever was asked for

Result capget(System& system, const Call& call) {
    CapabilityHeader header{};
    const std::uint64_t sets = capability_sets(system, call.a[0], header);
    if (sets == 0) return call.a[1] ? -EINVAL : 0;
    if (header.process < 0) return -EINVAL;
    check_is_process(static_cast<std::uint64_t>(header.process));
    if (!call.a[1]) return 0;
    for (std::uint64_t i = 0; i < sets; ++i)
        system.user.put(call.a[1] + i * 12, std::array<std::uint32_t, 3>{});  // effective, permitted, inheritable
    return 0;
}

Result capset(System& system, const Call& call) {
    CapabilityHeader header{};
    const std::uint64_t sets = capability_sets(system, call.a[0], header);
    if (sets == 0) return -EINVAL;
    if (header.process != 0 && header.process != static_cast<std::int32_t>(System::process)) return -EPERM;
    for (std::uint64_t i = 0; i < sets; ++i)
        if (system.user.get<std::array<std::uint32_t, 3>>(call.a[1] + i * 12) != std::array<std::uint32_t, 3>{})
            return -EPERM;
    return 0;
}

}  // namespace calls
}  // namespace croftsim
