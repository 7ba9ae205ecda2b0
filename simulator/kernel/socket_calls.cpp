// System calls that make, name and connect sockets.

#include <algorithm>

#include "kernel/socket_calls.hpp"

namespace croftsim {

SocketFile& socket_of(const Files& files, std::uint64_t descriptor) {
    auto* file = dynamic_cast<SocketFile*>(&files.get(static_cast<std::int32_t>(descriptor)));
    if (!file) throw Errno{ENOTSOCK};
    return *file;
}

std::uint64_t SocketFile::readable_bytes() {
    const Socket& here = socket();
    if (here.state == Socket::State::listens) throw Errno{EINVAL};
    if (here.is_stream()) return here.bytes;
    return here.packets.empty() ? 0 : here.packets.front().bytes.size();
}

SocketAddress address_at(const System& system, std::uint64_t address, std::uint64_t length) {
    constexpr std::uint64_t longest = 128;
    if (static_cast<std::int32_t>(length) < 0 || length > longest) throw Errno{EINVAL};
    std::vector<std::uint8_t> bytes(length);
    system.user.read(address, bytes);
    return SocketAddress::of(bytes);
}

void tell_address(const System& system, const SocketAddress& told, std::uint64_t address, std::uint64_t length) {
    if (!address) return;
    const auto room = system.user.get<std::int32_t>(length);
    if (room < 0) throw Errno{EINVAL};
    const std::string bytes = told.bytes();
    system.user.write(address, {reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                std::min(bytes.size(), static_cast<std::size_t>(room))});
    system.user.put(length, static_cast<std::uint32_t>(bytes.size()));
}

namespace {

constexpr std::uint64_t type_bits = 0xf;

void check_kind(std::uint64_t family, std::uint64_t type_and_flags, std::uint64_t protocol) {
    constexpr std::uint64_t raw = 3, tcp = 6, udp = 17, most_types = 11;
    if (type_and_flags & ~(type_bits | abi::o_nonblock | abi::o_close_on_exec)) throw Errno{EINVAL};
    const std::uint64_t type = type_and_flags & type_bits;
    if (type >= most_types) throw Errno{EINVAL};
    const bool is_local = family == SocketAddress::local;
    if (!is_local && family != SocketAddress::inet && family != SocketAddress::inet6) throw Errno{EAFNOSUPPORT};
    if (is_local && protocol > 1) throw Errno{EPROTONOSUPPORT};
    if (type == raw && !is_local) throw Errno{EPERM};
    const bool is_usual = type == Socket::stream || type == Socket::datagram;
    if (!is_usual && !(is_local && type == Socket::sequenced)) throw Errno{ESOCKTNOSUPPORT};
    if (!is_local && protocol != 0 && protocol != (type == Socket::stream ? tcp : udp)) throw Errno{EPROTONOSUPPORT};
}

std::uint64_t make(System& system, const Call& call) {
    return system.waitables.sockets.make(static_cast<std::uint16_t>(call.a[0]),
                                         static_cast<std::uint32_t>(call.a[1] & type_bits));
}

std::shared_ptr<SocketFile> file_of(System& system, std::uint64_t socket, std::uint64_t flags) {
    return std::make_shared<SocketFile>(system.waitables, static_cast<std::uint32_t>(flags), socket);
}

// No socket has a file, but where there is one, none can be made.
void check_path(System& system, const SocketAddress& address) {
    if (address.family != SocketAddress::local || address.name.empty() || address.name[0] == 0) return;
    try {
        system.files.status(system.files.resolve(abi::at_cwd, address.name, false));
    } catch (const Errno& error) {
        if (error.code == ENOENT) return;
        throw;
    }
    throw Errno{EADDRINUSE};
}

Result accept_with(System& system, const Call& call, std::uint64_t flags) {
    if (flags & ~std::uint64_t{abi::o_nonblock | abi::o_close_on_exec}) return -EINVAL;
    SocketFile& file = socket_of(system.files, call.a[0]);
    std::uint64_t end = 0;
    try {
        end = file.sockets().accept(file.of_all());
    } catch (const Errno& error) {
        if (error.code != EAGAIN || file.flags & abi::o_nonblock) throw;
        return system.wait(call, Waits::socket, system.deadline_of(call, file.read_limit()), -EAGAIN);
    }
    system.learn_from(call, file.of_all());
    const std::int32_t fd = system.files.add(file_of(system, end, flags), flags & abi::o_close_on_exec);
    try {
        tell_address(system, file.sockets()[end].peer_name, call.a[1], call.a[2]);
    } catch (const Errno&) {
        system.files.close(fd);
        throw;
    }
    return fd;
}

}  // namespace

namespace calls {

Result socket(System& system, const Call& call) {
    check_kind(call.a[0], call.a[1], call.a[2]);
    return system.files.add(file_of(system, make(system, call), call.a[1]), call.a[1] & abi::o_close_on_exec);
}

Result socketpair(System& system, const Call& call) {
    check_kind(call.a[0], call.a[1], call.a[2]);
    if (call.a[0] != SocketAddress::local) return -EOPNOTSUPP;
    system.user.check(call.a[3], 8, Permission::write);
    const std::uint64_t one = make(system, call), other = make(system, call);
    system.waitables.sockets.pair(one, other);
    system.user.put(call.a[3], system.files.add_two(file_of(system, one, call.a[1]), file_of(system, other, call.a[1]),
                                                    call.a[1] & abi::o_close_on_exec));
    return 0;
}

Result bind(System& system, const Call& call) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    const SocketAddress address = address_at(system, call.a[1], call.a[2]);
    check_path(system, address);
    file.sockets().bind(file.of_all(), address);
    return 0;
}

Result listen(System& system, const Call& call) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    file.sockets().listen(file.of_all(), static_cast<std::uint32_t>(call.a[1]));
    return 0;
}

Result accept(System& system, const Call& call) { return accept_with(system, call, 0); }
Result accept4(System& system, const Call& call) { return accept_with(system, call, call.a[3]); }

Result connect(System& system, const Call& call) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    const SocketAddress to = address_at(system, call.a[1], call.a[2]);
    const bool waits = !(file.flags & abi::o_nonblock);
    try {
        if (waits)
            file.sockets().connect(file.of_all(), to);
        else
            file.sockets().begin_to_connect(file.of_all(), to);
    } catch (const Errno& error) {
        if (error.code == ECONNREFUSED && to.family == SocketAddress::local && !to.name.empty() && to.name[0] != 0)
            throw Errno{ENOENT};  // where there is no socket, there is no file
        if (error.code == EAGAIN && waits)
            return system.wait(call, Waits::socket, system.deadline_of(call, file.write_limit()), -EAGAIN);
        if (error.code == EINPROGRESS) system.teach(file.sockets().listener_of(file.of_all()));
        throw;
    }
    system.teach(file.sockets().listener_of(file.of_all()));
    return 0;
}

Result getsockname(System& system, const Call& call) {
    const Socket& socket = socket_of(system.files, call.a[0]).socket();
    SocketAddress name = socket.name;
    if (!name.is_set())
        name = socket.is_internet() ? SocketAddress::any(socket.family, 0) : SocketAddress::none_of(socket.family);
    system.user.check(call.a[1], 1, Permission::write);
    tell_address(system, name, call.a[1], call.a[2]);
    return 0;
}

Result getpeername(System& system, const Call& call) {
    const Socket& socket = socket_of(system.files, call.a[0]).socket();
    const bool is_connected = socket.state == Socket::State::connected || socket.state == Socket::State::connects;
    if (!is_connected || (socket.is_connection() && !socket.peer && socket.is_internet())) return -ENOTCONN;
    system.user.check(call.a[1], 1, Permission::write);
    tell_address(system, socket.peer_name, call.a[1], call.a[2]);
    return 0;
}

Result shutdown(System& system, const Call& call) {
    constexpr std::uint64_t reads = 0, writes = 1, both = 2;
    SocketFile& file = socket_of(system.files, call.a[0]);
    if (call.a[1] > both) return -EINVAL;
    system.teach(file.write_key());
    file.sockets().shut_down(file.of_all(), call.a[1] != writes, call.a[1] != reads);
    return 0;
}

}  // namespace calls
}  // namespace croftsim
