// How long a load takes whose address the load before it gives, by the size of the memory that the loads go through.
// Two orders of the lines are known from public benchmarks, whose figures exist for many machines:
//
// reversed: as in ramlat (github.com/wtarreau/ramspeed). Each line holds the address of the next one. Their numbers
//     are counted with the highest bit first: 0, 1/2, 1/4, 3/4, 1/8 ... of the memory, so that no prefetcher foresees
//     them. With --chains, so many loads go along the same way at the same time, from starts 512 bytes apart.
// random: as in tinymembench (github.com/ssvb/tinymembench). A random number, into which the byte that was read goes,
//     gives the next byte's address. With --chains 2, two addresses come from the same number. The time is that beyond
//     the same steps within one line.
//
// All memory is gone through once before that, outside of the measured region.
//
// Prints: latency_by_size order=reversed kib=512 chains=1 steps=8192 ns=17.10 cycles=34.20          (per step)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <croft/port/port.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"

namespace {

using namespace programs;

struct alignas(croft::port::cache_line) line {
    line* next = nullptr;
};

struct per_step {
    double nanoseconds = 0, cycles = 0;
};

struct settings {
    std::string order = "reversed";
    std::uint32_t kib = 512, chains = 1, steps = 32768;
};

template <class Steps>
per_step time_of(std::size_t steps, Steps run) {
    const moment begin = moment::now();
    run(steps);
    const moment end = moment::now();
    const auto each = static_cast<double>(steps);
    return {nanoseconds(begin, end) / each, cycles(begin, end) / each};
}

template <std::size_t Chains>
class reversed_walk {
public:
    explicit reversed_walk(std::size_t bytes) : lines_(bytes / sizeof(line)) {
        for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].next = &lines_[behind(i)];
    }
    void warm() { walk(lines_.size()); }
    per_step measure(std::size_t steps) {
        return time_of(steps, [this](std::size_t number) { walk(number); });
    }

private:
    static constexpr std::size_t apart = 512 / sizeof(line);

    // The number behind `i` if one counts with the highest bit first.
    std::size_t behind(std::size_t i) const {
        std::size_t bit = lines_.size() / 2;
        for (; bit != 0 && (i & bit) != 0; bit /= 2) i -= bit;
        return i + bit;
    }
    void walk(std::size_t steps) {
        std::array<line*, Chains> at;
        for (std::size_t chain = 0; chain < Chains; ++chain) at[chain] = &lines_[chain * apart % lines_.size()];
#pragma GCC unroll 16
        for (std::size_t i = 0; i < steps; ++i)
            for (line*& each : at) each = each->next;
        for (line* each : at) asm volatile("" : : "r"(each));  // so that no load is left out
    }

    std::vector<line> lines_;
};

template <std::size_t Chains>
class random_walk {
public:
    explicit random_walk(std::size_t bytes) : zeros_(bytes / sizeof(line)), bytes_(bytes) {}
    void warm() {
        for (line& each : zeros_) each.next = nullptr;
        walk(zeros_.size(), bytes_ - 1);
    }
    per_step measure(std::size_t steps) {
        const per_step within_a_line = time_of(steps, [this](std::size_t number) { walk(number, 1); });
        walk(steps / 4, bytes_ - 1);  // the line may have pushed out another one
        const per_step all = time_of(steps, [this](std::size_t number) { walk(number, bytes_ - 1); });
        return {all.nanoseconds - within_a_line.nanoseconds, all.cycles - within_a_line.cycles};
    }

private:
    static std::uint32_t next(std::uint32_t seed) { return seed * 1103515245u + 12345u; }

    void walk(std::size_t steps, std::size_t mask) {
        const auto* const bytes = reinterpret_cast<const volatile unsigned char*>(zeros_.data());
        asm volatile("" : "+r"(mask));  // or a compiler makes the steps within one line shorter
        std::uint32_t seed = seed_;
        for (std::size_t i = 0; i < steps; ++i) {
            std::uint32_t read = 0;
            for (std::size_t chain = 0; chain < Chains; ++chain) {
                seed = next(seed);
                std::uint32_t at = seed >> 16 & 0xff;
                seed = next(seed);
                at |= seed >> 8 & 0xff00;
                seed = next(seed);
                at |= seed & 0x7fff0000;
                read |= bytes[at & mask];
            }
            seed |= read;
        }
        seed_ = seed;
    }

    std::vector<line> zeros_;
    std::size_t bytes_;
    std::uint32_t seed_ = 0;
};

template <class Walk>
int measure(const settings& asked) {
    Walk walk(std::size_t{1024} * asked.kib);
    walk.warm();
    croft::port::region_begin();
    const per_step time = walk.measure(asked.steps);
    croft::port::region_end();
    std::printf("latency_by_size order=%s kib=%u chains=%u steps=%u ns=%.3f cycles=%.2f\n", asked.order.c_str(),
                asked.kib, asked.chains, asked.steps, time.nanoseconds, time.cycles);
    return 0;
}

int body(int argc, char** argv) {
    settings asked;
    options line("latency_by_size", "Measures loads that depend on each other, by the size of their memory.");
    line.choice("--order", asked.order, {"reversed", "random"}, "of the lines");
    line.number<std::uint32_t>("--kib", asked.kib, 1, 1 << 21, "of memory, a power of two");
    line.number<std::uint32_t>("--chains", asked.chains, 1, 8, "loads at the same time: 1, 2, 4, 8; random: 1, 2");
    line.number<std::uint32_t>("--steps", asked.steps, 1, 1'000'000'000, "that are measured");
    if (!line.parse(argc, argv)) return 0;
    if ((asked.kib & (asked.kib - 1)) != 0)
        throw usage_error("--kib takes a power of two, not " + std::to_string(asked.kib));

    if (asked.order == "random") {
        if (asked.chains == 1) return measure<random_walk<1>>(asked);
        if (asked.chains == 2) return measure<random_walk<2>>(asked);
        throw usage_error("--chains takes 1 or 2 with --order random, not " + std::to_string(asked.chains));
    }
    switch (asked.chains) {
        case 1:
            return measure<reversed_walk<1>>(asked);
        case 2:
            return measure<reversed_walk<2>>(asked);
        case 4:
            return measure<reversed_walk<4>>(asked);
        case 8:
            return measure<reversed_walk<8>>(asked);
        default:
            throw usage_error("--chains takes 1, 2, 4 or 8, not " + std::to_string(asked.chains));
    }
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("latency_by_size", [&] { return body(argc, argv); });
}
