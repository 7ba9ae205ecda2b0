// System calls about how a thread is scheduled, in the form of struct sched_attr: every thread is as SCHED_OTHER has
// it.

#include <algorithm>
#include <span>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

struct SchedulingAttributes {  // struct sched_attr
    static constexpr std::uint32_t least = 48;
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
    std::uint32_t least_use, most_use;
};
static_assert(sizeof(SchedulingAttributes) == 56);

void check_thread(System& system, std::uint64_t id) {
    const auto number = static_cast<std::int32_t>(id);
    if (number < 0) throw Errno{EINVAL};
    if (number > 0 && !system.threads.find(static_cast<std::uint32_t>(number))) throw Errno{ESRCH};
}

}  // namespace

namespace calls {

Result sched_getattr(System& system, const Call& call) {
    if (!call.a[1] || call.a[2] < SchedulingAttributes::least || call.a[2] > page || call.a[3]) return -EINVAL;
    check_thread(system, call.a[0]);
    SchedulingAttributes attributes{};
    attributes.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(call.a[2], sizeof attributes));
    system.user.write(call.a[1], {reinterpret_cast<const std::uint8_t*>(&attributes), attributes.size});
    return 0;
}

Result sched_setattr(System& system, const Call& call) {
    if (!call.a[1] || call.a[2]) return -EINVAL;
    std::uint32_t size = system.user.get<std::uint32_t>(call.a[1]);
    if (size == 0) size = SchedulingAttributes::least;
    if (size < SchedulingAttributes::least || size > page) {
        system.user.put(call.a[1], std::uint32_t{sizeof(SchedulingAttributes)});
        return -E2BIG;
    }
    SchedulingAttributes wanted{};
    const std::uint64_t known = std::min<std::uint64_t>(size, sizeof wanted);
    system.user.read(call.a[1], std::span(reinterpret_cast<std::uint8_t*>(&wanted), known));
    check_thread(system, call.a[0]);
    constexpr std::uint32_t batch = 3, idle = 5, last = 6;
    if (wanted.policy > last || wanted.policy == 4) return -EINVAL;
    const bool is_usual = wanted.policy == 0 || wanted.policy == batch || wanted.policy == idle;
    if (is_usual && wanted.priority != 0) return -EINVAL;
    return is_usual && wanted.nice >= 0 ? 0 : -EPERM;
}

// 0: a thread keeps its core for as long as it likes.
Result sched_rr_get_interval(System& system, const Call& call) {
    check_thread(system, call.a[0]);
    system.user.put(call.a[1], abi::Time{});
    return 0;
}

}  // namespace calls
}  // namespace croftsim
