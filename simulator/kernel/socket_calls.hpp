#pragma once
// The common part of system calls on sockets.

#include "kernel/socket_file.hpp"
#include "kernel/system.hpp"

namespace croftsim {

// The struct sockaddr of so many bytes there.
SocketAddress address_at(const System& system, std::uint64_t address, std::uint64_t length);
// Writes the address, as much of it as there is room for, and how long it is in place of the room. Nothing if `address`
// is 0.
void tell_address(const System& system, const SocketAddress& told, std::uint64_t address, std::uint64_t length);

}  // namespace croftsim
