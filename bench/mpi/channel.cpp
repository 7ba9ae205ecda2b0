// Channels between two processes beside MPI's own messages on the same communicator, and a channel between two threads.
// One run, whose rounds measure every row in turn, so that a disturbance falls on all; medians and minima.
//
//     mpiexec -n 2 bench_mpi_channel [rounds]
//
// Half a round trip, in nanoseconds, and of a stream the time of a message, with what it is of MPI's own.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>

namespace {

using croft::mpi::channel;
using croft::mpi::kind;
using croft::mpi::processes;

constexpr int trips = 2'000, stream = 50'000, window = 64;

template <std::size_t Bytes>
struct message {
    std::array<std::uint64_t, Bytes / 8> words;
};

struct row {
    std::string name;
    int items;
    std::function<void()> action;
    std::vector<double> found = {};  // ns an item
};

// Without keeping a core from others.
void meet(MPI_Comm comm) {
    MPI_Request all;
    MPI_Ibarrier(comm, &all);
    for (int met = 0; !met; MPI_Test(&all, &met, MPI_STATUS_IGNORE))
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    MPI_Barrier(comm);
}

void measure(const processes& group, const char* title, std::vector<row> rows, int rounds) {
    for (int round = -1; round < rounds; ++round)
        for (row& each : rows) {
            meet(group.comm());
            const auto begin = std::chrono::steady_clock::now();
            each.action();
            const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
            if (round >= 0) each.found.push_back(took.count() / each.items);
        }
    if (group.rank() != 0) return;
    std::printf("\n%-52s %10s %10s %10s\n", title, "median ns", "least ns", "/ MPI's");
    double own = 0;
    for (row& each : rows) {
        std::sort(each.found.begin(), each.found.end());
        const double median = each.found[each.found.size() / 2];
        if (own == 0) own = median;
        std::printf("  %-50s %10.1f %10.1f %10.3f\n", each.name.c_str(), median, each.found.front(), median / own);
    }
}

template <class Message>
struct pair_of_channels {
    pair_of_channels(const processes& group, kind by) : there(group, 0, 1, {.by = by}), back(group, 1, 0, {.by = by}) {}
    channel<Message> there, back;
};

template <std::size_t Bytes>
void latency(const processes& group, int rounds) {
    using one = message<Bytes>;
    const bool first = group.rank() == 0;
    pair_of_channels<one> by_messages(group, kind::persistent), by_put(group, kind::put);
    const auto ping = [first](auto& pair) {
        return [&pair, first] {
            one sent{};
            for (int i = 0; i < trips; ++i) {
                if (first)
                    pair.there.send(sent), sent = *pair.back.receive();
                else
                    pair.back.send(*pair.there.receive());
            }
        };
    };
    const auto in_place = [&] {
        for (int i = 0; i < trips; ++i) {
            auto& out = first ? by_messages.there : by_messages.back;
            auto& in = first ? by_messages.back : by_messages.there;
            if (first) out.acquire().words[0] = 1, out.publish();
            in.receive_in_place();
            in.set_ack();
            if (!first) out.acquire().words[0] = 1, out.publish();
        }
    };
    const auto mpi = [&] {
        one it{};
        for (int i = 0; i < trips; ++i) {
            if (first) MPI_Send(&it, sizeof it, MPI_BYTE, 1, 0, group.comm());
            MPI_Recv(&it, sizeof it, MPI_BYTE, 1 - group.rank(), 0, group.comm(), MPI_STATUS_IGNORE);
            if (!first) MPI_Send(&it, sizeof it, MPI_BYTE, 0, 0, group.comm());
        }
    };
    const auto polled = [&] {
        one it{};
        const auto receive = [&] {
            MPI_Request next;
            MPI_Irecv(&it, sizeof it, MPI_BYTE, 1 - group.rank(), 0, group.comm(), &next);
            for (int come = 0; !come;) MPI_Test(&next, &come, MPI_STATUS_IGNORE);
        };
        for (int i = 0; i < trips; ++i) {
            if (first) MPI_Send(&it, sizeof it, MPI_BYTE, 1, 0, group.comm());
            receive();
            if (!first) MPI_Send(&it, sizeof it, MPI_BYTE, 0, 0, group.comm());
        }
    };
    const auto threads = [&] {
        if (!first) return;
        croft::channel<one> there(16), back(16);
        std::thread other([&] {
            for (int i = 0; i < trips; ++i) back.send(*there.receive());
        });
        one sent{};
        for (int i = 0; i < trips; ++i) there.send(sent), sent = *back.receive();
        other.join();
    };
    measure(group, ("half a round trip of " + std::to_string(Bytes) + " bytes").c_str(),
            {{"MPI_Send and MPI_Recv", 2 * trips, mpi},
             {"MPI_Send, MPI_Irecv and MPI_Test until it has come", 2 * trips, polled},
             {"channel, persistent", 2 * trips, ping(by_messages)},
             {"channel, persistent, in place", 2 * trips, in_place},
             {"channel, put", 2 * trips, ping(by_put)},
             {"croft::channel of two threads", 2 * trips, threads}},
            rounds);
}

void streams(const processes& group, int rounds) {
    using number = std::uint64_t;
    const bool first = group.rank() == 0;
    using std::chrono::microseconds;
    channel<number> by_messages(group, 0, 1, {.by = kind::persistent, .degree = 64}),
        by_put(group, 0, 1, {.by = kind::put, .degree = 64}),
        gathered(group, 0, 1, {.by = kind::persistent, .degree = 64, .gather = microseconds(20)}),
        put_gathered(group, 0, 1, {.by = kind::put, .degree = 64, .gather = microseconds(20)});
    std::vector<number> numbers(stream);
    for (number i = 0; i < stream; ++i) numbers[i] = i;
    number wrong = 0;
    const auto drain = [&](channel<number>& from) {
        for (number i = 0; i < stream;) {
            const auto some = from.receive_some_in_place();
            for (const number each : some) wrong += each != i++;
            from.set_ack(some.size());
        }
    };
    // The receiver tells that it has all, so that both measure the same.
    const auto answered = [&](auto work) {
        return [&group, work, first] {
            work();
            char done = 0;
            if (first)
                MPI_Recv(&done, 1, MPI_BYTE, 1, 1, group.comm(), MPI_STATUS_IGNORE);
            else
                MPI_Send(&done, 1, MPI_BYTE, 0, 1, group.comm());
        };
    };
    const auto range = [&](channel<number>& by) {
        return answered([&] {
            if (first)
                by.send(numbers.begin(), numbers.end());
            else
                drain(by);
        });
    };
    const auto singles = [&](channel<number>& by) {
        return answered([&] {
            if (first) {
                for (const number each : numbers) by.send(each);
                by.flush();
            } else {
                for (number i = 0; i < stream; ++i) wrong += *by.receive() != i;
            }
        });
    };
    const auto mpi = answered([&] {
        std::array<MPI_Request, window> under_way;
        under_way.fill(MPI_REQUEST_NULL);
        std::vector<number> taken(window);
        for (int i = 0; i < stream + window; ++i) {
            MPI_Request& next = under_way[static_cast<std::size_t>(i % window)];
            MPI_Wait(&next, MPI_STATUS_IGNORE);
            if (!first && i >= window)
                wrong += taken[static_cast<std::size_t>(i % window)] != static_cast<number>(i - window);
            if (i >= stream) continue;
            if (first)
                MPI_Isend(&numbers[static_cast<std::size_t>(i)], 8, MPI_BYTE, 1, 2, group.comm(), &next);
            else
                MPI_Irecv(&taken[static_cast<std::size_t>(i % window)], 8, MPI_BYTE, 0, 2, group.comm(), &next);
        }
    });
    measure(group, "a message of 8 bytes in a stream",
            {{"MPI_Isend each, 64 outstanding, MPI_Irecv as many", stream, mpi},
             {"channel, persistent, one send a frame", stream, singles(by_messages)},
             {"channel, persistent, send(range)", stream, range(by_messages)},
             {"channel, persistent, gathered singly", stream, singles(gathered)},
             {"channel, put, send(range)", stream, range(by_put)},
             {"channel, put, gathered singly", stream, singles(put_gathered)}},
            rounds);
    if (wrong) std::printf("rank %d: %lu wrong\n", group.rank(), static_cast<unsigned long>(wrong));
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const processes& world) {
        if (world.size() != 2) throw croft::mpi::error("two processes, please");
        const int rounds = argc > 1 ? std::atoi(argv[1]) : 21;
        latency<8>(world, rounds);
        latency<1024>(world, rounds);
        streams(world, rounds);
        return 0;
    });
}
