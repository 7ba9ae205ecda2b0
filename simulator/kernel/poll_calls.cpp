// poll and select.

#include "kernel/poll_calls.hpp"

#include <algorithm>

namespace croftsim {

std::uint64_t deadline_at(System& system, const Call& call, std::uint64_t address) {
    if (call.waiter) return call.thread.deadline;
    return address ? system.after(system.user.get<abi::Time>(address)) : Clock::never;
}

void tell_time_left(System& system, std::uint64_t address, std::uint64_t deadline) {
    if (!address || deadline == Clock::never) return;
    const std::uint64_t now = system.machine.now();
    const abi::Time left = as_time(system.clock.nanoseconds(deadline > now ? deadline - now : 0));
    if (system.user.accessible(address, sizeof left, Permission::write) == sizeof left) system.user.put(address, left);
}

namespace {

struct PollEntry {
    std::int32_t fd;
    std::int16_t events, revents;
};

// The three sets of select, as words of 64 descriptors.
class Sets {
public:
    Sets(System& system, const Call& call, std::uint32_t descriptors)
        : system_(system), call_(call), words_((descriptors + 63) / 64) {
        for (std::size_t set = 0; set < wanted_.size(); ++set) {
            wanted_[set].resize(words_);
            found_[set].resize(words_);
            if (call.a[1 + set]) system.user.read(call.a[1 + set], bytes_of(wanted_[set]));
        }
    }

    bool wants(std::size_t set, std::uint32_t fd) const { return wanted_[set][fd / 64] >> fd % 64 & 1; }
    void find(std::size_t set, std::uint32_t fd) { found_[set][fd / 64] |= std::uint64_t{1} << fd % 64; }
    void write() {
        for (std::size_t set = 0; set < found_.size(); ++set)
            if (call_.a[1 + set]) system_.user.write(call_.a[1 + set], bytes_of(found_[set]));
    }

private:
    static std::span<std::uint8_t> bytes_of(std::vector<std::uint64_t>& words) {
        return {reinterpret_cast<std::uint8_t*>(words.data()), words.size() * 8};
    }

    System& system_;
    const Call& call_;
    std::size_t words_;
    std::array<std::vector<std::uint64_t>, 3> wanted_, found_;
};

}  // namespace

namespace calls {

Result ppoll(System& system, const Call& call) {
    const auto [address, count, timeout, mask, mask_bytes, unused] = call.a;
    if (count > Files::limit) return -EINVAL;
    if (mask && mask_bytes != sizeof(SignalSet)) return -EINVAL;
    std::vector<PollEntry> entries(count);
    system.user.read(address, {reinterpret_cast<std::uint8_t*>(entries.data()), count * sizeof(PollEntry)});
    const std::uint64_t deadline = deadline_at(system, call, timeout);
    system.mask_signals_for(call, mask);
    std::int64_t ready = 0;
    bool waits_for_files = false;
    for (PollEntry& entry : entries) {
        entry.revents = 0;
        if (entry.fd < 0) continue;
        waits_for_files = true;
        const auto wanted = static_cast<std::uint16_t>(entry.events) | abi::poll_error | abi::poll_hang_up;
        const std::uint32_t found =
            system.files.is_open(entry.fd) ? system.files.get(entry.fd).ready() & wanted : abi::poll_invalid;
        entry.revents = static_cast<std::int16_t>(found);
        ready += found != 0;
    }
    if (ready == 0 && deadline > system.machine.now())
        return system.wait(call, waits_for_files ? Waits::files : Waits::time, deadline, 0);
    for (std::uint64_t i = 0; i < count; ++i)
        system.user.put(address + i * sizeof(PollEntry) + offsetof(PollEntry, revents), entries[i].revents);
    tell_time_left(system, timeout, deadline);
    return ready;
}

Result pselect6(System& system, const Call& call) {
    constexpr std::uint32_t found_in[] = {abi::poll_reads | abi::poll_read_band | abi::poll_hang_up | abi::poll_error,
                                          abi::poll_writes | abi::poll_write_band | abi::poll_error, abi::poll_urgent};
    const auto count = static_cast<std::int32_t>(call.a[0]);
    if (count < 0) return -EINVAL;
    const std::uint32_t descriptors = std::min<std::uint32_t>(static_cast<std::uint32_t>(count), Files::limit);
    const std::uint64_t deadline = deadline_at(system, call, call.a[4]);
    Sets sets(system, call, descriptors);
    struct Mask {
        std::uint64_t address, bytes;
    };
    const auto mask = call.a[5] ? system.user.get<Mask>(call.a[5]) : Mask{};
    if (mask.address && mask.bytes != sizeof(SignalSet)) return -EINVAL;
    system.mask_signals_for(call, mask.address);
    std::int64_t ready = 0;
    bool waits_for_files = false;
    for (std::uint32_t fd = 0; fd < descriptors; ++fd)
        for (std::size_t set = 0; set < std::size(found_in); ++set) {
            if (!sets.wants(set, fd)) continue;
            waits_for_files = true;
            if (!(system.files.get(static_cast<std::int32_t>(fd)).ready() & found_in[set])) continue;
            sets.find(set, fd);
            ++ready;
        }
    if (ready == 0 && deadline > system.machine.now())
        return system.wait(call, waits_for_files ? Waits::files : Waits::time, deadline, 0);
    sets.write();
    tell_time_left(system, call.a[4], deadline);
    return ready;
}

}  // namespace calls
}  // namespace croftsim
