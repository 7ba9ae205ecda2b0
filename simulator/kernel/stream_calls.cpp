#include "kernel/stream_calls.hpp"

#include <algorithm>

namespace croftsim {
namespace {

constexpr std::uint64_t most_at_once = 1 << 20;  // bytes that the host holds; a call that has more goes on with them

}  // namespace

std::uint64_t total_of(std::span<const abi::IoVector> vectors) {
    std::uint64_t total = 0;
    for (const abi::IoVector& vector : vectors) total += vector.length;
    return total;
}

std::vector<abi::IoVector> rest_of(std::span<const abi::IoVector> vectors, std::uint64_t skipped) {
    std::vector<abi::IoVector> rest;
    for (const abi::IoVector& vector : vectors) {
        const std::uint64_t passed = std::min(skipped, vector.length);
        skipped -= passed;
        if (passed < vector.length) rest.push_back({vector.base + passed, vector.length - passed});
    }
    return rest;
}

std::vector<abi::IoVector> vectors_of(const System& system, std::uint64_t address, std::uint64_t count) {
    constexpr std::uint64_t most_vectors = 1024;
    if (count > most_vectors) throw Errno{EINVAL};
    std::vector<abi::IoVector> vectors(count);
    system.user.read(address, {reinterpret_cast<std::uint8_t*>(vectors.data()), count * sizeof(abi::IoVector)});
    std::uint64_t total = 0;
    for (const abi::IoVector& vector : vectors) {
        if (static_cast<std::int64_t>(vector.length) < 0) throw Errno{EINVAL};
        total += vector.length;
        if (static_cast<std::int64_t>(total) < 0) throw Errno{EINVAL};
    }
    return vectors;
}

std::uint64_t room_of(const System& system, std::span<const abi::IoVector> vectors) {
    std::uint64_t room = 0;
    for (const abi::IoVector& vector : vectors) {
        const std::uint64_t wanted = std::min(vector.length, most_at_once - room);
        const std::uint64_t there = system.user.accessible(vector.base, wanted, Permission::write);
        room += there;
        if (there < wanted) break;
    }
    if (room == 0 && total_of(vectors) > 0) throw Errno{EFAULT};
    return room;
}

void scatter(const System& system, std::span<const abi::IoVector> vectors, std::span<const std::uint8_t> bytes) {
    for (const abi::IoVector& vector : vectors) {
        const auto piece = bytes.first(std::min<std::uint64_t>(vector.length, bytes.size()));
        system.user.write(vector.base, piece);
        bytes = bytes.subspan(piece.size());
    }
}

std::vector<std::uint8_t> gather(const System& system, std::span<const abi::IoVector> vectors) {
    std::vector<std::uint8_t> bytes;
    for (const abi::IoVector& vector : vectors) {
        const std::uint64_t wanted = std::min(vector.length, most_at_once - bytes.size());
        const std::uint64_t there = system.user.accessible(vector.base, wanted, Permission::read);
        const std::size_t before = bytes.size();
        bytes.resize(before + there);
        system.user.read(vector.base, std::span(bytes).subspan(before));
        if (there < wanted) break;
    }
    if (bytes.empty() && total_of(vectors) > 0) throw Errno{EFAULT};
    return bytes;
}

void send_broken_pipe(System& system, const Call& call) {
    system.post_signal(System::own_signal(sigpipe, SignalInfo::by_user), &call.thread);
}

Result read_stream(System& system, const Call& call, OpenFile& file, std::span<const abi::IoVector> vectors) {
    std::vector<std::uint8_t> bytes(room_of(system, vectors));
    std::size_t count = 0;
    try {
        count = file.read(bytes);
    } catch (const Errno& error) {
        if (error.code != EAGAIN || file.flags & abi::o_nonblock) throw;
        return system.wait(call, *file.waits(), system.deadline_of(call, file.read_limit()), -EAGAIN);
    }
    system.learn_from(call, file.read_key());
    scatter(system, vectors, std::span(bytes).first(count));
    return static_cast<std::int64_t>(count);
}

Result write_stream(System& system, const Call& call, OpenFile& file, std::span<const abi::IoVector> vectors) {
    return write_all(system, call, file, vectors,
                     {.write = [&](std::span<const std::uint8_t> bytes) { return file.write(bytes); }});
}

// A thread that waits meanwhile goes on with what it has not written.
Result write_all(System& system, const Call& call, OpenFile& file, std::span<const abi::IoVector> vectors,
                 const Writing& writing) {
    const bool waits = writing.waits && !(file.flags & abi::o_nonblock);
    const std::uint64_t total = total_of(vectors);
    std::uint64_t done = call.waiter ? call.waiter->done : 0;
    try {
        do {
            const std::vector<std::uint8_t> bytes = gather(system, rest_of(vectors, done));
            system.teach(file.write_key());
            const std::size_t count = writing.write(bytes);
            done += count;
            if (file.takes_messages()) return static_cast<std::int64_t>(done);
            if (count < bytes.size()) throw Errno{EAGAIN};
        } while (done < total);
        return static_cast<std::int64_t>(done);
    } catch (const Errno& error) {
        if (error.code == EPIPE && writing.signals) send_broken_pipe(system, call);
        if (error.code != EAGAIN || !waits) {
            if (done == 0) throw;
            return static_cast<std::int64_t>(done);
        }
    }
    const std::int64_t late = done ? static_cast<std::int64_t>(done) : -EAGAIN;
    return system.wait(call, *file.waits(), system.deadline_of(call, file.write_limit()), late, done);
}

}  // namespace croftsim
