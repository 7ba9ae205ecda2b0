// One-way latency between two cores (papers 000, 7.1 and 001, V.A). A one-word message goes there and back through two
// channels of one slot each, `count` times. The latency is the time divided by twice the count. The channels are
// symmetric, or many-to-one with one sender that sends and any number that are idle (001, figure 12).
//
// Every line of a channel has a receiver's or a sender's core for its home, if the kind of channel has any. If there
// can only be one, it is the receiver's. Where homes are hashed the latency depends on which lines the channels got:
// --skip N leaves N lines out, so that they get others.
//
// The partners' time between two messages is constant. So every message finds a receiver that looks at many flags in
// turn at the same place of its round. The result is then that place's latency, not the mean. --pause P puts a random
// pause of 0 to P cycles before each round trip, which is not counted.
//
// Prints: pingpong channel=ra interface=symmetric senders=1 hops=8 cores=0,15 pinned=yes skip=0 pause=0 count=10000
//         cycles=123.4 ns=142.5                                                                         (in one line)
// `cycles` are those of the machine's counter (on a simulated machine its clock, on x86-64 the time stamp counter's).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/memory/line_array.hpp>
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
    std::string interface = "symmetric";
    std::size_t senders = 1;
    std::size_t skip = 0;
    std::uint64_t pause = 0;
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

// Pauses of random lengths, and how long they took in all.
class random_pauses {
public:
    explicit random_pauses(std::uint64_t longest) : longest_(longest) {}
    void pause() {
        const std::uint64_t begin = croft::port::cycles();
        const std::uint64_t length = std::uniform_int_distribution<std::uint64_t>(0, longest_)(random_);
        while (croft::port::cycles() - begin < length) {
        }
        cycles_ += croft::port::cycles() - begin;
    }
    std::uint64_t cycles() const { return cycles_; }
    void forget() { cycles_ = 0; }

private:
    std::uint64_t longest_, cycles_ = 0;
    std::minstd_rand random_;
};

struct measured {
    double cycles, nanoseconds;
    bool pinned;
};

// One way: what a sender and a receiver call.
template <class Policies>
class symmetric_way {
public:
    symmetric_way(croft::detail::ends cores, std::size_t) : channel_(1, cores) {}
    auto& sender() { return channel_; }
    auto& receiver() { return channel_; }

private:
    croft::channel<std::uint64_t, Policies> channel_;
};
template <class Policies>
class asymmetric_way {
public:
    // The first sender is the one that sends. The others are said to be where it is, but for the channels that have
    // something to do there.
    asymmetric_way(croft::detail::ends cores, std::size_t senders)
        : channel_(senders, 1, [&](std::size_t i) {
              return i == 0 ? cores : croft::detail::ends{croft::detail::any_core, cores.receiver, cores.home};
          }) {}
    auto& sender() { return channel_.sender(0); }
    auto& receiver() { return channel_; }

private:
    croft::many_to_one<std::uint64_t, Policies> channel_;
};

template <class Policies, template <class> class Way>
measured measure(const pair_of_cores& cores, const settings& asked) {
    const std::uint64_t count = asked.count;
    const std::uint64_t warm_up = std::clamp<std::uint64_t>(count / 10, 10, 1000);
    const auto ends = [](int sender, int receiver) { return croft::detail::ends{sender, receiver, receiver}; };
    const auto kind = Policies::home::between(ends(cores.here, cores.there)).at(croft::detail::part::message);
    std::optional<croft::detail::line_array<char, std::remove_const_t<decltype(kind)>>> skipped;
    if (asked.skip != 0) skipped.emplace(asked.skip, kind);
    Way<Policies> there(ends(cores.here, cores.there), asked.senders),
        back(ends(cores.there, cores.here), asked.senders);
    std::atomic<bool> far_pinned{false};

    // The partner adds one to whatever comes, so a lost or repeated message shows.
    std::thread partner([&] {
        far_pinned = croft::port::pin_this_thread(cores.there);
        auto& in = there.receiver();
        auto& out = back.sender();
        for (std::uint64_t i = 0; i < warm_up + count; ++i) out.send(in.receive().value_or(0) + 1);
    });
    croft::port::affinity_guard unpin;
    const bool near_pinned = croft::port::pin_this_thread(cores.here);

    std::uint64_t value = 0;
    random_pauses pauses(asked.pause);
    // Without pauses not even the question costs anything.
    const auto rounds_with = [&](std::uint64_t number, auto pause) {
        auto& out = there.sender();
        auto& in = back.receiver();
        for (std::uint64_t i = 0; i < number; ++i) {
            pause();
            out.send(value);
            value = in.receive().value_or(0);
        }
    };
    const auto rounds = [&](std::uint64_t number) {
        if (asked.pause == 0)
            rounds_with(number, [] {});
        else
            rounds_with(number, [&] { pauses.pause(); });
    };
    rounds(warm_up);
    pauses.forget();
    const auto begin_time = std::chrono::steady_clock::now();
    const std::uint64_t begin = croft::port::cycles();
    rounds(count);
    const std::uint64_t end = croft::port::cycles();
    const auto end_time = std::chrono::steady_clock::now();
    partner.join();

    if (value != warm_up + count) throw std::runtime_error("a message was lost or repeated");
    if (cores.must_pin && !(near_pinned && far_pinned))
        throw usage_error("the two threads cannot be pinned to cores " + std::to_string(cores.here) + " and " +
                          std::to_string(cores.there));
    const double messages = 2.0 * static_cast<double>(count);
    const double whole = static_cast<double>(end - begin), counted = whole - static_cast<double>(pauses.cycles());
    const double nanoseconds = std::chrono::duration<double, std::nano>(end_time - begin_time).count();
    return {counted / messages, nanoseconds * (counted / whole) / messages, near_pinned && far_pinned};
}

int body(int argc, char** argv) {
    settings asked;
    options line("pingpong", "Measures the one-way latency of a one-word message between two cores.");
    line.number("--hops", asked.hops, 0, 1000, "from core 0, to a tile that many hops away; 0: any two cores");
    line.text("--cores", "A,B", asked.cores, "between these two cores instead");
    line.number("--columns", asked.columns, 1, 1000, "of the mesh: tile (x, y) is core y * columns + x");
    line.number<std::uint64_t>("--count", asked.count, 1, 1'000'000'000, "round trips, after a warm-up");
    line.choice("--channel", asked.channel, word_channel_names(), "which channel");
    line.choice("--interface", asked.interface, {"symmetric", "asymmetric"}, "one-to-one or many-to-one");
    line.number<std::size_t>("--senders", asked.senders, 1, 1000, "of a many-to-one channel; all but one are idle");
    line.number<std::size_t>("--skip", asked.skip, 0, 1'000'000, "lines that the channels are not to lie in");
    line.number<std::uint64_t>("--pause", asked.pause, 0, 1'000'000, "cycles at most, before each round trip");
    if (!line.parse(argc, argv)) return 0;

    if (asked.interface == "symmetric" && asked.senders != 1)
        throw usage_error("--senders goes with --interface asymmetric");
    const pair_of_cores cores = choose_cores(asked);
    const measured result = with_word_channel(asked.channel, [&](auto policies) {
        using kind = decltype(policies);
        return asked.interface == "symmetric" ? measure<kind, symmetric_way>(cores, asked)
                                              : measure<kind, asymmetric_way>(cores, asked);
    });
    std::printf(
        "pingpong channel=%s interface=%s senders=%zu hops=%d cores=%d,%d pinned=%s skip=%zu pause=%llu count=%llu "
        "cycles=%.2f "
        "ns=%.2f\n",
        asked.channel.c_str(), asked.interface.c_str(), asked.senders,
        hops_between(cores.here, cores.there, asked.columns), cores.here, cores.there, result.pinned ? "yes" : "no",
        asked.skip, static_cast<unsigned long long>(asked.pause), static_cast<unsigned long long>(asked.count),
        result.cycles, result.nanoseconds);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("pingpong", [&] { return body(argc, argv); });
}
