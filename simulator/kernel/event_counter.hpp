#pragma once
// eventfd: a number that writes add to and reads take.

#include "kernel/open_file.hpp"
#include "kernel/waiting.hpp"

namespace croftsim {

class EventCounter final : public OpenFile {
public:
    static constexpr std::uint64_t most = ~std::uint64_t{0} - 1;

    EventCounter(Waiting& waiting, std::uint32_t flags, std::uint64_t count, bool is_semaphore)
        : OpenFile(flags), waiting_(waiting), count_(count), is_semaphore_(is_semaphore) {}

    std::size_t read(std::span<std::uint8_t> to) override;
    std::size_t write(std::span<const std::uint8_t> from) override;
    std::int64_t seek(std::int64_t, int) override { return 0; }  // as Linux
    struct stat status() const override { return invented_status(0600, invented_numbers + number); }
    std::uint32_t ready() override;
    bool can_be_polled() const override { return true; }
    std::optional<Waits> waits() const override { return Waits::counter; }
    bool takes_messages() const override { return true; }
    std::uint64_t changes(std::uint32_t) override { return changes_; }
    std::uint64_t read_key() const override { return file_keys + number; }
    std::uint64_t write_key() const override { return file_keys + number; }
    Kind kind() const override { return Kind::counter; }
    void serialise(Archive& archive) override { archive(count_, is_semaphore_, changes_); }

private:
    Waiting& waiting_;
    std::uint64_t count_;
    bool is_semaphore_;  // reads take 1
    std::uint64_t changes_ = 0;
};
static_assert(is_listed<EventCounter, 88>);

}  // namespace croftsim
