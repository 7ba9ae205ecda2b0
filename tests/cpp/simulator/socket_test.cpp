#include <doctest/doctest.h>

#include "waiting_test.hpp"

using namespace croftsim;

namespace {

constexpr std::uint64_t local = 1, inet = 2, inet6 = 10, stream = 1, datagram = 2, sequenced = 5;

struct Net : Waiters {
    using Waiters::Waiters;

    std::int64_t make(std::uint64_t family, std::uint64_t type, std::uint64_t flags = 0) {
        return *call(0, number::socket, family, type | flags, 0);
    }
    // struct sockaddr_in at an offset of the scratch memory
    std::uint64_t inet_at(std::uint64_t at, std::uint16_t port, std::array<std::uint8_t, 4> host = {127, 0, 0, 1}) {
        std::array<std::uint8_t, 16> bytes{2, 0, static_cast<std::uint8_t>(port >> 8), static_cast<std::uint8_t>(port)};
        std::copy(host.begin(), host.end(), bytes.begin() + 4);
        return put(at, bytes);
    }
    std::uint64_t local_at(std::uint64_t at, std::string_view name) {
        put(at, std::uint16_t{1});
        return text(at + 2, name) - 2;
    }
    std::int64_t bind(std::int64_t fd, std::uint16_t port) {
        return *call(0, number::bind, fd, inet_at(0x100, port), 16);
    }
    std::uint16_t port_of(std::int64_t fd) {
        put(0x180, std::uint32_t{16});
        REQUIRE(call(0, number::getsockname, fd, scratch + 0x140, scratch + 0x180) == 0);
        const auto bytes = get<std::array<std::uint8_t, 4>>(scratch + 0x140);
        return static_cast<std::uint16_t>(bytes[2] << 8 | bytes[3]);
    }
    std::int64_t listener(std::uint16_t port) {
        const std::int64_t fd = make(inet, stream);
        REQUIRE(bind(fd, port) == 0);
        REQUIRE(call(0, number::listen, fd, 2) == 0);
        return fd;
    }
    std::array<std::int32_t, 2> pair(std::uint64_t type = stream) {
        REQUIRE(call(0, number::socketpair, local, type, 0, scratch) == 0);
        return get<std::array<std::int32_t, 2>>(scratch);
    }
    std::int64_t option(std::int64_t fd, int level, int name) {
        put(0x200, std::uint32_t{4});
        const std::int64_t result = *call(0, number::getsockopt, fd, level, name, scratch + 0x210, scratch + 0x200);
        return result < 0 ? result : get<std::int32_t>(scratch + 0x210);
    }
};

}  // namespace

TEST_CASE("a pair of sockets carries bytes both ways, until it ends") {
    Net guest;
    const auto [one, other] = guest.pair();
    CHECK(guest.read(1, one) == std::nullopt);
    CHECK(guest.kernel->threads()[1].state == "waits for a socket");
    CHECK(guest.write(0, other, "to one") == 6);
    CHECK(guest.woken(1) == 6);
    CHECK(guest.write(0, one, "back") == 4);
    CHECK(guest.write(0, one, "wards") == 5);
    CHECK(guest.read(0, other) == 9);
    CHECK(guest.has_read(0) == "backwards");
    CHECK(guest.call(0, number::shutdown, one, 1) == 0);
    CHECK(guest.read(0, other) == 0);
    CHECK(guest.write(0, other, "still") == 5);
    CHECK(guest.read(1, one) == 5);
    CHECK(guest.read(1, one) == std::nullopt);
    CHECK(guest.call(0, number::close, other) == 0);
    CHECK(guest.woken(1) == 0);
    CHECK((guest.poll(one) & 0x10) == 0x10);
    CHECK(guest.call(0, number::sendto, one, guest.scratch, 1, 0x4000, 0, 0) == -EPIPE);
    CHECK_THROWS_WITH_AS(guest.write(0, one, "x"), "the program was ended by SIGPIPE", GuestFault);
}

TEST_CASE("messages stay whole") {
    Net guest;
    for (const std::uint64_t type : {datagram, sequenced}) {
        const auto [one, other] = guest.pair(type);
        CHECK(guest.write(0, one, "first") == 5);
        CHECK(guest.write(0, one, "second") == 6);
        CHECK(guest.read(0, other, 3) == 3);
        CHECK(guest.has_read(0) == "fir");
        CHECK(guest.call(0, number::recvfrom, other, guest.room(0), 3, 0x22, 0, 0) == 6);  // MSG_PEEK, MSG_TRUNC
        CHECK(guest.read(0, other) == 6);
        CHECK(guest.has_read(0) == "second");
    }
}

TEST_CASE("a full socket makes its sender wait") {
    Net guest;
    const auto [one, other] = guest.pair();
    CHECK(guest.call(1, number::write, one, guest.scratch, 300'000) == std::nullopt);
    std::int64_t taken = 0;
    while (!guest.woken(1)) taken += *guest.call(0, number::recvfrom, other, guest.scratch + 0x60000, 50'000, 0, 0, 0);
    CHECK(guest.woken(1) == 300'000);
    CHECK(taken == 100'000);
    CHECK(guest.call(0, number::sendto, one, guest.scratch, 300'000, 0x40, 0, 0) == 12'992);  // what there is room for
    CHECK(guest.call(0, number::sendto, one, guest.scratch, 1, 0x40, 0, 0) == -EAGAIN);
}

TEST_CASE("TCP on this machine: listen, connect, accept") {
    Net guest;
    const std::int64_t listener = guest.listener(8000);
    CHECK(guest.port_of(listener) == 8000);
    CHECK(guest.call(1, number::accept4, listener, guest.room(1), guest.put(0x300, std::uint32_t{16}),
                     abi::o_close_on_exec) == std::nullopt);
    const std::int64_t client = guest.make(inet, stream);
    CHECK(guest.call(0, number::getpeername, client, guest.scratch, guest.scratch + 64) == -ENOTCONN);
    CHECK(guest.call(0, number::connect, client, guest.inet_at(0x100, 8000), 16) == 0);
    REQUIRE(guest.woken(1).value_or(-1) > 0);
    const std::int64_t server = *guest.woken(1);
    CHECK(guest.call(0, number::fcntl, server, 1) == 1);
    const auto from = guest.get<std::array<std::uint8_t, 16>>(guest.room(1));
    CHECK((from[2] << 8 | from[3]) == guest.port_of(client));
    CHECK(from[4] == 127);
    CHECK(guest.port_of(server) == 8000);
    CHECK(guest.call(0, number::connect, client, guest.scratch + 0x100, 16) == -EISCONN);
    CHECK(guest.write(0, client, "GET") == 3);
    CHECK(guest.read(1, server) == 3);
    CHECK(guest.write(0, server, "200") == 3);
    CHECK(guest.call(0, number::close, server) == 0);
    CHECK(guest.read(0, client) == 3);
    CHECK(guest.read(0, client) == 0);
    CHECK(guest.call(0, number::sendto, client, guest.scratch, 1, 0x4000, 0, 0) == 1);  // nobody has answered yet
    CHECK(guest.call(0, number::sendto, client, guest.scratch, 1, 0x4000, 0, 0) == -EPIPE);
}

TEST_CASE("who connects waits for room in the queue of those that are to be accepted") {
    Net guest;
    const std::int64_t listener = guest.listener(8000);
    const std::uint64_t to = guest.inet_at(0x100, 8000);
    for (int i = 0; i < 3; ++i) CHECK(guest.call(0, number::connect, guest.make(inet, stream), to, 16) == 0);
    CHECK(guest.call(1, number::connect, guest.make(inet, stream), to, 16) == std::nullopt);
    CHECK(guest.call(0, number::accept, listener, 0, 0) > 0);
    CHECK(guest.woken(1) == 0);
}

TEST_CASE("connecting without waiting") {
    Net guest;
    guest.listener(8000);
    const std::int64_t client = guest.make(inet, stream, abi::o_nonblock);
    CHECK(guest.poll(static_cast<std::int32_t>(client)) == 0x114);
    CHECK(guest.call(0, number::connect, client, guest.inet_at(0x100, 8000), 16) == -EINPROGRESS);
    CHECK(guest.poll(static_cast<std::int32_t>(client)) == 0x104);
    CHECK(guest.option(client, 1, 4) == 0);
    CHECK(guest.call(0, number::connect, client, guest.scratch + 0x100, 16) == 0);
    CHECK(guest.call(0, number::connect, client, guest.scratch + 0x100, 16) == -EISCONN);

    const std::int64_t refused = guest.make(inet, stream, abi::o_nonblock);
    CHECK(guest.call(0, number::connect, refused, guest.inet_at(0x100, 9000), 16) == -EINPROGRESS);
    CHECK((guest.poll(static_cast<std::int32_t>(refused)) & 0x18) == 0x18);
    CHECK(guest.option(refused, 1, 4) == ECONNREFUSED);
    CHECK(guest.option(refused, 1, 4) == 0);
    const std::int64_t waits = guest.make(inet, stream);
    CHECK(guest.call(0, number::connect, waits, guest.scratch + 0x100, 16) == -ECONNREFUSED);
}

TEST_CASE("UDP on this machine") {
    Net guest;
    const std::int64_t server = guest.make(inet, datagram), client = guest.make(inet, datagram);
    CHECK(guest.bind(server, 8000) == 0);
    CHECK(guest.write(0, client, "x") == -EDESTADDRREQ);
    const std::uint64_t to = guest.inet_at(0x100, 8000), text = guest.text(0x400, "question");
    CHECK(guest.call(0, number::sendto, client, text, 8, 0, to, 16) == 8);
    guest.put(0x300, std::uint32_t{16});
    CHECK(guest.call(0, number::recvfrom, server, guest.room(0), 100, 0, guest.scratch + 0x320,
                     guest.scratch + 0x300) == 8);
    CHECK(guest.call(0, number::sendto, server, text, 5, 0, guest.scratch + 0x320, 16) == 5);
    CHECK(guest.read(0, client) == 5);
    CHECK(guest.call(0, number::sendto, client, text, 65'508, 0, to, 16) == -EMSGSIZE);
    CHECK(guest.call(0, number::connect, client, guest.inet_at(0x100, 9), 16) == 0);
    CHECK(guest.write(0, client, "x") == 1);
    CHECK(guest.write(0, client, "x") == -ECONNREFUSED);
}

TEST_CASE("IPv6, and IPv4 that reaches it") {
    Net guest;
    const std::int64_t listener = guest.make(inet6, stream);
    std::array<std::uint8_t, 28> any{10, 0, 0x1f, 0x40};
    CHECK(guest.call(0, number::bind, listener, guest.put(0x100, any), 28) == 0);
    CHECK(guest.call(0, number::listen, listener, 5) == 0);
    std::array<std::uint8_t, 28> loopback = any;
    loopback[23] = 1;
    CHECK(guest.call(0, number::connect, guest.make(inet6, stream), guest.put(0x100, loopback), 28) == 0);
    CHECK(guest.call(0, number::connect, guest.make(inet, stream), guest.inet_at(0x100, 8000), 16) == 0);
    for (int i = 0; i < 2; ++i) CHECK(guest.call(0, number::accept, listener, 0, 0) > 0);
    CHECK(guest.call(0, number::bind, guest.make(inet6, stream), guest.put(0x100, any), 24) == -EADDRINUSE);
}

TEST_CASE("sockets with names in the program") {
    Net guest;
    const std::int64_t listener = guest.make(local, stream);
    const std::uint64_t name = guest.local_at(0x100, "/tmp/socket");
    CHECK(guest.call(0, number::connect, guest.make(local, stream), name, 14) == -ENOENT);
    CHECK(guest.call(0, number::bind, listener, name, 14) == 0);
    CHECK(guest.call(0, number::bind, guest.make(local, stream), name, 14) == -EADDRINUSE);
    CHECK(guest.call(0, number::connect, guest.make(local, stream), name, 14) == -ENOENT);  // it does not listen
    CHECK(guest.call(0, number::listen, listener, 5) == 0);
    CHECK(guest.call(0, number::connect, guest.make(local, stream), name, 14) == 0);
    CHECK(guest.call(0, number::accept, listener, 0, 0) > 0);
    CHECK(guest.call(0, number::openat, Guest::cwd, name + 2, 0, 0) == -ENOENT);
}

TEST_CASE("what sockets refuse") {
    Net guest;
    CHECK(guest.make(16, stream) == -EAFNOSUPPORT);  // netlink
    CHECK(guest.make(17, 3) == -EAFNOSUPPORT);       // packets
    CHECK(guest.make(inet, 3) == -EPERM);
    CHECK(guest.make(inet, sequenced) == -ESOCKTNOSUPPORT);
    CHECK(guest.make(inet, 12) == -EINVAL);
    CHECK(*guest.call(0, number::socket, inet, stream, 17) == -EPROTONOSUPPORT);
    CHECK(guest.call(0, number::socketpair, inet, stream, 0, guest.scratch) == -EOPNOTSUPP);
    const std::int64_t fd = guest.make(inet, stream);
    CHECK(guest.call(0, number::accept, fd, 0, 0) == -EINVAL);
    CHECK(guest.call(0, number::accept, 1, 0, 0) == -ENOTSOCK);
    CHECK(guest.call(0, number::bind, fd, guest.inet_at(0x100, 8000), 15) == -EINVAL);
    CHECK(guest.call(0, number::bind, fd, 16, 16) == -EFAULT);
    CHECK(guest.bind(fd, 80) == -EACCES);
    CHECK(guest.bind(fd, 8000) == 0);
    CHECK(guest.bind(fd, 8001) == -EINVAL);
    CHECK(guest.bind(guest.make(inet, stream), 8000) == -EADDRINUSE);
    CHECK(guest.bind(guest.make(inet, datagram), 8000) == 0);
    CHECK(guest.read(0, fd) == -ENOTCONN);
    CHECK(guest.call(0, number::shutdown, fd, 1) == -ENOTCONN);
    CHECK(guest.call(0, number::listen, guest.make(inet, datagram), 1) == -EOPNOTSUPP);
    CHECK(guest.call(0, number::lseek, fd, 0, 0) == -ESPIPE);
    CHECK(guest.call(0, number::fstat, fd, guest.scratch) == 0);
    CHECK((guest.get<abi::Stat>(guest.scratch).mode & 0170000) == 0140000);
}

TEST_CASE("options of sockets") {
    Net guest;
    const std::int64_t fd = guest.make(inet, stream);
    CHECK(guest.option(fd, 1, 3) == 1);
    CHECK(guest.option(fd, 1, 39) == 2);
    CHECK(guest.option(fd, 1, 38) == 6);
    CHECK(guest.option(fd, 1, 30) == 0);
    CHECK(guest.option(fd, 1, 7) == 212992);
    guest.put(0x210, std::int32_t{1});
    CHECK(guest.call(0, number::setsockopt, fd, 6, 1, guest.scratch + 0x210, 4) == 0);
    CHECK(guest.option(fd, 6, 1) == 1);
    CHECK(guest.option(fd, 99, 1) == -EOPNOTSUPP);
    CHECK(guest.call(0, number::setsockopt, fd, 1, 2, guest.scratch, 3) == -EINVAL);
    CHECK(guest.call(0, number::setsockopt, fd, 1, 2, 16, 4) == -EFAULT);
    CHECK(guest.option(guest.make(local, stream), 6, 1) == -EOPNOTSUPP);

    const auto [one, other] = guest.pair();
    guest.put(0x210, abi::Time{0, 5});  // struct timeval: 5 microseconds
    CHECK(guest.call(0, number::setsockopt, one, 1, 20, guest.scratch + 0x210, 16) == 0);
    CHECK(guest.read(1, one) == std::nullopt);
    guest.pass_time(5000);
    CHECK(guest.woken(1) == -EAGAIN);
}

TEST_CASE("messages in pieces, with where they come from") {
    Net guest;
    const auto [one, other] = guest.pair();
    struct Message {
        std::uint64_t name = 0, name_bytes = 0, vectors = 0, count = 0, control = 0, control_bytes = 0, flags = 0;
    };
    guest.text(0x400, "abcdef");
    guest.put(0x500, std::array<std::uint64_t, 4>{guest.scratch + 0x400, 4, guest.scratch + 0x404, 2});
    Message message{.vectors = guest.scratch + 0x500, .count = 2};
    CHECK(guest.call(0, number::sendmsg, one, guest.put(0x600, message), 0) == 6);
    guest.put(0x500, std::array<std::uint64_t, 4>{guest.room(1), 1, guest.room(1) + 1, 9});
    CHECK(guest.call(1, number::recvmsg, other, guest.scratch + 0x600, 0) == 6);
    CHECK(guest.string(guest.room(1), 6) == "abcdef");
    // All of them or none.
    CHECK(guest.write(0, one, "1234") == 4);
    CHECK(guest.call(1, number::recvfrom, other, guest.room(1), 8, 0x100, 0, 0) == std::nullopt);
    CHECK(guest.write(0, one, "56789") == 5);
    CHECK(guest.woken(1) == 8);
    CHECK(guest.string(guest.room(1), 8) == "12345678");
}
