// One-way latency between two cores (papers 000, 7.1 and 001, V.A): a one-word message goes there and back through two
// channels of one slot each, `count` times; the latency is the time divided by twice the count.
//
// Prints: pingpong channel=ra hops=8 cores=0,15 pinned=yes count=10000 cycles=123.4 ns=142.5
// `cycles` are those of the machine's counter (on a simulated machine its clock, on x86-64 the time stamp counter's).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/port/port.hpp>

#include "common/channels.hpp"
#include "common/mesh.hpp"
#include "common/options.hpp"

namespace {

using namespace programs;

struct settings {
    int hops = 0;
    int columns = 8;
    std::string cores;
    std::uint64_t count = 10'000;
    std::string channel = "ra";
};

struct pair_of_cores {
    int here, there;
    bool must_pin;
};

pair_of_cores choose_cores(const settings& asked) {
    const std::vector<int> allowed = croft::port::allowed_cores();
    pair_of_cores chosen{0, 1, true};
    if (!asked.cores.empty()) {
        const std::size_t comma = asked.cores.find(',');
        if (comma == asked.cores.npos) throw usage_error("--cores takes two numbers, as in --cores 0,9");
        chosen.here = options::whole_number("--cores", std::string_view(asked.cores).substr(0, comma), 0, 65535);
        chosen.there = options::whole_number("--cores", std::string_view(asked.cores).substr(comma + 1), 0, 65535);
        if (chosen.here == chosen.there) throw usage_error("--cores takes two different cores");
    } else if (asked.hops != 0) {
        const auto tile = tile_at(asked.hops, asked.columns);
        if (!tile)
            throw usage_error("a mesh of " + std::to_string(asked.columns) + " columns has no two tiles " +
                              std::to_string(asked.hops) + " hops apart");
        chosen.there = *tile;
    } else if (allowed.size() >= 2) {
        return {allowed[0], allowed[1], false};
    } else {
        return {0, 1, false};
    }
    for (const int core : {chosen.here, chosen.there})
        if (std::find(allowed.begin(), allowed.end(), core) == allowed.end())
            throw usage_error("this machine has no core " + std::to_string(core) + " that the program may use");
    return chosen;
}

struct measured {
    double cycles, nanoseconds;
    bool pinned;
};

template <class Policies>
measured measure(const pair_of_cores& cores, std::uint64_t count) {
    const std::uint64_t warm_up = std::clamp<std::uint64_t>(count / 10, 10, 1000);
    croft::channel<std::uint64_t, Policies> there(1), back(1);
    std::atomic<bool> far_pinned{false};

    // The partner adds one to whatever comes, so a lost or repeated message shows.
    std::thread partner([&] {
        far_pinned = croft::port::pin_this_thread(cores.there);
        while (const auto message = there.receive()) back.send(*message + 1);
    });
    croft::port::affinity_guard unpin;
    const bool near_pinned = croft::port::pin_this_thread(cores.here);

    std::uint64_t value = 0;
    const auto rounds = [&](std::uint64_t number) {
        for (std::uint64_t i = 0; i < number; ++i) {
            there.send(value);
            value = *back.receive();
        }
    };
    rounds(warm_up);
    const auto begin_time = std::chrono::steady_clock::now();
    const std::uint64_t begin = croft::port::cycles();
    rounds(count);
    const std::uint64_t end = croft::port::cycles();
    const auto end_time = std::chrono::steady_clock::now();
    there.close();
    partner.join();

    if (value != warm_up + count) throw std::runtime_error("a message was lost or repeated");
    if (cores.must_pin && !(near_pinned && far_pinned))
        throw usage_error("the two threads cannot be pinned to cores " + std::to_string(cores.here) + " and " +
                          std::to_string(cores.there));
    const double messages = 2.0 * static_cast<double>(count);
    return {static_cast<double>(end - begin) / messages,
            std::chrono::duration<double, std::nano>(end_time - begin_time).count() / messages,
            near_pinned && far_pinned};
}

int body(int argc, char** argv) {
    settings asked;
    options line("pingpong", "Measures the one-way latency of a one-word message between two cores.");
    line.number("--hops", asked.hops, 0, 1000, "from core 0, to a tile that many hops away; 0: any two cores");
    line.text("--cores", "A,B", asked.cores, "between these two cores instead");
    line.number("--columns", asked.columns, 1, 1000, "of the mesh: tile (x, y) is core y * columns + x");
    line.number<std::uint64_t>("--count", asked.count, 1, 1'000'000'000, "round trips, after a warm-up");
    line.choice("--channel", asked.channel, channel_names(), "which channel");
    if (!line.parse(argc, argv)) return 0;

    const pair_of_cores cores = choose_cores(asked);
    const measured result = with_channel(
        asked.channel, [&](auto policies) { return measure<decltype(policies)>(cores, asked.count); });
    std::printf("pingpong channel=%s hops=%d cores=%d,%d pinned=%s count=%llu cycles=%.2f ns=%.2f\n",
                asked.channel.c_str(), hops_between(cores.here, cores.there, asked.columns), cores.here, cores.there,
                result.pinned ? "yes" : "no", static_cast<unsigned long long>(asked.count), result.cycles,
                result.nanoseconds);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("pingpong", [&] { return body(argc, argv); });
}
