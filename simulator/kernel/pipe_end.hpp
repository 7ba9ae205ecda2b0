#pragma once
// A descriptor's end of a pipe.

#include "kernel/open_file.hpp"
#include "kernel/waitables.hpp"

namespace croftsim {

// It reads or writes, as its flags say.
class PipeEnd final : public OpenFile {
public:
    PipeEnd(Waitables& waitables, std::uint32_t flags, std::uint64_t pipe)
        : OpenFile(flags), waitables_(waitables), pipe_(pipe) {}
    ~PipeEnd() override;

    std::size_t read(std::span<std::uint8_t> to) override;
    std::size_t write(std::span<const std::uint8_t> from) override;
    struct stat status() const override { return invented_status(S_IFIFO | 0600, invented_numbers + pipe_); }
    std::uint32_t ready() override;
    bool can_be_polled() const override { return true; }
    std::optional<Waits> waits() const override { return Waits::pipe; }
    std::uint64_t changes(std::uint32_t) override { return may_read() ? pipe().reader_changes : pipe().writer_changes; }
    std::uint64_t readable_bytes() override { return pipe().size(); }
    std::uint64_t read_key() const override { return pipe_; }
    std::uint64_t write_key() const override { return pipe_; }
    Kind kind() const override { return Kind::pipe; }
    void serialise(Archive& archive) override;

    Pipe& pipe() const { return waitables_.pipes.at(pipe_); }

private:
    Waitables& waitables_;
    std::uint64_t pipe_;
};
static_assert(is_listed<PipeEnd, 72>);

}  // namespace croftsim
