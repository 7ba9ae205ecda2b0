// Sockets send and receive.

#include <algorithm>
#include <cerrno>

#include "kernel/errno.hpp"
#include "kernel/linux_abi.hpp"
#include "kernel/sockets.hpp"

namespace croftsim {

bool Sockets::has_room(const Socket& receiver, std::size_t bytes) const {
    if (receiver.is_stream()) return receiver.bytes < Socket::most_bytes;
    if (receiver.type == Socket::datagram && !receiver.is_internet())
        return receiver.peer ? receiver.packets.size() * Socket::message_cost < Socket::most_bytes
                             : receiver.packets.size() <= Socket::most_local_messages;
    return receiver.packets.empty() || receiver.bytes + bytes <= Socket::most_bytes;
}

std::uint64_t Sockets::receiver_of(std::uint64_t number) {
    const Socket& socket = sockets_.at(number);
    if (socket.is_connection() || socket.peer) return socket.peer;
    return socket.peer_name.is_set() ? find(socket.peer_name, socket.type, false) : 0;
}

std::uint64_t Sockets::listener_of(std::uint64_t number) {
    const Socket& socket = sockets_.at(number);
    return socket.is_connection() && socket.peer_name.is_set() ? find(socket.peer_name, socket.type, true) : 0;
}

std::size_t Sockets::send(std::uint64_t number, std::span<const std::uint8_t> from,
                          const std::optional<SocketAddress>& to) {
    Socket& socket = sockets_.at(number);
    if (const int error = socket.take_error()) throw Errno{error};
    if (socket.writes_ended) throw Errno{EPIPE};
    if (socket.is_connection()) {
        if (socket.state != Socket::State::connected && socket.state != Socket::State::connects)
            throw Errno{socket.is_internet() ? EPIPE : ENOTCONN};
        if (to && !socket.is_stream() && !socket.is_internet()) throw Errno{EISCONN};
    } else if (!to && socket.state != Socket::State::connected) {
        throw Errno{socket.is_internet() ? EDESTADDRREQ : ENOTCONN};
    }
    if (!socket.is_stream() && from.size() > (socket.is_internet() ? 65507 : Socket::most_bytes - 32))
        throw Errno{EMSGSIZE};

    std::uint64_t found = 0;
    if (to && !socket.is_connection()) {
        if (to->family != socket.family) throw Errno{socket.is_internet() ? EAFNOSUPPORT : EINVAL};
        to->check_is_here(ENETUNREACH);
        SocketAddress target = *to;
        if (socket.is_internet() && to->is_any()) target = SocketAddress::loopback(to->family, to->port);
        name_if_nameless(socket, target);
        found = find(target, socket.type, false);
    } else {
        found = receiver_of(number);
    }
    if (!found) {
        if (socket.is_connection()) {
            // TCP learns from an answer that nobody is there any more.
            if (socket.is_internet() && !std::exchange(socket.was_reset, true)) return from.size();
            throw Errno{EPIPE};
        }
        if (!socket.is_internet()) {
            if (!to) {
                socket.state = Socket::State::fresh;
                socket.peer_name = {};
            }
            throw Errno{ECONNREFUSED};
        }
        if (socket.state == Socket::State::connected) socket.error = ECONNREFUSED;  // an answer says so
        return from.size();
    }
    Socket& receiver = sockets_.at(found);
    if (receiver.reads_ended) {
        if (!socket.is_internet()) throw Errno{EPIPE};
        return from.size();
    }
    if (!has_room(receiver, from.size())) {
        if (socket.is_internet() && !socket.is_connection()) return from.size();  // and it is lost
        throw Errno{EAGAIN};
    }
    std::size_t count = from.size();
    if (socket.is_stream()) {
        count = std::min<std::size_t>(count, Socket::most_bytes - receiver.bytes);
        if (count == 0) return 0;
    }
    SocketAddress sender;
    if (!socket.is_connection()) {
        sender = socket.name.is_set() ? socket.name.seen_by(receiver.family) : SocketAddress{};
        if (sender.is_set() && socket.is_internet() && sender.is_any())
            sender.host = SocketAddress::loopback(socket.family, 0).host;
    }
    receiver.packets.push_back({sender, {from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count)}});
    receiver.bytes += count;
    changed(receiver);
    return count;
}

Sockets::Received Sockets::receive(std::uint64_t number, std::span<std::uint8_t> to, bool peeks) {
    Socket& socket = sockets_.at(number);
    if (socket.packets.empty()) {
        if (const int error = socket.take_error()) throw Errno{error};
        if (socket.is_connection() && socket.state != Socket::State::connected &&
            socket.state != Socket::State::connects)
            throw Errno{socket.is_internet() || !socket.is_stream() ? ENOTCONN : EINVAL};
        const auto peer = sockets_.find(socket.peer);
        const bool ended =
            socket.reads_ended || (socket.is_connection() && (peer == sockets_.end() || peer->second.writes_ended));
        if (ended) return {};
        if (to.empty() && socket.is_stream()) return {};
        throw Errno{EAGAIN};
    }
    const std::uint64_t sender = socket.peer;
    const bool was_full = !has_room(socket, 1);
    Received received{.from = socket.packets.front().from};
    for (auto packet = socket.packets.begin(); packet != socket.packets.end();) {
        const std::size_t left = packet->bytes.size() - packet->first;
        const std::size_t count = std::min(left, to.size() - received.count);
        std::copy_n(packet->bytes.begin() + static_cast<std::ptrdiff_t>(packet->first), count,
                    to.begin() + static_cast<std::ptrdiff_t>(received.count));
        received.count += count;
        received.whole += socket.is_stream() ? count : left;
        if (!peeks) {
            packet->first += count;
            socket.bytes -= socket.is_stream() ? count : left;
        }
        const bool is_done = !socket.is_stream() || count == left;
        packet = is_done && !peeks ? socket.packets.erase(packet) : packet + 1;
        if (!socket.is_stream() || received.count == to.size()) break;
    }
    if (!peeks) {
        if (const auto end = sockets_.find(sender); was_full && end != sockets_.end()) ++end->second.room_changes;
        waiting_.changed();
    }
    return received;
}

std::uint32_t Sockets::ready(std::uint64_t number) {
    Socket& socket = sockets_.at(number);
    if (socket.state == Socket::State::listens) return socket.pending.empty() ? 0 : abi::poll_reads;
    std::uint32_t found = socket.error ? abi::poll_error : 0;
    const bool is_tcp = socket.is_internet() && socket.is_connection();
    const std::uint32_t writes = is_tcp ? abi::poll_writes : abi::poll_writes | abi::poll_write_band;
    if (!socket.packets.empty()) found |= abi::poll_reads;
    if (!socket.is_connection()) {
        const std::uint64_t to = receiver_of(number);
        if (socket.is_internet() || !to || has_room(sockets_.at(to), 1)) found |= writes;
        return found;
    }
    if (socket.state == Socket::State::fresh) return found | writes | abi::poll_hang_up;
    const auto peer = sockets_.find(socket.peer);
    const bool is_alone = peer == sockets_.end();
    const bool hears_nothing = socket.reads_ended || is_alone || peer->second.writes_ended;
    if (hears_nothing) found |= abi::poll_reads | abi::poll_read_hang_up;
    const bool says_nothing = socket.writes_ended || (is_alone && (!socket.is_internet() || socket.was_reset));
    if (hears_nothing && says_nothing) found |= abi::poll_hang_up;
    if (says_nothing || is_alone || has_room(peer->second, 1)) found |= writes;
    return found;
}

}  // namespace croftsim
