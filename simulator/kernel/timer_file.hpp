#pragma once
// A descriptor of a timer. A read takes the number of times that it has run out since the one before.

#include "kernel/open_file.hpp"
#include "kernel/waitables.hpp"

namespace croftsim {

class TimerFile final : public OpenFile {
public:
    TimerFile(Waitables& waitables, std::uint32_t flags, std::uint64_t timer)
        : OpenFile(flags), waitables_(waitables), timer_(timer) {}
    ~TimerFile() override { waitables_.timers.remove(timer_); }

    std::size_t read(std::span<std::uint8_t> to) override;
    std::size_t write(std::span<const std::uint8_t>) override { throw Errno{EINVAL}; }
    std::int64_t seek(std::int64_t, int) override { return 0; }  // as Linux
    struct stat status() const override { return invented_status(0600, invented_numbers + timer_); }
    std::uint32_t ready() override { return untaken() ? abi::poll_in : 0; }
    bool can_be_polled() const override { return true; }
    std::optional<Waits> waits() const override { return Waits::timer; }
    std::uint64_t changes(std::uint32_t) override;
    void tell_each_change() override { timer().tells_each = true; }
    Kind kind() const override { return Kind::timer; }
    void serialise(Archive& archive) override;

    Timers::Timer& timer() const { return waitables_.timers[timer_]; }

private:
    std::uint64_t untaken() const;

    Waitables& waitables_;
    std::uint64_t timer_;
};
static_assert(is_listed<TimerFile, 72>);

}  // namespace croftsim
