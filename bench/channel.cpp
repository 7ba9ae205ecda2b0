// What a message costs between two cores of this machine, beside what the machine itself takes to move one cache line
// there and back, and two: one-way latencies, and throughput of a stream, for several policies and degrees.
//
// All measurements are repeated in turn, so that a disturbance falls on all of them, and the median is printed.
//
//     bench_channel [ROUNDS [CORE CORE]]

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/port/port.hpp>

namespace {

int cores[2];

// Seconds that `here` takes on the first core while `there` runs on the second; both begin together.
template <class Here, class There>
double time_of(Here here, There there) {
    std::atomic<bool> ready{false};
    std::thread other([&] {
        croft::port::pin_this_thread(cores[1]);
        ready = true;
        there();
    });
    croft::port::affinity_guard guard;
    croft::port::pin_this_thread(cores[0]);
    while (!ready) croft::port::pause();
    const auto begin = std::chrono::steady_clock::now();
    here();
    other.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

constexpr std::uint32_t trips = 50'000;

void await(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    while (word.load(std::memory_order_acquire) != value) croft::port::pause();
}

// Both directions in one line: the fastest that two cores can answer each other.
double bounce_one_line() {
    alignas(64) std::atomic<std::uint32_t> word{0};
    const double seconds = time_of(
        [&] {
            for (std::uint32_t i = 0; i < trips; ++i) {
                word.store(2 * i + 1, std::memory_order_release);
                await(word, 2 * i + 2);
            }
        },
        [&] {
            for (std::uint32_t i = 0; i < trips; ++i) {
                await(word, 2 * i + 1);
                word.store(2 * i + 2, std::memory_order_release);
            }
        });
    return seconds / (2.0 * trips) * 1e9;
}

// A line for each direction.
double bounce_two_lines() {
    struct alignas(128) line {
        std::atomic<std::uint32_t> word{0};
    } there, back;
    const double seconds = time_of(
        [&] {
            for (std::uint32_t i = 1; i <= trips; ++i) {
                there.word.store(i, std::memory_order_release);
                await(back.word, i);
            }
        },
        [&] {
            for (std::uint32_t i = 1; i <= trips; ++i) {
                await(there.word, i);
                back.word.store(i, std::memory_order_release);
            }
        });
    return seconds / (2.0 * trips) * 1e9;
}

template <class Policies>
double latency(std::size_t degree) {
    croft::channel<std::uint64_t, Policies> there(degree), back(degree);
    const double seconds = time_of(
        [&] {
            for (std::uint64_t i = 0; i < trips; ++i) {
                there.send(i);
                if (*back.receive() != i) std::abort();
            }
        },
        [&] {
            for (std::uint64_t i = 0; i < trips; ++i) back.send(*there.receive());
        });
    return seconds / (2.0 * trips) * 1e9;
}

template <class Policies>
double stream(std::size_t degree) {
    const std::uint64_t messages = degree < 8 ? 100'000 : 1'000'000;
    croft::channel<std::uint64_t, Policies> channel(degree);
    const double seconds = time_of(
        [&] {
            for (std::uint64_t i = 0; i < messages; ++i) channel.send(i);
            channel.close();
        },
        [&] {
            std::uint64_t expected = 0;
            while (const auto message = channel.receive())
                if (*message != expected++) std::abort();
            if (expected != messages) std::abort();
        });
    return static_cast<double>(messages) / seconds / 1e6;
}

struct paper : croft::policies {
    using events = croft::events::flags<croft::booleans, croft::ack_place::with_message>;
};
struct split : croft::policies {
    using events = croft::events::flags<croft::turns, croft::ack_place::own_line>;
};
struct batched : croft::policies {
    using events = croft::events::batched;
};

struct row {
    std::string name, unit;
    std::function<double()> measure;
    std::vector<double> found = {};
};

template <class Policies>
void add_channel(std::vector<row>& rows, const std::string& name, std::initializer_list<std::size_t> degrees) {
    for (const std::size_t degree : degrees)
        rows.push_back({"latency  " + name + ", K=" + std::to_string(degree), "ns one way",
                        [degree] { return latency<Policies>(degree); }});
    for (const std::size_t degree : degrees)
        rows.push_back({"stream   " + name + ", K=" + std::to_string(degree), "million messages/s",
                        [degree] { return stream<Policies>(degree); }});
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
    const std::vector<int> allowed = croft::port::allowed_cores();
    if (rounds < 1 || (argc != 1 && argc != 2 && argc != 4) || (argc < 4 && allowed.size() < 2)) {
        std::fprintf(stderr, "usage: bench_channel [ROUNDS [CORE CORE]], on a machine with two cores or more\n");
        return 2;
    }
    for (int i = 0; i < 2; ++i) cores[i] = argc == 4 ? std::atoi(argv[2 + i]) : allowed[static_cast<std::size_t>(i)];

    std::vector<row> rows = {{"one line, both directions in it", "ns one way", bounce_one_line},
                             {"two lines, one for each direction", "ns one way", bounce_two_lines}};
    add_channel<croft::policies>(rows, "default (ack in the slot)", {1, 16, 64, 1024});
    add_channel<batched>(rows, "batched acks", {16, 64, 1024});
    add_channel<split>(rows, "ack in a line of its own", {1, 64});
    add_channel<paper>(rows, "the papers' booleans", {1, 64});

    for (int round = 0; round < rounds; ++round)
        for (row& one : rows) one.found.push_back(one.measure());

    std::printf("%s, cores %d and %d, medians of %d\n", croft::port::machine_name, cores[0], cores[1], rounds);
    for (row& one : rows) {
        std::sort(one.found.begin(), one.found.end());
        std::printf("%-46s %9.1f %-19s (%.1f to %.1f)\n", one.name.c_str(), one.found[one.found.size() / 2],
                    one.unit.c_str(), one.found.front(), one.found.back());
    }
    return 0;
}
