// Measures a machine's cores, their atomics and its memory, beside native_latency, which measures single lines:
//
//     add          an addition that waits for the one before it: a cycle of the core's clock, wherever a counter has
//                  another rate
//     adds         an addition, of eight that do not wait for each other: says how many a core does in a cycle
//     fence        port::finish_stores, with no store under way
//     atomic       an addition to a word in a line of one's own
//     bounce_one   a line that two cores write in turn, each when it has seen the other's word: one way
//     bounce_two   the same with a line for each direction
//     stream_one   a line of memory, of those that one core reads one after the other
//     stream_all   the same while `--threads` cores read, each its own: time divided by the lines of all
//
// Prints: machine_speed what=add ns=0.33 low=0.33 high=0.34 cycles=0.80
// medians of the samples, and their quartiles in ns; `cycles` are those of the machine's counter (port/README.md).

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"
#include "common/samples.hpp"

namespace {

using namespace programs;

struct settings {
    std::string what = "all";
    std::uint32_t repeats = 101, trips = 200, threads = 0, memory = 131072;
    int here = -1, there = -1;
};

constexpr std::size_t operations = 1024;

void add_in_turn() {
    std::uint64_t sum = 1;
#pragma GCC unroll 64
    for (std::size_t i = 0; i < operations; ++i) {
        sum += 3;
        asm volatile("" : "+r"(sum));  // or they would be added up beforehand
    }
}
void add_side_by_side() {
    std::uint64_t a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < operations; i += 8) {
        a += 3, b += 3, c += 3, d += 3, e += 3, f += 3, g += 3, h += 3;
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
    }
}
void fences() {
    for (std::size_t i = 0; i < operations; ++i) croft::port::finish_stores();
}

struct alignas(2 * croft::port::cache_line) own_line {
    std::atomic<std::uint64_t> word{0};
};

void await(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
    while (word.load(std::memory_order_acquire) != value) croft::port::pause();
}

class measurement {
public:
    // `cores` are those that the program may use.
    measurement(const settings& asked, const std::vector<int>& cores) : asked_(asked), cores_(cores) {}

    void all() {
        repeated("add", add_in_turn);
        repeated("adds", add_side_by_side);
        repeated("fence", fences);
        repeated("atomic", [this] {
            for (std::size_t i = 0; i < operations; ++i) there_.word.fetch_add(1);
        });
        if (asked_.here != asked_.there) {
            bounce("bounce_one", there_.word, there_.word);
            bounce("bounce_two", there_.word, back_.word);
        }
        stream("stream_one", 1);
        if (asked_.threads > 1) stream("stream_all", asked_.threads);
    }

private:
    bool is_asked(const char* what) const { return asked_.what == "all" || asked_.what == what; }
    void print(const char* what) {
        std::printf("machine_speed what=%s ns=%.3f low=%.3f high=%.3f cycles=%.3f\n", what, times_.ns(), times_.ns(1),
                    times_.ns(3), times_.cycles());
        std::fflush(stdout);
        times_.forget();
    }
    template <class Action>
    void repeated(const char* what, Action action) {
        if (!is_asked(what)) return;
        action();
        for (std::uint32_t i = 0; i < asked_.repeats; ++i) {
            const moment begin = moment::now();
            action();
            times_.add(begin, moment::now(), operations);
        }
        print(what);
    }
    // Every other value is the other core's, so one word does for both directions, and so do two.
    void bounce(const char* what, std::atomic<std::uint64_t>& there, std::atomic<std::uint64_t>& back) {
        if (!is_asked(what)) return;
        there = back = 0;
        const std::uint64_t all = std::uint64_t{asked_.repeats + 1} * asked_.trips;  // the first ones do not count
        std::thread partner([&] {
            croft::port::pin_this_thread(asked_.there);
            for (std::uint64_t i = 0; i < all; ++i) {
                await(there, 2 * i + 1);
                back.store(2 * i + 2, std::memory_order_release);
            }
        });
        moment begin;
        for (std::uint64_t i = 0; i < all; ++i) {
            if (i % asked_.trips == 0) {
                const moment now = moment::now();
                if (i > asked_.trips) times_.add(begin, now, 2 * asked_.trips);
                begin = now;
            }
            there.store(2 * i + 1, std::memory_order_release);
            await(back, 2 * i + 2);
        }
        times_.add(begin, moment::now(), 2 * asked_.trips);
        partner.join();
        print(what);
    }
    // A sample is one passage through all of the memory.
    void stream(const char* what, std::uint32_t threads) {
        if (!is_asked(what)) return;
        const std::size_t words = 1024ull * asked_.memory / sizeof(std::uint64_t);
        const std::uint32_t passages = std::max(asked_.repeats / 10, 1u);
        std::atomic<std::uint32_t> arrived{0};
        std::vector<int> cores_of_others = cores_;
        std::erase(cores_of_others, asked_.here);
        std::vector<moment> moments(passages + 1);
        const auto work = [&](std::uint32_t number) {
            croft::port::pin_this_thread(number == 0 ? asked_.here : cores_of_others[number - 1]);
            std::unique_ptr<std::uint64_t[]> memory(new std::uint64_t[words]);
            std::fill_n(memory.get(), words, number);
            for (std::uint32_t passage = 0; passage <= passages; ++passage) {
                arrived.fetch_add(1);
                while (arrived.load() < threads * (passage + 1)) croft::port::pause();
                if (number == 0) moments[passage] = moment::now();
                if (passage == passages) return;
                std::uint64_t sum = 0;
                for (std::size_t i = 0; i < words; ++i) sum += memory[i];
                asm volatile("" ::"r"(sum));
            }
        };
        std::vector<std::thread> others;
        for (std::uint32_t number = 1; number < threads; ++number) others.emplace_back(work, number);
        work(0);
        for (std::thread& other : others) other.join();
        for (std::uint32_t passage = 0; passage < passages; ++passage)
            times_.add(moments[passage], moments[passage + 1],
                       threads * (words * sizeof(std::uint64_t) / croft::port::cache_line));
        print(what);
    }

    const settings& asked_;
    const std::vector<int>& cores_;
    samples times_;
    own_line there_, back_;
};

int body(int argc, char** argv) {
    settings asked;
    options line("machine_speed", "Measures additions, fences, atomics, bounced lines and streams from memory.");
    line.choice("--what", asked.what,
                {"all", "add", "adds", "fence", "atomic", "bounce_one", "bounce_two", "stream_one", "stream_all"},
                "only this");
    line.number<std::uint32_t>("--repeats", asked.repeats, 1, 100'001, "samples; of streams a tenth");
    line.number<std::uint32_t>("--trips", asked.trips, 1, 1'000'000, "of a bounced line, in a sample");
    line.number<std::uint32_t>("--threads", asked.threads, 0, 4096, "of stream_all; 0: a thread a core");
    line.number<std::uint32_t>("--memory", asked.memory, 1, 1 << 22, "KiB that each thread of a stream reads");
    line.number("--here", asked.here, -1, 65535, "the measuring core; -1: the first one allowed");
    line.number("--there", asked.there, -1, 65535, "the other core; -1: the second one allowed");
    if (!line.parse(argc, argv)) return 0;

    const std::vector<int> allowed = croft::port::allowed_cores();
    const auto cores = static_cast<std::uint32_t>(allowed.size());
    if (asked.here < 0) asked.here = allowed.front();
    if (asked.there < 0) asked.there = cores > 1 && asked.here == allowed[1] ? allowed[0] : allowed[cores > 1];
    asked.threads = asked.threads == 0 ? cores : std::min(asked.threads, cores);
    croft::port::affinity_guard unpin;
    if (!croft::port::pin_this_thread(asked.here))
        throw usage_error("the program cannot be pinned to core " + std::to_string(asked.here));
    measurement(asked, allowed).all();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("machine_speed", [&] { return body(argc, argv); });
}
