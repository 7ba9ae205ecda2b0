#include "kernel/pipe_end.hpp"

#include "kernel/system.hpp"

namespace croftsim {

PipeEnd::~PipeEnd() {
    const auto it = waitables_.pipes.find(pipe_);
    if (it == waitables_.pipes.end()) return;  // it was to be read from a checkpoint that is damaged
    Pipe& shared = it->second;
    (may_read() ? shared.has_reader : shared.has_writer) = false;
    ++(may_read() ? shared.writer_changes : shared.reader_changes);
    if (!shared.has_reader && !shared.has_writer) waitables_.pipes.erase(it);
    waitables_.waiting.changed();
}

void PipeEnd::serialise(Archive& archive) {
    archive(pipe_);
    if (!waitables_.pipes.contains(pipe_)) Archive::damaged();
}

std::size_t PipeEnd::read(std::span<std::uint8_t> to) {
    if (to.empty()) return 0;
    Pipe& shared = pipe();
    if (shared.is_empty()) {
        if (shared.has_writer) throw Errno{EAGAIN};
        return 0;
    }
    // Writers that wait for room hear of it once there is some again.
    if (shared.is_full()) ++shared.writer_changes;
    waitables_.waiting.changed();
    return shared.read(to);
}

std::size_t PipeEnd::write(std::span<const std::uint8_t> from) {
    if (from.empty()) return 0;
    Pipe& shared = pipe();
    if (!shared.has_reader) throw Errno{EPIPE};
    const std::size_t count = shared.write(from);
    if (count == 0) throw Errno{EAGAIN};
    ++shared.reader_changes;
    waitables_.waiting.changed();
    return count;
}

std::uint32_t PipeEnd::ready() {
    const Pipe& shared = pipe();
    if (may_read()) return (shared.is_empty() ? 0 : abi::poll_reads) | (shared.has_writer ? 0 : abi::poll_hang_up);
    return (shared.is_full() ? 0 : abi::poll_writes) | (shared.has_reader ? 0 : abi::poll_error);
}

Result calls::pipe2(System& system, const Call& call) {
    if (call.a[1] & ~std::uint64_t{abi::o_close_on_exec | abi::o_nonblock}) return -EINVAL;
    system.user.check(call.a[0], 8, Permission::write);
    const auto flags = static_cast<std::uint32_t>(call.a[1] & abi::o_nonblock);
    const bool on_exec = call.a[1] & abi::o_close_on_exec;
    const std::uint64_t number = system.waitables.new_number();
    system.waitables.pipes.try_emplace(number);
    auto reads = std::make_shared<PipeEnd>(system.waitables, abi::o_read_only | flags, number);
    auto writes = std::make_shared<PipeEnd>(system.waitables, abi::o_write_only | flags, number);
    system.user.put(call.a[0], system.files.add_two(std::move(reads), std::move(writes), on_exec));
    return 0;
}

}  // namespace croftsim
