// Channels between two processes beside MPI's own messages on the same communicator, and a channel between two threads.
// One run, whose rounds measure every row in turn, so that a disturbance falls on all. It prints medians and minima of
// the rounds. A round takes the least of some short bursts, because the cores were taken away during a burst that
// takes long. Where other programs run, the operating system does that every few milliseconds.
//
//     mpiexec -n 2 bench_mpi_channel [rounds]       (Open MPI: --bind-to none)
//
// Half a round trip, in nanoseconds, and of a stream the time of a message, with what it is of MPI's own.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>
#include <croft/port/port.hpp>

namespace {

using croft::mpi::channel;
using croft::mpi::kind;
using croft::mpi::processes;

constexpr int trips = 200, bursts = 10, window = 64;
// Messages of a burst that go one by one, and several to a frame.
constexpr int stream = 2'000, long_stream = 50'000;

template <std::size_t Bytes>
struct message {
    std::array<std::uint64_t, Bytes / 8> words;
};

struct row {
    std::string name;
    int count, items_each;            // how often a burst does it, and what of that is counted
    std::function<void(int)> action;  // so often
    std::vector<double> found = {};   // ns an item
};

// Each process has a core, and the thread that the first one makes that of the other, which sleeps then. (A process
// that mpiexec has bound to one core has no other.)
void pin(int i) {
    static const std::vector<int> cores = croft::port::allowed_cores();
    croft::port::pin_this_thread(cores[static_cast<std::size_t>(i) % cores.size()]);
}

// Without keeping a core from others, or getting up in the middle of what they measure.
void meet(MPI_Comm comm) {
    MPI_Request all;
    MPI_Ibarrier(comm, &all);
    for (int met = 0; !met; MPI_Test(&all, &met, MPI_STATUS_IGNORE))
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    MPI_Barrier(comm);
}

void measure(const processes& group, const char* title, std::vector<row> rows, int rounds) {
    for (int round = -1; round < rounds; ++round)
        for (row& each : rows) {
            double least = 0;
            for (int burst = 0; burst < bursts; ++burst) {
                meet(group.comm());
                each.action(2);  // awakes whom it takes
                const auto begin = std::chrono::steady_clock::now();
                each.action(each.count);
                const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
                least = burst == 0 ? took.count() : std::min(least, took.count());
            }
            if (round >= 0) each.found.push_back(least / each.count / each.items_each);
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
    pair_of_channels<one> by_messages(group, kind::persistent), by_put(group, kind::put), shared(group, kind::shared);
    const auto ping = [first](auto& pair) {
        return [&pair, first](int count) {
            one sent{};
            for (int i = 0; i < count; ++i) {
                if (first)
                    pair.there.send(sent), sent = pair.back.receive().value();
                else
                    pair.back.send(pair.there.receive().value());
            }
        };
    };
    const auto in_place = [first](auto& pair) {
        return [&pair, first](int count) {
            auto& out = first ? pair.there : pair.back;
            auto& in = first ? pair.back : pair.there;
            for (int i = 0; i < count; ++i) {
                if (first) out.acquire().words[0] = 1, out.publish();
                in.receive_in_place();
                in.set_ack();
                if (!first) out.acquire().words[0] = 1, out.publish();
            }
        };
    };
    const auto mpi = [&](int count) {
        one it{};
        for (int i = 0; i < count; ++i) {
            if (first) MPI_Send(&it, sizeof it, MPI_BYTE, 1, 0, group.comm());
            MPI_Recv(&it, sizeof it, MPI_BYTE, 1 - group.rank(), 0, group.comm(), MPI_STATUS_IGNORE);
            if (!first) MPI_Send(&it, sizeof it, MPI_BYTE, 0, 0, group.comm());
        }
    };
    const auto polled = [&](int count) {
        one it{};
        const auto receive = [&] {
            MPI_Request next;
            MPI_Irecv(&it, sizeof it, MPI_BYTE, 1 - group.rank(), 0, group.comm(), &next);
            for (int come = 0; !come;) MPI_Test(&next, &come, MPI_STATUS_IGNORE);
        };
        for (int i = 0; i < count; ++i) {
            if (first) MPI_Send(&it, sizeof it, MPI_BYTE, 1, 0, group.comm());
            receive();
            if (!first) MPI_Send(&it, sizeof it, MPI_BYTE, 0, 0, group.comm());
        }
    };
    croft::channel<one> to_thread(32), from_thread(32);
    std::thread echo([&] {
        pin(1);
        while (const auto came = to_thread.receive()) from_thread.send(*came);
    });
    const auto threads = [&](int count) {
        one sent{};
        for (int i = 0; i < count && first; ++i) to_thread.send(sent), sent = from_thread.receive().value();
    };
    measure(group, ("half a round trip of " + std::to_string(Bytes) + " bytes").c_str(),
            {{"MPI_Send and MPI_Recv", trips, 2, mpi},
             {"MPI_Send, MPI_Irecv and MPI_Test until it has come", trips, 2, polled},
             {"channel, persistent", trips, 2, ping(by_messages)},
             {"channel, persistent, in place", trips, 2, in_place(by_messages)},
             {"channel, put", trips, 2, ping(by_put)},
             {"channel, shared", trips, 2, ping(shared)},
             {"channel, shared, in place", trips, 2, in_place(shared)},
             {"croft::channel of two threads", trips, 2, threads}},
            rounds);
    to_thread.close();
    echo.join();
}

void streams(const processes& group, int rounds) {
    using number = std::uint64_t;
    constexpr number last_of_many = number{1} << 63;
    const bool first = group.rank() == 0;
    using std::chrono::microseconds;
    channel<number> by_messages(group, 0, 1, {.by = kind::persistent, .degree = 64}),
        by_put(group, 0, 1, {.by = kind::put, .degree = 64}), shared(group, 0, 1, {.by = kind::shared, .degree = 1024}),
        gathered(group, 0, 1, {.by = kind::persistent, .degree = 64, .gather = microseconds(20)}),
        put_gathered(group, 0, 1, {.by = kind::put, .degree = 64, .gather = microseconds(20)});
    std::vector<number> numbers(long_stream);
    for (number i = 0; i < long_stream; ++i) numbers[i] = i;
    number wrong = 0;
    const auto drain = [&](channel<number>& from, number count) {
        for (number i = 0; i < count;) {
            const auto some = from.receive_some_in_place();
            for (const number each : some) wrong += each != i++;
            from.set_ack(some.size());
        }
    };
    // The receiver tells that it has all, so that both measure the same.
    const auto answered = [&](auto work) {
        return [&group, work, first](int count) {
            work(count);
            char done = 0;
            if (first)
                MPI_Recv(&done, 1, MPI_BYTE, 1, 1, group.comm(), MPI_STATUS_IGNORE);
            else
                MPI_Send(&done, 1, MPI_BYTE, 0, 1, group.comm());
        };
    };
    const auto range = [&](channel<number>& by) {
        return answered([&](int count) {
            if (first)
                by.send(numbers.begin(), numbers.begin() + count);
            else
                drain(by, static_cast<number>(count));
        });
    };
    const auto singles = [&](channel<number>& by) {
        return answered([&](int count) {
            if (first) {
                for (int i = 0; i < count; ++i) by.send(numbers[static_cast<std::size_t>(i)]);
                by.flush();
            } else {
                for (number i = 0; i < static_cast<number>(count); ++i) wrong += by.receive().value() != i;
            }
        });
    };
    const auto mpi = answered([&](int count) {
        std::array<MPI_Request, window> under_way;
        under_way.fill(MPI_REQUEST_NULL);
        std::vector<number> taken(window);
        for (int i = 0; i < count + window; ++i) {
            MPI_Request& next = under_way[static_cast<std::size_t>(i % window)];
            MPI_Wait(&next, MPI_STATUS_IGNORE);
            if (!first && i >= window)
                wrong += taken[static_cast<std::size_t>(i % window)] != static_cast<number>(i - window);
            if (i >= count) continue;
            if (first)
                MPI_Isend(&numbers[static_cast<std::size_t>(i)], 8, MPI_BYTE, 1, 2, group.comm(), &next);
            else
                MPI_Irecv(&taken[static_cast<std::size_t>(i % window)], 8, MPI_BYTE, 0, 2, group.comm(), &next);
        }
    });
    croft::channel<number> to_thread(1024);
    croft::channel<int> from_thread(1);
    std::thread drains([&] {
        pin(1);
        for (number next = 0; const auto came = to_thread.receive();) {
            if (*came == 0) next = 0;
            wrong += (*came & ~last_of_many) != next++;
            if (*came & last_of_many) from_thread.send(0);
        }
    });
    const auto threads = [&](int count) {
        if (!first) return;
        for (number i = 0; i + 1 < static_cast<number>(count); ++i) to_thread.send(i);
        to_thread.send(static_cast<number>(count - 1) | last_of_many);
        from_thread.receive();
    };
    measure(group, "a message of 8 bytes in a stream",
            {{"MPI_Isend each, 64 outstanding, MPI_Irecv as many", stream, 1, mpi},
             {"channel, persistent, one send a frame", stream, 1, singles(by_messages)},
             {"channel, persistent, send(range)", long_stream, 1, range(by_messages)},
             {"channel, persistent, gathered singly", long_stream, 1, singles(gathered)},
             {"channel, put, send(range)", long_stream, 1, range(by_put)},
             {"channel, put, gathered singly", long_stream, 1, singles(put_gathered)},
             {"channel, shared, singly", long_stream, 1, singles(shared)},
             {"channel, shared, send(range)", long_stream, 1, range(shared)},
             {"croft::channel of two threads, singly", long_stream, 1, threads}},
            rounds);
    to_thread.close();
    drains.join();
    if (wrong) std::printf("rank %d: %lu wrong\n", group.rank(), static_cast<unsigned long>(wrong));
}

// Measures how much of its core a receiver takes that has nothing to do, and how late it finds a message. A message
// carries the time at which it was sent. Both processes read one clock, as processes of one node do.
void idle(const processes& group, kind by, const char* name) {
    using clock = std::chrono::steady_clock;
    channel<clock::time_point> there(group, 0, 1, {.by = by});
    constexpr int count = 100;
    constexpr std::chrono::milliseconds between(21);
    meet(group.comm());
    if (group.rank() == 0) {
        for (int i = 0; i < count; ++i) {
            std::this_thread::sleep_for(between);
            there.send(clock::now());
        }
        std::this_thread::sleep_for(std::chrono::seconds(1));
        return there.close();
    }
    std::vector<double> late;
    for (int i = 0; i < count; ++i) {
        const auto sent = there.receive().value();
        late.push_back(std::chrono::duration<double, std::micro>(clock::now() - sent).count());
    }
    std::sort(late.begin(), late.end());
    const auto begin = clock::now();
    const std::clock_t used = std::clock();
    there.receive();
    const double share = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC /
                         std::chrono::duration<double>(clock::now() - begin).count();
    std::printf(
        "\n%s: an idle receiver takes %.2f %% of a core; it finds a message %.0f us late (median), %.0f at most\n",
        name, share * 100, late[late.size() / 2], late.back());
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const processes& world) {
        if (world.size() != 2) throw croft::mpi::error("two processes, please");
        pin(world.rank());
        const int rounds = argc > 1 ? std::atoi(argv[1]) : 21;
        latency<8>(world, rounds);
        latency<1024>(world, rounds);
        streams(world, rounds);
        idle(world, kind::persistent, "persistent");
        idle(world, kind::shared, "shared");
        return 0;
    });
}
