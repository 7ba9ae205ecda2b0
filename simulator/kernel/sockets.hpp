#pragma once
// The program's sockets, which reach each other and nothing else: pairs, sockets with a name in the program, TCP and
// UDP on this machine. A message is in its receiver's queue at once.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "kernel/socket_address.hpp"
#include "kernel/waiting.hpp"

namespace croftsim {

struct Socket {
    static constexpr std::uint32_t stream = 1, datagram = 2, sequenced = 5;  // SOCK_*
    static constexpr std::size_t most_bytes = 212992;       // that wait to be received, as Linux' default
    static constexpr std::size_t most_local_messages = 10;  // likewise, to a local datagram socket
    static constexpr std::size_t message_cost = 768;        // of one within a pair, as Linux counts it

    enum class State : std::uint8_t { fresh, listens, connects, connected };  // connects: nobody has waited for it

    // Bytes of a stream, or a message.
    struct Packet {
        SocketAddress from;
        std::vector<std::uint8_t> bytes;
        std::uint64_t first = 0;  // what lies before it has been received
        void serialise(Archive& archive) { archive(from, bytes, first); }
    };

    std::uint16_t family = 0;
    std::uint32_t type = 0;
    State state = State::fresh;
    SocketAddress name, peer_name;
    std::uint64_t peer = 0;  // the other end; 0: none, or it is gone
    bool reads_ended = false, writes_ended = false, was_reset = false;
    int error = 0;  // SO_ERROR
    std::deque<Packet> packets;
    std::uint64_t bytes = 0;            // in them
    std::deque<std::uint64_t> pending;  // ends of connections that nobody has accepted
    std::uint64_t backlog = 0;
    std::uint64_t changes = 0, room_changes = 0;  // OpenFile::changes; those of room for what it sends
    std::map<std::uint64_t, std::uint64_t> options;

    bool is_stream() const { return type == stream; }
    bool is_connection() const { return type != datagram; }
    bool is_internet() const { return family != SocketAddress::local; }
    int take_error() { return std::exchange(error, 0); }

    void serialise(Archive& archive) {
        archive(family, type, state, name, peer_name, peer, reads_ended, writes_ended, was_reset, error, packets, bytes,
                pending, backlog, changes, room_changes, options);
    }
};
static_assert(is_listed<Socket, 400>);

class Sockets {
public:
    explicit Sockets(Waiting& waiting, std::uint64_t& last_number) : waiting_(waiting), last_number_(last_number) {}

    Socket& operator[](std::uint64_t number) { return sockets_.at(number); }
    bool contains(std::uint64_t number) const { return sockets_.contains(number); }
    std::uint64_t make(std::uint16_t family, std::uint32_t type);
    void pair(std::uint64_t one, std::uint64_t other);
    // Its last descriptor is gone.
    void close(std::uint64_t number);

    // These throw Errno as the system calls of that name fail; EAGAIN if the thread would have to wait.
    void bind(std::uint64_t number, SocketAddress address);
    // Without waiting: whether there is a connection, the program asks later.
    void begin_to_connect(std::uint64_t number, const SocketAddress& to);
    void listen(std::uint64_t number, std::uint64_t backlog);
    void connect(std::uint64_t number, const SocketAddress& to);
    std::uint64_t accept(std::uint64_t number);
    void shut_down(std::uint64_t number, bool reads, bool writes);
    // `to`: not where it is connected to.
    std::size_t send(std::uint64_t number, std::span<const std::uint8_t> from, const std::optional<SocketAddress>& to);
    // The bytes stay there if `peeks`. `whole` is the length of a message, of which the rest is lost.
    struct Received {
        std::size_t count = 0, whole = 0;
        SocketAddress from;
    };
    Received receive(std::uint64_t number, std::span<std::uint8_t> to, bool peeks);

    std::uint32_t ready(std::uint64_t number);
    // Where what it sends is received; 0: nowhere, or it is not connected.
    std::uint64_t receiver_of(std::uint64_t number);

    // Where the connection waits, or waited, to be accepted; 0: it is none.
    std::uint64_t listener_of(std::uint64_t number);

    void serialise(Archive& archive) { archive(sockets_, last_port_); }

private:
    void changed(Socket& socket);
    // Gives the socket an internet address with a port that is free if it has none.
    void name_if_nameless(Socket& socket, const SocketAddress& towards);
    std::uint64_t find(const SocketAddress& address, std::uint32_t type, bool listens);
    bool is_taken(const Socket& by, const SocketAddress& address);
    bool has_room(const Socket& receiver, std::size_t bytes) const;
    void reset(std::uint64_t number);

    Waiting& waiting_;
    std::uint64_t& last_number_;
    std::map<std::uint64_t, Socket> sockets_;
    std::uint16_t last_port_ = 32767;
};
static_assert(is_listed<Sockets, 72>);

}  // namespace croftsim
