#include <climits>

#include "kernel/interest_list.hpp"
#include "kernel/poll_calls.hpp"

namespace croftsim {
namespace {

InterestList& list_of(System& system, const Call& call) {
    auto* list = dynamic_cast<InterestList*>(&system.files.get(static_cast<std::int32_t>(call.a[0])));
    if (!list) throw Errno{EINVAL};
    return *list;
}

Result take(System& system, const Call& call, std::uint64_t deadline) {
    const auto most = static_cast<std::int32_t>(call.a[2]);
    constexpr auto size = static_cast<std::int32_t>(sizeof(InterestList::Event));
    if (most <= 0 || most > INT_MAX / size) return -EINVAL;
    InterestList& list = list_of(system, call);
    // Linux fails when it writes there, and nothing that was ready is lost.
    system.user.check(call.a[1], sizeof(InterestList::Event), Permission::write);
    const std::uint64_t room =
        system.user.accessible(call.a[1], static_cast<std::uint64_t>(most) * size, Permission::write);
    const std::vector<InterestList::Event> events = list.take(room / size);
    if (events.empty() && deadline > system.machine.now()) return system.wait(call, Waits::files, deadline, 0);
    if (!events.empty()) system.learn_from(call, file_keys + list.number);
    system.user.write(call.a[1], {reinterpret_cast<const std::uint8_t*>(events.data()), events.size() * size});
    return static_cast<std::int64_t>(events.size());
}

}  // namespace

namespace calls {

Result epoll_create1(System& system, const Call& call) {
    if (call.a[0] & ~std::uint64_t{abi::o_close_on_exec}) return -EINVAL;
    return system.files.add(std::make_shared<InterestList>(system.files, abi::o_read_write),
                            call.a[0] & abi::o_close_on_exec);
}

Result epoll_ctl(System& system, const Call& call) {
    enum : std::uint32_t { add = 1, remove = 2, change = 3 };
    const auto operation = static_cast<std::uint32_t>(call.a[1]);
    const auto fd = static_cast<std::int32_t>(call.a[2]);
    InterestList::Event event;
    if (operation != remove) event = system.user.get<InterestList::Event>(call.a[3]);
    system.files.get(static_cast<std::int32_t>(call.a[0]));
    OpenFile& file = system.files.get(fd);
    if (!file.can_be_polled()) return -EPERM;
    InterestList& list = list_of(system, call);
    if (&list == &file) return -EINVAL;
    event.events &= ~InterestList::wakes_up;
    system.teach(file_keys + list.number);
    switch (operation) {
        case add:
            list.add(fd, file, event);
            break;
        case remove:
            list.remove(fd, file);
            break;
        case change:
            list.change(fd, file, event);
            break;
        default:
            return -EINVAL;
    }
    system.waitables.waiting.changed();
    return 0;
}

Result epoll_pwait(System& system, const Call& call) {
    if (call.a[4] && call.a[5] != sizeof(SignalSet)) return -EINVAL;
    system.mask_signals_for(call, call.a[4]);
    const auto timeout = static_cast<std::int32_t>(call.a[3]);  // in ms
    constexpr std::uint64_t millisecond = 1'000'000;
    return take(
        system, call,
        system.deadline_of(call, timeout < 0 ? Clock::never : static_cast<std::uint64_t>(timeout) * millisecond));
}

Result epoll_pwait2(System& system, const Call& call) {
    if (call.a[4] && call.a[5] != sizeof(SignalSet)) return -EINVAL;
    system.mask_signals_for(call, call.a[4]);
    return take(system, call, deadline_at(system, call, call.a[3]));
}

}  // namespace calls
}  // namespace croftsim
