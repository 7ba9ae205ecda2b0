// Options of sockets. Those that say how a network or a buffer is used are remembered, and change nothing.

#include <algorithm>

#include "kernel/socket_calls.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t socket_level = 1;
enum Option : std::uint32_t {  // SO_*
    kind = 3,
    error = 4,
    send_buffer = 7,
    receive_buffer = 8,
    linger = 13,
    credentials = 17,
    receive_timeout = 20,
    send_timeout = 21,
    accepts = 30,
    protocol = 38,
    domain = 39,
};

void tell(const System& system, const Call& call, std::span<const std::uint8_t> value) {
    const auto room = system.user.get<std::int32_t>(call.a[4]);
    if (room < 0) throw Errno{EINVAL};
    const std::size_t count = std::min(value.size(), static_cast<std::size_t>(room));
    system.user.write(call.a[3], value.first(count));
    system.user.put(call.a[4], static_cast<std::uint32_t>(count));
}

template <class T>
Result told(const System& system, const Call& call, const T& value) {
    tell(system, call, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
    return 0;
}

// The level of the socket itself, or of the protocols that it has.
void check_level(const Socket& socket, std::uint64_t level) {
    constexpr std::uint64_t ip = 0, tcp = 6, udp = 17, ipv6 = 41;
    if (level == socket_level) return;
    if (!socket.is_internet()) throw Errno{EOPNOTSUPP};
    const bool is_known = level == ip || (level == ipv6 && socket.family == SocketAddress::inet6) ||
                          level == (socket.is_stream() ? tcp : udp);
    if (!is_known) throw Errno{EOPNOTSUPP};
}

std::uint64_t nanoseconds_of(const abi::Time& time) {  // struct timeval
    constexpr std::int64_t million = 1'000'000;
    if (time.nanoseconds < 0 || time.nanoseconds >= million) throw Errno{EDOM};
    if (time.seconds < 0) return 1;  // no time at all
    return as_nanoseconds({time.seconds, time.nanoseconds * 1000});
}

}  // namespace

namespace calls {

Result setsockopt(System& system, const Call& call) {
    Socket& socket = socket_of(system.files, call.a[0]).socket();
    const std::uint64_t level = static_cast<std::uint32_t>(call.a[1]), option = static_cast<std::uint32_t>(call.a[2]);
    check_level(socket, level);
    const std::uint64_t key = SocketFile::key_of(level, option);
    if (level == socket_level) {
        if (option == kind || option == error || option == accepts || option == protocol || option == domain ||
            option == credentials)
            return -ENOPROTOOPT;
        if (option == receive_timeout || option == send_timeout) {
            if (call.a[4] < sizeof(abi::Time)) return -EINVAL;
            socket.options[key] = nanoseconds_of(system.user.get<abi::Time>(call.a[3]));
            return 0;
        }
        if (option == linger) {
            if (call.a[4] < 8) return -EINVAL;
            socket.options[key] = system.user.get<std::uint64_t>(call.a[3]);
            return 0;
        }
    }
    if (call.a[4] < sizeof(std::int32_t)) return -EINVAL;
    auto value = static_cast<std::uint64_t>(system.user.get<std::uint32_t>(call.a[3]));
    constexpr std::uint64_t least = 2304, most = Socket::most_bytes;
    if (level == socket_level && (option == send_buffer || option == receive_buffer))
        value = std::max(std::min(value, most) * 2, least);  // Linux counts its own needs
    socket.options[key] = value;
    if (level == socket_level && value == 0) socket.options.erase(key);
    return 0;
}

Result getsockopt(System& system, const Call& call) {
    Socket& socket = socket_of(system.files, call.a[0]).socket();
    const std::uint64_t level = static_cast<std::uint32_t>(call.a[1]), option = static_cast<std::uint32_t>(call.a[2]);
    check_level(socket, level);
    const auto it = socket.options.find(SocketFile::key_of(level, option));
    const std::uint64_t value = it == socket.options.end() ? 0 : it->second;
    if (level != socket_level) return told(system, call, static_cast<std::uint32_t>(value));
    switch (option) {
        case kind:
            return told(system, call, socket.type);
        case error:
            return told(system, call, static_cast<std::int32_t>(socket.take_error()));
        case send_buffer:
        case receive_buffer:
            return told(system, call, static_cast<std::uint32_t>(value ? value : Socket::most_bytes));
        case linger:
            return told(system, call, value);
        case credentials:
            return told(system, call, std::array<std::uint32_t, 3>{System::process, System::user_id, System::user_id});
        case receive_timeout:
        case send_timeout: {
            abi::Time time = as_time(value);
            time.nanoseconds /= 1000;
            return told(system, call, time);
        }
        case accepts:
            return told(system, call, std::uint32_t{socket.state == Socket::State::listens});
        case protocol: {
            const std::uint32_t of_internet = socket.is_stream() ? 6 : 17;
            return told(system, call, socket.is_internet() ? of_internet : 0);
        }
        case domain:
            return told(system, call, std::uint32_t{socket.family});
        default:
            return told(system, call, static_cast<std::uint32_t>(value));
    }
}

}  // namespace calls
}  // namespace croftsim
