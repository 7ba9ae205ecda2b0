// System calls about limits of what the process may use.

#include "kernel/stacks.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};
constexpr std::uint64_t stack = 3;

System::Limits limits_of(const System& system, std::uint64_t resource) {
    constexpr std::uint64_t core_file = 4, files = 7, locked = 8, last = 15;
    if (resource > last) throw Errno{EINVAL};
    if (const auto it = system.limits.find(resource); it != system.limits.end()) return it->second;
    switch (resource) {
        case stack:
            return {System::stack_bytes, unlimited};
        case core_file:
            return {0, 0};
        case files:
            return {Files::limit, Files::limit};
        case locked:
            return {System::memory_bytes, System::memory_bytes};
        default:
            return {unlimited, unlimited};
    }
}

// The stack's limit is honoured. The others are remembered, and what is below the machine's own limits stops nobody.
void set_limits(System& system, std::uint64_t resource, const System::Limits& wanted) {
    const auto [soft, hard] = wanted;
    if (soft > hard) throw Errno{EINVAL};
    if (hard > limits_of(system, resource)[1]) throw Errno{EPERM};
    if (resource == stack && !grow_stack(system, soft)) throw Errno{ENOMEM};
    system.limits[resource] = wanted;
}

}  // namespace

namespace calls {

Result getrlimit(System& system, const Call& call) {
    system.user.put(call.a[1], limits_of(system, static_cast<std::uint32_t>(call.a[0])));
    return 0;
}

Result setrlimit(System& system, const Call& call) {
    const auto resource = static_cast<std::uint32_t>(call.a[0]);
    limits_of(system, resource);
    set_limits(system, resource, system.user.get<System::Limits>(call.a[1]));
    return 0;
}

Result prlimit64(System& system, const Call& call) {
    if (call.a[0] != 0 && call.a[0] != System::process) return -ESRCH;
    const auto resource = static_cast<std::uint32_t>(call.a[1]);
    const System::Limits before = limits_of(system, resource);
    if (call.a[3]) system.user.check(call.a[3], sizeof before, Permission::write);
    if (call.a[2]) set_limits(system, resource, system.user.get<System::Limits>(call.a[2]));
    if (call.a[3]) system.user.put(call.a[3], before);
    return 0;
}

}  // namespace calls
}  // namespace croftsim
