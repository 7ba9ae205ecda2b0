// Channels in shared memory between the processes of a node. All processes run the same tests at the same time, in
// pairs: of ranks 2i and 2i + 1 the first one sends. To be run by 2 processes and by 4:
//
//     mpiexec -n 2 shared_channel_test          (Open MPI: --oversubscribe)

#include <doctest/doctest.h>

#include <croft/channel/wait_any.hpp>
#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>
#include <croft/mpi/many_to_one.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/request_reply.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using croft::mpi::kind;
using croft::mpi::many_to_one;
using croft::mpi::processes;
using croft::mpi::request_reply;
using croft::mpi::waiter;

const processes& all() { return croft::mpi::world(); }
int me() { return all().rank(); }

// The two ends of this process's pair. If the number of processes is odd, the last has no partner and so no pair.
struct pair_of_ranks {
    int sender = me() / 2 * 2, receiver = sender + 1;
    bool exists() const {
        return receiver < all().size() && all().on_this_node(sender) && all().on_this_node(receiver);
    }
    bool sends() const { return me() == sender; }
};

struct wide {
    std::array<std::uint64_t, 30> words;

    static wide of(std::uint64_t number) {
        wide made;
        for (std::uint64_t i = 0; i < made.words.size(); ++i) made.words[i] = number + i;
        return made;
    }
    bool is(std::uint64_t number) const {
        bool right = true;
        for (std::uint64_t i = 0; i < words.size(); ++i) right &= words[i] == number + i;
        return right;
    }
};

// As many as are told, but fewer where processes outnumber cores and have to take turns at nearly every one.
template <class Number>
Number messages_of(Number many, std::size_t degree) {
    return degree < 64 && all().size() > 2 ? many / 5 : many;
}

double processor_seconds_of_this_thread() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace

TEST_CASE("a stream by value comes whole and in order, for every degree") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    for (const std::uint32_t degree : {1u, 2u, 64u}) {
        croft::mpi::channel<int> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = degree});
        const int messages = messages_of(100'000, degree);
        if (pair.sends()) {
            for (int i = 0; i < messages; ++i) channel.send(i);
            channel.close();
        } else {
            int received = 0;
            bool right = true;
            while (const auto message = channel.receive()) right &= *message == received++;
            CHECK(right);
            CHECK(received == messages);
            CHECK(channel.ended());
            CHECK(!channel.receive());
        }
    }
}

TEST_CASE("a stream of several lines a message, in place") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    for (const std::uint32_t degree : {1u, 2u, 64u}) {
        croft::mpi::channel<wide> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = degree});
        const std::uint64_t messages = messages_of(std::uint64_t{100'000}, degree);
        if (pair.sends()) {
            for (std::uint64_t i = 0; i < messages; ++i) {
                channel.acquire() = wide::of(i);
                channel.publish();
            }
            channel.close();
        } else {
            std::uint64_t received = 0;
            bool right = true;
            for (; const wide* const message = channel.receive_in_place(); channel.set_ack())
                right &= message->is(received++);
            CHECK(right);
            CHECK(received == messages);
        }
    }
}

TEST_CASE("ranges are sent, and several are received at a time") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    for (const std::uint32_t degree : {1u, 64u, 1024u}) {
        croft::mpi::channel<int> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = degree});
        constexpr int at_once = 1000;
        const int messages = messages_of(100'000, degree);
        if (pair.sends()) {
            std::vector<int> some(at_once);
            for (int i = 0; i < messages; i += at_once) {
                std::iota(some.begin(), some.end(), i);
                channel.send(some.begin(), some.end());
            }
            channel.close();
        } else {
            int received = 0;
            bool right = true;
            for (auto some = channel.receive_some_in_place(); !some.empty(); some = channel.receive_some_in_place()) {
                for (const int each : some) right &= each == received++;
                channel.set_ack(some.size());
            }
            CHECK(right);
            CHECK(received == messages);
        }
    }
}

TEST_CASE("calls that do not wait") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    croft::mpi::channel<int> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 2});
    croft::mpi::channel<int> go(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 1});
    croft::mpi::channel<int> back(all(), pair.receiver, pair.sender, {.by = kind::shared, .degree = 1});
    if (pair.sends()) {
        while (!channel.try_send(1)) std::this_thread::sleep_for(10us);  // the other side may not be made
        CHECK(channel.try_send(2));
        CHECK(!channel.try_send(3));
        go.send(0);
        back.receive();
        channel.close();
    } else {
        CHECK(!channel.ended());
        go.receive();
        CHECK(*channel.receive() == 1);
        CHECK(*channel.receive() == 2);
        CHECK(!channel.try_receive());
        CHECK(!channel.ended());
        back.send(0);
        CHECK(!channel.receive());
        CHECK(channel.ended());
    }
}

TEST_CASE("a receiver that leaves is told of to a sender without room") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    for (const bool timed : {false, true}) {
        croft::mpi::channel<int> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 2});
        if (pair.sends()) {
            CHECK(!channel.disconnected());
            const auto send_on = [&] {
                for (int i = 0; i < 1000; ++i) {
                    if (timed)
                        channel.send_for(i, 10s);
                    else
                        channel.send(i);
                }
            };
            CHECK_THROWS_AS(send_on(), croft::disconnected);
            CHECK(channel.disconnected());
            channel.close();
        } else {
            CHECK(*channel.receive() == 0);
            std::this_thread::sleep_for(20ms);  // so that the sender sleeps
            channel.leave();
        }
    }
}

TEST_CASE("calls that wait for a bounded time") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    croft::mpi::channel<int> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 1});
    croft::mpi::channel<int> go(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 1}),
        back(all(), pair.receiver, pair.sender, {.by = kind::shared, .degree = 1});
    if (pair.sends()) {
        back.receive();  // it has waited in vain
        CHECK(channel.send_for(1, 5s));
        const auto begin = std::chrono::steady_clock::now();
        CHECK(!channel.send_for(2, 30ms));
        CHECK(!channel.acquire_for(1ms));
        CHECK(std::chrono::steady_clock::now() - begin >= 31ms);
        std::stop_source stop;
        std::jthread later([&stop] {
            std::this_thread::sleep_for(20ms);
            stop.request_stop();
        });
        CHECK(!channel.send_until(2, stop.get_token()));
        go.send(0);
        back.receive();
        channel.send(3);
        channel.close();
    } else {
        const auto begin = std::chrono::steady_clock::now();
        CHECK(!channel.receive_for(30ms));
        CHECK(std::chrono::steady_clock::now() - begin >= 30ms);
        back.send(0);
        go.receive();
        CHECK(channel.receive_for(5s) == 1);
        back.send(0);
        CHECK(channel.receive_for(5s) == 3);
        CHECK(!channel.receive_for(5s));
        CHECK(channel.ended());
    }
}

TEST_CASE("many to one, from all other processes") {
    const int receiver = all().size() - 1;
    std::vector<int> senders(static_cast<std::size_t>(receiver));
    std::iota(senders.begin(), senders.end(), 0);
    for (int rank = 0; rank < all().size(); ++rank)
        if (!all().on_this_node(rank)) return;
    for (const std::uint32_t degree : {1u, 64u}) {
        many_to_one<int> channel(all(), senders, receiver, {.by = kind::shared, .degree = degree});
        const int messages = messages_of(20'000, degree);
        if (me() != receiver) {
            for (int i = 0; i < messages; ++i) channel.send(me() << 16 | i);
            channel.close();
        } else {
            std::vector<int> received(senders.size());
            bool right = true;
            while (const int* const message = channel.receive_in_place()) {
                const auto from = static_cast<std::size_t>(channel.last_sender());
                right &= *message == (static_cast<int>(from) << 16 | received[from]++);
                channel.set_ack();
            }
            CHECK(right);
            for (const int each : received) CHECK(each == messages);
            CHECK(channel.ended());
        }
    }
    // One that leaves.
    many_to_one<int> channel(all(), senders, receiver, {.by = kind::shared, .degree = 4});
    if (me() != receiver) {
        const auto send_on = [&] {
            for (int i = 0; i < 1000; ++i) channel.send(i);
        };
        CHECK_THROWS_AS(send_on(), croft::disconnected);
    } else {
        CHECK(channel.receive());
        channel.leave();
    }
}

TEST_CASE("requests get their replies") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    request_reply<std::uint32_t, wide> asked(all(), pair.sender, pair.receiver, {.by = kind::shared});
    constexpr std::uint32_t requests = 20'000;
    if (pair.sends()) {
        bool right = true;
        for (std::uint32_t i = 0; i < requests; ++i) right &= asked.call(i).is(2 * i);
        CHECK(right);
        asked.request() = 7;
        asked.publish();
        CHECK(asked.await_reply().is(14));
        CHECK(!asked.call_for(~0u, 20ms));  // to which it replies later
        CHECK(asked.await_reply_for(5s));
        asked.publish();  // to which it will not reply
        CHECK_THROWS_AS(asked.await_reply(), croft::disconnected);
        CHECK(asked.disconnected());
    } else {
        std::uint32_t served = 0;
        while (const auto request = asked.receive()) {
            if (*request == ~0u) std::this_thread::sleep_for(100ms);
            if (served == requests + 2) {
                asked.leave();
                break;
            }
            asked.reply(wide::of(2 * *request));
            ++served;
        }
        CHECK(served == requests + 2);
    }
    request_reply<int> closed(all(), pair.sender, pair.receiver, {.by = kind::shared});
    if (pair.sends()) {
        CHECK(closed.call(1) == 2);
        closed.close();
    } else {
        while (const auto request = closed.receive()) closed.reply(*request + 1);
        CHECK(closed.ended());
    }
}

TEST_CASE("one waiter for all that a thread waits at") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    waiter mine;
    croft::mpi::channel<int> first(all(), pair.sender, pair.receiver,
                                   {.by = kind::shared, .degree = 2, .sender_waiter = &mine, .receiver_waiter = &mine});
    many_to_one<int> second(all(), {pair.sender}, pair.receiver,
                            {.by = kind::shared, .degree = 2, .sender_waiter = &mine, .receiver_waiter = &mine});
    request_reply<int> asked(all(), pair.sender, pair.receiver,
                             {.by = kind::shared, .sender_waiter = &mine, .receiver_waiter = &mine});
    if (pair.sends()) {
        for (int i = 0; i < 100; ++i) {
            if (i % 10 == 0) std::this_thread::sleep_for(1ms);  // so that it sleeps
            if (i % 3 == 0)
                first.send(i);
            else if (i % 3 == 1)
                second.send(i);
            else
                CHECK(asked.call(i) == i + 1);
        }
        first.close();
        second.close();
        asked.close();
    } else {
        int sum = 0;
        while (croft::wait_any(first, second, asked)) {
            if (const auto message = first.try_receive()) sum += *message;
            if (const auto message = second.try_receive()) sum += *message;
            if (const auto request = asked.try_receive()) {
                sum += *request;
                asked.reply(*request + 1);
            }
        }
        CHECK(sum == 99 * 100 / 2);
    }
}

TEST_CASE("who waits, for a message, room or a reply, uses next to no processor time") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    croft::mpi::channel<int> there(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 1});
    request_reply<int> asked(all(), pair.receiver, pair.sender, {.by = kind::shared});
    // A spinning process would have used what it waited, 0.3 s, or its share of that.
    constexpr double next_to_no_time = 0.02;
    if (pair.sends()) {
        std::this_thread::sleep_for(300ms);
        there.send(1);
        there.send(2);
        const double before = processor_seconds_of_this_thread();
        there.send(3);
        CHECK(processor_seconds_of_this_thread() - before < next_to_no_time);
        const auto request = asked.receive();
        std::this_thread::sleep_for(300ms);
        asked.reply(*request);
    } else {
        double before = processor_seconds_of_this_thread();
        CHECK(there.receive() == 1);
        CHECK(processor_seconds_of_this_thread() - before < next_to_no_time);
        std::this_thread::sleep_for(300ms);
        CHECK(there.receive() == 2);
        CHECK(there.receive() == 3);
        before = processor_seconds_of_this_thread();
        CHECK(asked.call(4) == 4);
        CHECK(processor_seconds_of_this_thread() - before < next_to_no_time);
    }
}

TEST_CASE("races between falling asleep and being woken") {
    const pair_of_ranks pair;
    if (!pair.exists()) return;
    waiter mine;
    mine.spin_for(0us);
    croft::mpi::channel<std::uint32_t> there(
        all(), pair.sender, pair.receiver,
        {.by = kind::shared, .degree = 1, .sender_waiter = &mine, .receiver_waiter = &mine});
    croft::mpi::channel<std::uint32_t> back(
        all(), pair.receiver, pair.sender,
        {.by = kind::shared, .degree = 1, .sender_waiter = &mine, .receiver_waiter = &mine});
    constexpr std::uint32_t messages = 5'000;
    bool right = true;
    volatile std::uint32_t spent = 0;
    for (std::uint32_t i = 0; i < messages; ++i) {
        if (pair.sends()) {
            for (std::uint32_t n = 0; n < i % 97 * 8; ++n) spent = spent + 1;  // meet the partner at every stage
            there.send(i);
            right &= *back.receive() == i + 1;
        } else {
            back.send(*there.receive() + 1);
        }
    }
    CHECK(right);
}

TEST_CASE("what cannot be made is refused, at all ranks, with a sentence") {
    const pair_of_ranks pair;
    const auto sentence_of = [](auto action) {
        try {
            action();
        } catch (const croft::mpi::error& thrown) {
            return std::string(thrown.what());
        }
        return std::string();
    };
    // A rank of another node. (MPICH does as if there were such: MPIR_CVAR_ODD_EVEN_CLIQUES=1.)
    for (int rank = 0; rank < all().size(); ++rank)
        if (!all().on_this_node(rank)) {
            CHECK(sentence_of([&] { croft::mpi::channel<int> none(all(), me(), rank, {.by = kind::shared}); }) ==
                  "croft::mpi: at rank " + std::to_string(me()) + ": rank " + std::to_string(rank) +
                      " is on another node, and shares no memory");
            CHECK(croft::mpi::channel<int>(all(), std::min(me(), rank), std::max(me(), rank)).by() == kind::persistent);
        }
    if (!pair.exists()) return;
    // There is not so much memory, not even addresses for it: both hear of it.
    struct large {
        char bytes[1 << 16];
    };
    CHECK(sentence_of([&] {
              croft::mpi::channel<large> none(all(), pair.sender, pair.receiver,
                                              {.by = kind::shared, .degree = std::uint32_t{1} << 31});
              if (pair.sends())
                  none.send(large());
              else
                  none.receive();
          }).find("croft::mpi: making shared memory") != std::string::npos);
    // And then one that can be.
    croft::mpi::channel<int> channel(all(), pair.sender, pair.receiver, {.by = kind::shared, .degree = 1});
    if (pair.sends())
        channel.send(1);
    else
        CHECK(channel.receive() == 1);
}

// The sender is a fork of this process: of an MPI's own processes, when one is killed, most let none go on.
TEST_CASE("of a peer that was killed comes what it has sent, and then an error with its rank") {
    using channel_type = croft::channel<int, croft::mpi::shared_policies>;
    constexpr std::size_t degree = 8;
    waiter senders, mine;
    const std::size_t size = croft::mpi::detail::lines_taken<channel_type>(mine, degree);
    for (const bool timed : {false, true}) {
        const croft::mpi::shared_memory memory(size);
        croft::mpi::line_supply made{memory.data(), false}, found{memory.data(), true};
        channel_type receiver(degree, croft::mpi::homes::in_shared_memory(made), &senders, &mine);
        channel_type sender(degree, croft::mpi::homes::in_shared_memory(found), &senders, &mine);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            for (int i = 0; i < 2; ++i) sender.send(i);
            while (sender.unread() != 0u) std::this_thread::sleep_for(1ms);  // until it is watched
            sender.send(2);
            raise(SIGKILL);
        }
        mine.watch(&receiver, croft::port::between_processes::process::of(child), 17,
                   [&receiver] { return receiver.ended(); });
        for (int i = 0; i < 3; ++i) CHECK(receiver.receive() == i);
        const auto begin = std::chrono::steady_clock::now();
        int rank = croft::mpi::no_rank;
        try {
            if (timed)
                while (!receiver.receive_for(50ms)) {
                }
            else
                receiver.receive();
        } catch (const croft::mpi::error& thrown) {
            rank = thrown.rank();
            CHECK(std::string(thrown.what()) == "croft::mpi: rank 17 has died, and is waited for");
        }
        CHECK(rank == 17);
        CHECK(std::chrono::steady_clock::now() - begin < 4s);
        mine.forget(&receiver);
        CHECK(!receiver.receive_for(10ms));  // nobody is watched any more
        waitpid(child, nullptr, 0);
    }
}
