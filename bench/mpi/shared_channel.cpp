// A channel in shared memory between two processes, beside the same channel between two threads of one of them.
//
//     mpiexec -n 2 shared_channel        (Open MPI: --bind-to none, or both threads run on one core)
//
// Ping-pong of messages of 8 and 1,024 bytes through channels of one slot, and a stream of messages of 8 bytes through
// one of 1,024. Each side is kept to a core of its own. Runs of both kinds take turns; a round is the best of 8 short
// ones, as others may use the machine too. The ratio is the median of the 21 rounds' own: a hypervisor moves cores, and
// what two of them take to answer each other may change sevenfold from one round to another. Who has nothing to do
// sleeps meanwhile.

#include <croft/channel/channel.hpp>
#include <croft/mpi/environment.hpp>
#include <croft/mpi/shared_channel.hpp>
#include <croft/port/port.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "../two_cores.hpp"

namespace {

constexpr int rounds = 21, runs = 8;
constexpr std::uint32_t round_trips = 2'000, stream_length = 100'000;
constexpr std::size_t stream_degree = 1024;

template <std::size_t Size>
struct message {
    std::array<std::uint64_t, Size / 8> words;
};

template <class Action>
double seconds_of(Action action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The two sides of each, over any two channels.
template <std::size_t Size>
struct ping_pong {
    static constexpr const char* name = Size == 8 ? "ping-pong, 8 bytes" : "ping-pong, 1,024 bytes";
    static constexpr std::uint32_t count = round_trips;
    static constexpr std::size_t degree = 1;
    using message_type = message<Size>;

    template <class There, class Back>
    static void first(There& there, Back& back) {
        for (std::uint32_t i = 0; i < count; ++i) {
            there.acquire().words.fill(i);
            there.publish();
            if (back.receive_in_place()->words.back() != i) std::abort();
            back.set_ack();
        }
    }
    template <class There, class Back>
    static void second(There& there, Back& back) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t word = there.receive_in_place()->words.back();
            there.set_ack();
            back.acquire().words.fill(word);
            back.publish();
        }
    }
};
struct stream {
    static constexpr const char* name = "stream, 8 bytes";
    static constexpr std::uint32_t count = stream_length;
    static constexpr std::size_t degree = stream_degree;
    using message_type = std::uint64_t;

    template <class There, class Back>
    static void first(There& there, Back& back) {
        for (std::uint32_t i = 0; i < count; ++i) there.send(i);
        back.receive();  // all have come
    }
    template <class There, class Back>
    static void second(There& there, Back& back) {
        for (std::uint32_t i = 0; i < count; ++i)
            if (*there.receive() != i) std::abort();
        back.send(0);
    }
};

double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + rounds / 2, of.end());
    return of[rounds / 2];
}

// The first side, of channels that lie between threads or between processes.
template <class Measured, class There, class Back, class Go>
double one_run(There& there, Back& back, Go& go) {
    go.send(1);
    back.receive();  // the other side is awake
    return seconds_of([&] { Measured::first(there, back); });
}
template <class Measured, class There, class Back, class Go>
void other_side(There& there, Back& back, Go& go) {
    while (go.receive()) {
        back.send({});
        Measured::second(there, back);
    }
}

template <class Measured>
void compare(const croft::mpi::processes& all) {
    using message_type = typename Measured::message_type;
    croft::mpi::shared_channel<message_type> there(all, 0, 1, Measured::degree), back(all, 1, 0, Measured::degree);
    croft::mpi::shared_channel<int> go(all, 0, 1, 1);
    if (all.rank() == 1) return other_side<Measured>(*there, *back, *go);

    croft::channel<message_type> near_there(Measured::degree), near_back(Measured::degree);
    croft::channel<int> near_go(1);
    std::thread partner([&] {
        croft::port::pin_this_thread(bench::cores[1]);
        other_side<Measured>(near_there, near_back, near_go);
    });
    std::vector<double> of_threads, of_processes, ratios;
    for (int round = 0; round < rounds; ++round) {
        double threads = 1e9, processes = 1e9;
        for (int run = 0; run < runs; ++run) {
            threads = std::min(threads, one_run<Measured>(near_there, near_back, near_go));
            processes = std::min(processes, one_run<Measured>(*there, *back, *go));
        }
        of_threads.push_back(threads);
        of_processes.push_back(processes);
        ratios.push_back(processes / threads);
    }
    near_go.close();
    partner.join();
    go->close();
    const double ns = 1e9 / Measured::count;
    std::printf("%-24s threads %7.1f ns (least %7.1f)   processes %7.1f ns (least %7.1f)   ratio %.3f\n",
                Measured::name, ns * median(of_threads), ns * *std::ranges::min_element(of_threads),
                ns * median(of_processes), ns * *std::ranges::min_element(of_processes), median(ratios));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [](const croft::mpi::processes& all) {
        if (all.size() != 2) throw croft::mpi::error("it takes two processes");
        croft::port::pin_this_thread(bench::cores[static_cast<std::size_t>(all.rank())]);
        compare<ping_pong<8>>(all);
        compare<ping_pong<1024>>(all);
        compare<stream>(all);
    });
}
