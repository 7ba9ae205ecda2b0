#pragma once
// Reading and writing what may make a thread wait: all the bytes of a call at once.

#include <functional>
#include <span>
#include <vector>

#include "kernel/system.hpp"

namespace croftsim {

std::vector<abi::IoVector> vectors_of(const System& system, std::uint64_t address, std::uint64_t count);
std::uint64_t total_of(std::span<const abi::IoVector> vectors);
// The rest of them behind so many bytes.
std::vector<abi::IoVector> rest_of(std::span<const abi::IoVector> vectors, std::uint64_t skipped);

// As much of the program's memory as a call names and may be accessed so, up to a MiB; Errno{EFAULT} if it is nothing.
std::uint64_t room_of(const System& system, std::span<const abi::IoVector> vectors);
std::vector<std::uint8_t> gather(const System& system, std::span<const abi::IoVector> vectors);
void scatter(const System& system, std::span<const abi::IoVector> vectors, std::span<const std::uint8_t> bytes);

Result read_stream(System& system, const Call& call, OpenFile& file, std::span<const abi::IoVector> vectors);
Result write_stream(System& system, const Call& call, OpenFile& file, std::span<const abi::IoVector> vectors);

// The same with another way to write, which may not wait or may not send a signal.
struct Writing {
    std::function<std::size_t(std::span<const std::uint8_t>)> write;
    bool waits = true, signals = true;
};
Result write_all(System& system, const Call& call, OpenFile& file, std::span<const abi::IoVector> vectors,
                 const Writing& writing);

// The thread's call has written to something that nobody reads any more.
void send_broken_pipe(System& system, const Call& call);

}  // namespace croftsim
