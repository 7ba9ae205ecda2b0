#pragma once
// A program of several threads, each on a core of its own, for calls that wait.

#include "guest.hpp"

namespace croftsim {

struct Waiters : Guest {
    explicit Waiters(std::uint32_t threads = 3, RunOptions options = {}) : Guest(threads, options) {
        for (std::uint32_t i = 1; i < threads; ++i) start_thread(0);
    }

    std::array<std::int32_t, 2> pipe(std::uint64_t flags = 0) {
        REQUIRE(call(0, number::pipe2, scratch, flags) == 0);
        return get<std::array<std::int32_t, 2>>(scratch);
    }
    std::optional<std::int64_t> write(std::uint32_t core, std::int64_t fd, std::string_view bytes) {
        const std::uint64_t at = 0x1000 + core * 0x20000;
        return call(core, number::write, fd, text(at, bytes), bytes.size());
    }
    std::uint64_t room(std::uint32_t core) const { return scratch + 0x1000 + core * 0x20000; }
    std::optional<std::int64_t> read(std::uint32_t core, std::int64_t fd, std::uint64_t bytes = 4096) {
        return call(core, number::read, fd, room(core), bytes);
    }
    std::string has_read(std::uint32_t core) { return string(room(core), static_cast<std::size_t>(result(core))); }
    // revents of one descriptor, polled without waiting.
    int poll(std::int32_t fd, std::int16_t events = 0x7fff) {
        struct Entry {
            std::int32_t fd;
            std::int16_t events, revents;
        };
        const std::uint64_t at = put(0x80, Entry{fd, events, 0}), zero = put(0x90, abi::Time{});
        REQUIRE(call(0, number::ppoll, at, 1, zero, 0) >= 0);
        return get<Entry>(at).revents;
    }
};

}  // namespace croftsim
