// Runs litmus tests (tests/python/litmus_table.py) many times each, and prints how often each came to what:
//
//     litmus ROUNDS SEED CORE CORE CORE CORE [TEST...]
//
// Without numbers of tests it runs all. A line of output is a test, an outcome (litmus_program.py) and how often.
//
// A round of a test is a few samples, each with lines of its own, which one of the threads has written last. The
// threads meet before, and after. Within, each begins its part of a sample at a cycle of the common clock, more or
// less. It may have read some of the places it is about to use, or none. From round to round the threads change their
// roles; in every fourth the places of a sample share a line.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>

namespace {

using Role = void(std::uint32_t* const* places, std::uint32_t* results, std::uint64_t begin);
struct Part {
    Role* role;
    unsigned results;
};
struct Test {
    unsigned threads, places;
    Part parts[4];
};

#include "litmus_table.inc"

constexpr unsigned threads = 4, samples = 8, most_places = 4, most_results = 8, line = 64;

alignas(line) unsigned char memory[samples * most_places * line];
struct alignas(line) Results {
    std::uint32_t of[samples][most_results];
};
Results results[threads];
std::uint64_t first_begin;

class Barrier {
public:
    void wait() {
        const std::uint32_t mine = arrived_.fetch_add(1, std::memory_order_acq_rel);
        const std::uint32_t all = (mine / threads + 1) * threads;
        while (arrived_.load(std::memory_order_acquire) < all) {
        }
    }

private:
    alignas(line) std::atomic<std::uint32_t> arrived_{0};
};
Barrier barrier;

std::uint64_t now() {
    std::uint64_t cycle = 0;
    asm volatile("rdcycle %0" : "=r"(cycle));
    return cycle;
}

std::uint64_t mixed(std::uint64_t z) {  // SplitMix64
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

std::uint32_t* place(unsigned sample, unsigned number, unsigned round) {
    const unsigned apart = round % 4 == 3 ? 8 : line;
    return reinterpret_cast<std::uint32_t*>(memory + sample * most_places * line + number * apart);
}

void prepare(const Test& test, unsigned thread, unsigned round, std::uint64_t chance) {
    for (unsigned sample = 0; sample < samples; ++sample)
        for (unsigned number = 0; number < test.places; ++number)
            if (mixed(chance + sample * most_places + number) % threads == thread) *place(sample, number, round) = 0;
}

void take_part(const Test& test, unsigned thread, unsigned role, unsigned round, std::uint64_t chance,
               std::uint64_t begin) {
    constexpr std::uint64_t period = 600;
    for (unsigned sample = 0; sample < samples; ++sample) {
        const std::uint64_t drawn = mixed(chance + 4096 + sample * threads + thread);
        std::uint32_t* places[most_places];
        for (unsigned number = 0; number < test.places; ++number) {
            places[number] = place(sample, number, round);
            if (drawn >> 2 * number & 1) asm volatile("lw zero,0(%0)" : : "r"(places[number]) : "memory");
        }
        // In some samples one role after the other, so that there is time for what is old to have become so.
        const std::uint64_t common = mixed(chance + 8192 + sample), apart = common % 2 ? (common >> 8) % 192 : 0;
        const std::uint64_t late = (drawn >> 16 & 0xffff) % (std::uint64_t{1} << drawn % 8) + role * apart;
        test.parts[role].role(places, results[thread].of[sample], begin + sample * period + late);
    }
}

void count(const Test& test, unsigned round, std::map<std::uint64_t, unsigned>& outcomes) {
    for (unsigned sample = 0; sample < samples; ++sample) {
        std::uint64_t outcome = 0;
        for (unsigned role = 0; role < test.threads; ++role)
            for (unsigned k = 0; k < test.parts[role].results; ++k)
                outcome = outcome << 4 | (results[(role + round) % threads].of[sample][k] & 15);
        for (unsigned number = 0; number < test.places; ++number)
            outcome = outcome << 4 | (*place(sample, number, round) & 15);
        ++outcomes[outcome];
    }
}

void run(unsigned thread, int core, unsigned rounds, std::uint64_t seed, const std::vector<unsigned>& chosen) {
    croft::port::pin_this_thread(core);
    for (const unsigned index : chosen) {
        const Test& test = tests[index];
        std::map<std::uint64_t, unsigned> outcomes;
        for (unsigned round = 0; round < rounds; ++round) {
            const std::uint64_t chance = mixed(seed * 65536 + index * 256 + round);
            prepare(test, thread, round, chance);
            if (thread == 0) first_begin = now() + 600;
            barrier.wait();
            const unsigned role = (thread + threads - round % threads) % threads;
            if (role < test.threads) take_part(test, thread, role, round, chance, first_begin);
            barrier.wait();
            if (thread == 0) count(test, round, outcomes);
            barrier.wait();
        }
        if (thread == 0)
            for (const auto& [outcome, times] : outcomes)
                std::printf("%u %llx %u\n", index, static_cast<unsigned long long>(outcome), times);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const int first = 3 + static_cast<int>(threads);
    std::vector<unsigned> chosen;
    for (int i = first; i < count; ++i) chosen.push_back(static_cast<unsigned>(std::atoi(arguments[i])));
    if (count < first || std::ranges::any_of(chosen, [](unsigned test) { return test >= std::size(tests); })) {
        std::fprintf(stderr, "usage: litmus ROUNDS SEED CORE CORE CORE CORE [TEST...]\n");
        return 2;
    }
    for (unsigned test = 0; count == first && test < std::size(tests); ++test) chosen.push_back(test);
    const auto rounds = static_cast<unsigned>(std::atoi(arguments[1]));
    const auto seed = static_cast<std::uint64_t>(std::atoll(arguments[2]));
    std::vector<std::thread> others;
    for (unsigned thread = 1; thread < threads; ++thread)
        others.emplace_back([=, &chosen] { run(thread, std::atoi(arguments[3 + thread]), rounds, seed, chosen); });
    run(0, std::atoi(arguments[3]), rounds, seed, chosen);
    for (auto& other : others) other.join();
}
