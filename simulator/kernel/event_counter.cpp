#include "kernel/event_counter.hpp"

#include <cstring>

#include "kernel/system.hpp"

namespace croftsim {

std::size_t EventCounter::read(std::span<std::uint8_t> to) {
    if (to.size() < sizeof count_) throw Errno{EINVAL};
    if (count_ == 0) throw Errno{EAGAIN};
    const std::uint64_t taken = is_semaphore_ ? 1 : count_;
    count_ -= taken;
    std::memcpy(to.data(), &taken, sizeof taken);
    ++changes_;
    waiting_.changed();
    return sizeof taken;
}

std::size_t EventCounter::write(std::span<const std::uint8_t> from) {
    std::uint64_t added = 0;
    if (from.size() < sizeof added) throw Errno{EINVAL};
    std::memcpy(&added, from.data(), sizeof added);
    if (added > most) throw Errno{EINVAL};
    if (added > most - count_) throw Errno{EAGAIN};
    count_ += added;
    ++changes_;
    waiting_.changed();
    return sizeof added;
}

std::uint32_t EventCounter::ready() { return (count_ > 0 ? abi::poll_in : 0) | (count_ < most ? abi::poll_out : 0); }

Result calls::eventfd2(System& system, const Call& call) {
    constexpr std::uint64_t semaphore = 1;
    if (call.a[1] & ~(semaphore | abi::o_nonblock | abi::o_close_on_exec)) return -EINVAL;
    const auto flags = abi::o_read_write | static_cast<std::uint32_t>(call.a[1] & abi::o_nonblock);
    return system.files.add(
        std::make_shared<EventCounter>(system.waitables.waiting, flags, static_cast<std::uint32_t>(call.a[0]),
                                       call.a[1] & semaphore),
        call.a[1] & abi::o_close_on_exec);
}

}  // namespace croftsim
