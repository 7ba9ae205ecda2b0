#include "kernel/sockets.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "kernel/errno.hpp"

namespace croftsim {

void Sockets::changed(Socket& socket) {
    ++socket.changes;
    waiting_.changed();
}

std::uint64_t Sockets::make(std::uint16_t family, std::uint32_t type) {
    Socket& socket = sockets_[++last_number_];
    socket.family = family;
    socket.type = type;
    return last_number_;
}

void Sockets::pair(std::uint64_t one, std::uint64_t other) {
    for (const auto& [end, peer] : {std::pair{one, other}, std::pair{other, one}}) {
        Socket& socket = sockets_.at(end);
        socket.state = Socket::State::connected;
        socket.peer = peer;
        socket.peer_name.family = socket.name.family = socket.family;
    }
}

// The other end of a connection hears nothing more, and that somebody has gone without listening.
void Sockets::reset(std::uint64_t number) {
    Socket& socket = sockets_.at(number);
    if (const auto peer = sockets_.find(socket.peer); peer != sockets_.end() && peer->second.peer == number) {
        peer->second.peer = 0;
        if (!socket.packets.empty() && socket.is_connection()) {
            peer->second.error = ECONNRESET;
            peer->second.was_reset = true;
        }
        changed(peer->second);
    }
    sockets_.erase(number);
}

void Sockets::close(std::uint64_t number) {
    for (const std::uint64_t pending : std::exchange(sockets_.at(number).pending, {})) reset(pending);
    reset(number);
    waiting_.changed();
}

std::uint64_t Sockets::find(const SocketAddress& address, std::uint32_t type, bool listens) {
    const bool is_local = address.family == SocketAddress::local;
    for (const auto& [number, socket] : sockets_) {
        if (socket.type != type || !socket.name.is_set() || socket.is_internet() == is_local) continue;
        if (listens != (socket.state == Socket::State::listens)) continue;
        if (is_local ? !address.name.empty() && socket.name.name == address.name
                     : socket.name.port == address.port && (socket.name.host == address.host ||
                                                            (socket.name.is_any() && socket.family >= address.family)))
            return number;
    }
    return 0;
}

bool Sockets::is_taken(const Socket& by, const SocketAddress& address) {
    constexpr std::uint64_t reuse_address = std::uint64_t{1} << 32 | 2, reuse_port = std::uint64_t{1} << 32 | 15;
    return std::ranges::any_of(sockets_, [&](const auto& entry) {
        const Socket& other = entry.second;
        if (&other == &by || !other.name.is_set() || other.is_internet() != by.is_internet()) return false;
        if (!by.is_internet()) return other.name.name == address.name;
        if (other.type != by.type || other.name.port != address.port) return false;
        if (other.name.host != address.host && !other.name.is_any() && !address.is_any()) return false;
        // An end of a connection has its listener's port.
        if (by.is_stream() && other.state != Socket::State::listens && other.options.contains(reuse_address))
            return false;
        return !(by.options.contains(reuse_port) && other.options.contains(reuse_port));
    });
}

void Sockets::bind(std::uint64_t number, SocketAddress address) {
    constexpr std::uint16_t first_free = 1024, first_given = 32768;
    Socket& socket = sockets_.at(number);
    if (socket.name.is_set()) throw Errno{EINVAL};
    if (address.family != socket.family) throw Errno{socket.is_internet() ? EAFNOSUPPORT : EINVAL};
    if (!socket.is_internet()) {
        if (address.name.empty()) {  // a name that is free, as Linux gives one
            char name[7] = "";
            std::snprintf(name + 1, sizeof name - 1, "%05x", static_cast<unsigned>(number & 0xfffff));
            address.name.assign(name, 6);
        }
        if (is_taken(socket, address)) throw Errno{EADDRINUSE};
        socket.name = address;
        return;
    }
    address.check_is_here(EADDRNOTAVAIL);
    if (address.port == 0) {
        for (int tried = 0; address.port == 0 || is_taken(socket, address); ++tried) {
            if (tried > 0xffff - first_given) throw Errno{EADDRINUSE};
            last_port_ = last_port_ == 0xffff ? first_given : static_cast<std::uint16_t>(last_port_ + 1);
            address.port = last_port_;
        }
    } else if (address.port < first_free) {
        throw Errno{EACCES};
    } else if (is_taken(socket, address)) {
        throw Errno{EADDRINUSE};
    }
    socket.name = address;
}

void Sockets::name_if_nameless(Socket& socket, const SocketAddress& towards) {
    if (!socket.is_internet()) return;
    const auto number =
        std::ranges::find_if(sockets_, [&](const auto& entry) { return &entry.second == &socket; })->first;
    SocketAddress host = towards.is_any() ? SocketAddress::loopback(socket.family, 0) : towards;
    host.port = 0;
    if (!socket.name.is_set()) bind(number, host.seen_by(socket.family));
    // A datagram socket that is not connected keeps every address of this machine.
    if (socket.is_connection() && socket.name.is_any()) socket.name.host = host.host;
}

void Sockets::listen(std::uint64_t number, std::uint64_t backlog) {
    Socket& socket = sockets_.at(number);
    if (!socket.is_connection()) throw Errno{EOPNOTSUPP};
    if (socket.state == Socket::State::connected || socket.state == Socket::State::connects) throw Errno{EINVAL};
    if (!socket.name.is_set()) {
        if (!socket.is_internet()) throw Errno{EINVAL};
        bind(number, SocketAddress::any(socket.family, 0));
    }
    socket.state = Socket::State::listens;
    socket.backlog = std::min<std::uint64_t>(backlog, 4096);
    changed(socket);
}

void Sockets::connect(std::uint64_t number, const SocketAddress& to) {
    Socket& socket = sockets_.at(number);
    if (!socket.is_connection()) {
        if (to.family == SocketAddress::unspecified) {
            socket.peer_name = {};
            socket.state = Socket::State::fresh;
            return;
        }
        if (to.family != socket.family) throw Errno{socket.is_internet() ? EAFNOSUPPORT : EINVAL};
        to.check_is_here(ENETUNREACH);
        if (!socket.is_internet() && !find(to, socket.type, false)) throw Errno{ECONNREFUSED};
        name_if_nameless(socket, to);
        socket.peer_name = to;
        socket.state = Socket::State::connected;
        return;
    }
    if (socket.state == Socket::State::connected) throw Errno{EISCONN};
    if (socket.state == Socket::State::listens) throw Errno{socket.is_internet() ? EISCONN : EINVAL};
    if (socket.state == Socket::State::connects) {
        socket.state = socket.peer ? Socket::State::connected : Socket::State::fresh;
        if (socket.peer) return;
        socket.was_reset = false;
        const int error = socket.take_error();
        throw Errno{error ? error : ECONNABORTED};
    }
    if (to.family != socket.family) throw Errno{socket.is_internet() ? EAFNOSUPPORT : EINVAL};
    to.check_is_here(ENETUNREACH);
    SocketAddress target = to;
    if (socket.is_internet() && to.is_any()) target = SocketAddress::loopback(to.family, to.port);
    const std::uint64_t found = find(target, socket.type, true);
    if (!found) throw Errno{ECONNREFUSED};
    Socket& listener = sockets_.at(found);
    if (listener.pending.size() > listener.backlog) throw Errno{EAGAIN};
    name_if_nameless(socket, target);
    const std::uint64_t end = make(listener.family, listener.type);
    pair(number, end);
    Socket& accepted = sockets_.at(end);
    accepted.name = target.seen_by(listener.family);
    accepted.peer_name =
        socket.name.is_set() ? socket.name.seen_by(listener.family) : SocketAddress::none_of(socket.family);
    accepted.options = listener.options;
    socket.peer_name = target;
    listener.pending.push_back(end);
    changed(listener);
    changed(socket);
}

void Sockets::begin_to_connect(std::uint64_t number, const SocketAddress& to) {
    Socket& socket = sockets_.at(number);
    const bool begins = socket.is_internet() && socket.is_connection() && socket.state == Socket::State::fresh;
    try {
        connect(number, to);
    } catch (const Errno& error) {
        if (!begins || error.code != ECONNREFUSED) throw;
        socket.error = error.code;
        socket.was_reset = true;
    }
    if (!begins) return;
    socket.state = Socket::State::connects;
    changed(socket);
    throw Errno{EINPROGRESS};
}

std::uint64_t Sockets::accept(std::uint64_t number) {
    Socket& socket = sockets_.at(number);
    if (!socket.is_connection()) throw Errno{EOPNOTSUPP};
    if (socket.state != Socket::State::listens) throw Errno{EINVAL};
    if (socket.pending.empty()) throw Errno{EAGAIN};
    const std::uint64_t end = socket.pending.front();
    socket.pending.pop_front();
    waiting_.changed();  // who connects may have waited for room
    return end;
}

void Sockets::shut_down(std::uint64_t number, bool reads, bool writes) {
    Socket& socket = sockets_.at(number);
    if (socket.state == Socket::State::listens && reads) {
        socket.state = Socket::State::fresh;
        return changed(socket);
    }
    if (socket.state == Socket::State::fresh) throw Errno{ENOTCONN};
    socket.reads_ended |= reads;
    socket.writes_ended |= writes;
    changed(socket);
    if (const auto peer = sockets_.find(socket.peer); peer != sockets_.end()) {
        // Across TCP nobody hears that the other end does not read any more.
        if (!socket.is_internet()) peer->second.writes_ended |= reads;
        changed(peer->second);
    }
}

}  // namespace croftsim
