// The sandbox holds over sockets, pipes and files in memory: none of them is, or leads to, anything of the host.

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "temporary_directory.hpp"
#include "waiting_test.hpp"

using namespace croftsim;
namespace fs = std::filesystem;

namespace {

struct Attacker : Waiters {
    explicit Attacker(RunOptions options = {}) : Waiters(2, options) {}
    std::uint64_t inet_at(std::uint16_t port, std::array<std::uint8_t, 4> host) {
        std::array<std::uint8_t, 16> bytes{2, 0, static_cast<std::uint8_t>(port >> 8), static_cast<std::uint8_t>(port)};
        std::copy(host.begin(), host.end(), bytes.begin() + 4);
        return put(0x100, bytes);
    }
    std::uint64_t local_at(std::string_view name) {
        put(0x100, std::uint16_t{1});
        return text(0x102, name) - 2;
    }
    std::int64_t make(int family, int type = SOCK_STREAM) { return *call(0, number::socket, family, type, 0); }
};

// How many descriptors this process has that are sockets.
std::size_t host_sockets() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        count += fs::read_symlink(entry.path(), error).string().starts_with("socket:");
    }
    return count;
}

}  // namespace

TEST_CASE("no socket of the host is made, and no other machine is reached") {
    const std::size_t before = host_sockets();
    Attacker guest;
    for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
        const std::int64_t fd = guest.make(AF_INET, type);
        for (const auto host : {std::array<std::uint8_t, 4>{8, 8, 8, 8},
                                {10, 0, 0, 1},
                                {192, 168, 0, 1},
                                {169, 254, 169, 254},
                                {255, 255, 255, 255},
                                {224, 0, 0, 1}}) {
            CHECK(guest.call(0, number::connect, fd, guest.inet_at(80, host), 16) == -ENETUNREACH);
            CHECK(guest.call(0, number::bind, fd, guest.inet_at(8080, host), 16) == -EADDRNOTAVAIL);
            if (type == SOCK_DGRAM)
                CHECK(guest.call(0, number::sendto, fd, guest.scratch, 1, 0, guest.inet_at(53, host), 16) ==
                      -ENETUNREACH);
        }
    }
    std::array<std::uint8_t, 28> six{10, 0, 0, 80};
    six[8] = 0x20;
    six[9] = 0x01;
    CHECK(guest.call(0, number::connect, guest.make(AF_INET6), guest.put(0x100, six), 28) == -ENETUNREACH);
    std::array<std::uint8_t, 28> mapped{10, 0, 0, 80};
    mapped[18] = mapped[19] = 0xff;
    mapped[20] = 8;
    CHECK(guest.call(0, number::connect, guest.make(AF_INET6), guest.put(0x100, mapped), 28) == -ENETUNREACH);
    for (const int family : {AF_NETLINK, AF_PACKET, 40 /* AF_VSOCK */, 38 /* AF_ALG */})
        CHECK(guest.make(family) == -EAFNOSUPPORT);
    CHECK(guest.make(AF_INET, SOCK_RAW) == -EPERM);
    CHECK(host_sockets() == before);
}

TEST_CASE("a server of the host is not there for the program") {
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(server >= 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof here;
    const bool listens = ::bind(server, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0 &&
                         ::listen(server, 1) == 0 &&
                         ::getsockname(server, reinterpret_cast<sockaddr*>(&here), &length) == 0;
    if (listens) {
        Attacker guest;
        CHECK(guest.call(0, number::connect, guest.make(AF_INET), guest.inet_at(ntohs(here.sin_port), {127, 0, 0, 1}),
                         16) == -ECONNREFUSED);
        // And the program may have the same port, which is another.
        CHECK(guest.call(0, number::bind, guest.make(AF_INET), guest.inet_at(ntohs(here.sin_port), {127, 0, 0, 1}),
                         16) == 0);
    }
    ::close(server);
}

TEST_CASE("the path of a socket is never made on the host, nor is one of the host's found") {
    TemporaryDirectory directory;
    RunOptions options;
    options.directories = {{directory.path(), "/data"}};
    Attacker guest(options);
    const std::int64_t fd = guest.make(AF_UNIX);
    CHECK(guest.call(0, number::bind, fd, guest.local_at("/data/socket"), 15) == 0);
    CHECK(guest.call(0, number::listen, fd, 1) == 0);
    CHECK(fs::is_empty(directory.path()));
    CHECK_FALSE(fs::exists("/data/socket"));
    std::ofstream(directory / "file") << "hello";
    CHECK(guest.call(0, number::bind, guest.make(AF_UNIX), guest.local_at("/data/file"), 13) == -EADDRINUSE);
    CHECK(guest.call(0, number::bind, guest.make(AF_UNIX), guest.local_at("/data/file/x"), 15) == -ENOTDIR);
    for (const char* path : {"/run/systemd/notify", "/var/run/nscd/socket", "/tmp/.X11-unix/X0", "/dev/log"})
        CHECK(guest.call(0, number::connect, guest.make(AF_UNIX), guest.local_at(path), 3 + strlen(path)) == -ENOENT);
    CHECK(guest.call(0, number::connect, guest.make(AF_UNIX), guest.local_at(std::string(1, '\0') + "name"), 7) ==
          -ECONNREFUSED);
}

TEST_CASE("descriptors do not travel by sockets") {
    Attacker guest;
    REQUIRE(guest.call(0, number::socketpair, AF_UNIX, SOCK_STREAM, 0, guest.scratch) == 0);
    const auto [one, other] = guest.get<std::array<std::int32_t, 2>>(guest.scratch);
    struct Control {
        std::uint64_t bytes = 20;
        std::int32_t level = SOL_SOCKET, type = SCM_RIGHTS, descriptor = 1, pad = 0;
    };
    struct Message {
        std::uint64_t name = 0, name_bytes = 0, vectors = 0, count = 0, control = 0, control_bytes = 0, flags = 0;
    };
    guest.put(0x300, std::array<std::uint64_t, 2>{guest.scratch, 1});
    Message message{.vectors = guest.scratch + 0x300,
                    .count = 1,
                    .control = guest.put(0x400, Control{}),
                    .control_bytes = sizeof(Control)};
    CHECK(guest.call(0, number::sendmsg, one, guest.put(0x200, message), 0) == -EPERM);
    guest.put(0x400, Control{.bytes = 1 << 30});
    CHECK(guest.call(0, number::sendmsg, one, guest.scratch + 0x200, 0) == -EINVAL);
    guest.put(0x400, Control{.bytes = 0});
    CHECK(guest.call(0, number::sendmsg, one, guest.scratch + 0x200, 0) == -EINVAL);
    CHECK(guest.call(0, number::recvfrom, other, guest.scratch, 1, MSG_DONTWAIT, 0, 0) == -EAGAIN);
}

TEST_CASE("no path leads to a pipe, a socket or a file in memory") {
    Attacker guest;
    const auto [reads, writes] = guest.pipe();
    const std::int64_t memory = *guest.call(0, number::memfd_create, guest.text(0x100, "../../etc/passwd"), 0);
    for (const std::int64_t fd : {std::int64_t{reads}, std::int64_t{writes}, memory, guest.make(AF_UNIX)})
        for (const char* folder : {"/proc/self/fd/", "/dev/fd/", "/proc/1/fd/"}) {
            const std::string path = folder + std::to_string(fd);
            CHECK(guest.call(0, number::openat, Guest::cwd, guest.text(0x200, path), 2, 0) == -ENOENT);
        }
    CHECK(guest.call(0, number::fchdir, reads) == -ENOTDIR);
    CHECK(guest.call(0, number::openat, reads, guest.text(0x200, "x"), 0, 0) == -ENOTDIR);
}
