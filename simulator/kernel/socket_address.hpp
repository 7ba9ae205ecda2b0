#pragma once
// An address of a socket: a name in the program, or a port of this machine. No other machine can be reached, and no
// socket is a file of the host.

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/archive.hpp"

namespace croftsim {

struct SocketAddress {
    static constexpr std::uint16_t unspecified = 0, local = 1, inet = 2, inet6 = 10;

    std::uint16_t family = unspecified;  // which is: no address
    std::string name;                    // of a local one: its path, or a zero byte and a name
    std::uint16_t port = 0;
    std::array<std::uint8_t, 16> host{};  // IPv6's; IPv4 has the last four, behind ::ffff

    bool is_set() const { return family != unspecified; }
    bool is_any() const;  // of an internet address: this machine's every one
    // The address as a socket of that family sees it.
    SocketAddress seen_by(std::uint16_t other) const;

    // From a struct sockaddr. Throws Errno{EINVAL} for one that is too short.
    static SocketAddress of(std::span<const std::uint8_t> bytes);
    std::string bytes() const;
    static SocketAddress none_of(std::uint16_t family);  // of a socket that has no name
    static SocketAddress loopback(std::uint16_t family, std::uint16_t port);
    static SocketAddress any(std::uint16_t family, std::uint16_t port);
    // Throws Errno with that code unless it is one of this machine.
    void check_is_here(int error) const;

    bool operator==(const SocketAddress&) const = default;
    void serialise(Archive& archive) { archive(family, name, port, host); }
};
static_assert(is_listed<SocketAddress, 64>);

}  // namespace croftsim
