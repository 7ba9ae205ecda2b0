// Threads that wait for each other in system calls: by pipes, event counters, poll, select, epoll, timers and sockets.
// The output does not depend on time, so it is the same natively and on a simulated machine.
// Usage: waiting [ROUNDS]
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

int rounds = 3;

void check(bool is_so, const char* what) {
    if (is_so) return;
    std::printf("%s failed: %s\n", what, std::strerror(errno));
    std::fflush(stdout);
    std::_Exit(1);
}

void send_all(int fd, const std::string& text) {
    check(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "write");
}

// So many bytes, in whatever pieces they come.
std::string take(int fd, std::size_t bytes) {
    std::string text(bytes, 0);
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t count = read(fd, text.data() + done, bytes - done);
        check(count >= 0, "read");
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
}

// A chain of threads: each reads from one pipe, and writes what it has read, and more, into the next.
void pipes() {
    constexpr int links = 3;
    std::array<std::array<int, 2>, links + 1> ends{};
    for (auto& pair : ends) check(pipe(pair.data()) == 0, "pipe");
    std::vector<std::thread> threads;
    for (int i = 0; i < links; ++i)
        threads.emplace_back([&, i] {
            for (int round = 0; round < rounds; ++round) {
                std::string text = take(ends[i][0], 5 + i);
                send_all(ends[i + 1][1], text + static_cast<char>('a' + i));
            }
            close(ends[i + 1][1]);
        });
    for (int round = 0; round < rounds; ++round) send_all(ends[0][1], "head" + std::to_string(round % 10));
    std::string all = take(ends[links][0], 1000);
    for (std::thread& thread : threads) thread.join();
    std::printf("pipes: %s\n", all.c_str());

    // More than a pipe holds at once: the writer waits several times.
    std::array<int, 2> wide{};
    check(pipe(wide.data()) == 0, "pipe");
    const std::size_t bytes = 100'000;
    std::thread writer([&] {
        send_all(wide[1], std::string(bytes, 'w'));
        close(wide[1]);
    });
    std::size_t sum = 0;
    for (const char c : take(wide[0], 2 * bytes)) sum += static_cast<unsigned char>(c);
    writer.join();
    std::printf("wide: %zu\n", sum / 'w');
    for (const auto& pair : ends) close(pair[0]);
    close(ends[0][1]);
    close(wide[0]);
    signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> broken{};
    check(pipe(broken.data()) == 0, "pipe");
    close(broken[0]);
    const ssize_t written = write(broken[1], "x", 1);
    std::printf("broken: %zd %d\n", written, errno == EPIPE);
    close(broken[1]);
}

void counters() {
    const int semaphore = eventfd(0, EFD_SEMAPHORE), sum = eventfd(0, EFD_NONBLOCK);
    std::uint64_t value = 0;
    check(read(sum, &value, sizeof value) < 0 && errno == EAGAIN, "an empty counter");
    std::vector<std::thread> threads;
    for (std::uint64_t i = 1; i <= 2; ++i)
        threads.emplace_back([&, i] {
            for (int round = 0; round < rounds; ++round) {
                std::uint64_t one = 0;
                check(read(semaphore, &one, sizeof one) == 8 && one == 1, "a semaphore");
                check(write(sum, &i, sizeof i) == 8, "a counter");
            }
        });
    value = static_cast<std::uint64_t>(2 * rounds);
    check(write(semaphore, &value, sizeof value) == 8, "write");
    for (std::thread& thread : threads) thread.join();
    check(read(sum, &value, sizeof value) == 8, "read");
    std::printf("counters: %d\n", static_cast<int>(value) == 3 * rounds);
    close(semaphore);
    close(sum);
}

// One thread serves three sources that others feed.
void readiness() {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0, "pipe");
    const int counter = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec soon{{0, 0}, {0, 200'000}};
    check(timerfd_settime(timer, 0, &soon, nullptr) == 0, "timerfd_settime");
    const int list = epoll_create1(EPOLL_CLOEXEC);
    for (const int fd : {ends[0], counter, timer}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        check(epoll_ctl(list, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
    }
    std::thread feeder([&] {
        const std::uint64_t one = 1;
        for (int round = 0; round < rounds; ++round) send_all(ends[1], "x");
        check(write(counter, &one, sizeof one) == 8, "write");
        close(ends[1]);
    });
    int bytes = 0, counts = 0, timers = 0;
    for (bool open = true; open || counts == 0 || timers == 0;) {
        epoll_event events[4];
        const int found = epoll_wait(list, events, 4, -1);
        check(found > 0, "epoll_wait");
        for (int i = 0; i < found; ++i) {
            std::uint64_t value = 0;
            const ssize_t count = read(events[i].data.fd, &value, events[i].data.fd == ends[0] ? 1 : 8);
            if (events[i].data.fd == timer) ++timers;
            if (events[i].data.fd == counter) ++counts;
            if (events[i].data.fd == ends[0] && count == 1) ++bytes;
            if (events[i].data.fd == ends[0] && count == 0) {
                open = false;
                check(epoll_ctl(list, EPOLL_CTL_DEL, ends[0], nullptr) == 0, "epoll_ctl");
            }
        }
    }
    feeder.join();
    std::printf("readiness: %d %d %d\n", bytes == rounds, counts, timers);

    pollfd entries[] = {{ends[0], POLLIN, 0}, {counter, POLLIN | POLLOUT, 0}, {-1, POLLIN, 0}, {500, POLLIN, 0}};
    const int found = poll(entries, 4, 1000);
    std::printf("poll: %d %x %x %x %x\n", found, entries[0].revents & ~POLLIN, entries[1].revents, entries[2].revents,
                entries[3].revents);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(counter, &set);
    timeval short_time{0, 100};
    std::printf("select: %d", select(counter + 1, &set, nullptr, nullptr, &short_time));
    std::printf(" %d\n", FD_ISSET(counter, &set));
    for (const int fd : {ends[0], counter, timer, list}) close(fd);
}

// A server that greets, a client for each round, and an echo by datagrams.
void network() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    check(bind(listener, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0, "bind");
    check(listen(listener, 4) == 0, "listen");
    socklen_t length = sizeof here;
    check(getsockname(listener, reinterpret_cast<sockaddr*>(&here), &length) == 0 && here.sin_port, "getsockname");
    std::thread server([&] {
        for (int round = 0; round < rounds; ++round) {
            const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
            check(client >= 0, "accept");
            const std::string name = take(client, 3);
            send_all(client, "hello " + name);
            close(client);
        }
    });
    for (int round = 0; round < rounds; ++round) {
        const int client = socket(AF_INET, SOCK_STREAM, 0);
        check(connect(client, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0, "connect");
        send_all(client, "no" + std::to_string(round % 10));
        std::printf("tcp: %s\n", take(client, 100).c_str());
        close(client);
    }
    server.join();
    close(listener);
    const int refused = socket(AF_INET, SOCK_STREAM, 0);
    const int connected = connect(refused, reinterpret_cast<sockaddr*>(&here), sizeof here);
    std::printf("refused: %d %d\n", connected, errno == ECONNREFUSED);
    close(refused);

    const int echo = socket(AF_INET, SOCK_DGRAM, 0), asks = socket(AF_INET, SOCK_DGRAM, 0);
    here.sin_port = 0;
    check(bind(echo, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0, "bind");
    check(getsockname(echo, reinterpret_cast<sockaddr*>(&here), &length) == 0, "getsockname");
    std::thread answers([&] {
        for (int round = 0; round < rounds; ++round) {
            char text[16] = "";
            sockaddr_in from{};
            socklen_t from_length = sizeof from;
            const ssize_t count =
                recvfrom(echo, text, sizeof text, 0, reinterpret_cast<sockaddr*>(&from), &from_length);
            check(count > 0, "recvfrom");
            check(sendto(echo, text, static_cast<std::size_t>(count), 0, reinterpret_cast<sockaddr*>(&from),
                         from_length) == count,
                  "sendto");
        }
    });
    for (int round = 0; round < rounds; ++round) {
        char text[16] = "";
        const std::string question = "datagram " + std::to_string(round % 10);
        check(sendto(asks, question.data(), question.size(), 0, reinterpret_cast<sockaddr*>(&here), sizeof here) > 0,
              "sendto");
        check(recv(asks, text, sizeof text, 0) > 0, "recv");
        std::printf("udp: %s\n", text);
    }
    answers.join();
    close(echo);
    close(asks);
}

// Two threads play ball by a pair of sockets, and a thread sends more than there is room for.
void pairs() {
    int ends[2];
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    std::thread partner([&] {
        for (;;) {
            const std::string ball = take(ends[1], 1);
            if (ball.empty()) break;
            send_all(ends[1], std::string(1, static_cast<char>(ball[0] + 1)));
        }
        close(ends[1]);
    });
    std::string ball = "A";
    for (int round = 0; round < rounds; ++round) {
        send_all(ends[0], ball);
        ball = take(ends[0], 1);
    }
    check(shutdown(ends[0], SHUT_WR) == 0, "shutdown");
    std::printf("pairs: %d %zu\n", ball[0] == 'A' + rounds, take(ends[0], 1).size());
    partner.join();
    close(ends[0]);

    check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socketpair");
    std::thread sender([&] {
        for (int i = 0; i < 3; ++i) send_all(ends[1], std::string(static_cast<std::size_t>(i) + 1, 'm'));
        close(ends[1]);
    });
    sender.join();
    char room[2];
    for (int i = 0; i < 4; ++i) std::printf("message: %zd\n", read(ends[0], room, sizeof room));
    close(ends[0]);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) rounds = std::atoi(argv[1]);
    pipes();
    counters();
    readiness();
    pairs();
    network();
    return 0;
}
