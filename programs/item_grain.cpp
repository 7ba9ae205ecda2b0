// A farm whose items are of any size and take any time. It tells from which grain on it no longer matters how an item
// comes to its worker (docs/lab/forwarding.md).
//
// The emitter writes an item of --bytes in the slot. A worker reads one line in --every, multiplies so many times, and
// hands a number on.
//
// Prints: item_grain bytes=1024 multiplications=1000 every=1 workers=6 channel=turns count=400
//         service_time_ns=... service_time_cycles=...                                           (in one line)

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "common/channels.hpp"
#include "common/options.hpp"
#include "common/service_time.hpp"

namespace {

using namespace programs;

constexpr std::size_t words_of_line = 64 / sizeof(std::uint64_t);

struct settings {
    std::size_t bytes = 1024;
    std::size_t multiplications = 1000;
    std::size_t every = 1;
    std::size_t workers = 2;
    std::size_t count = 400;
    std::string channel = "turns";
};

template <std::size_t Bytes>
struct item {
    std::array<std::uint64_t, Bytes / sizeof(std::uint64_t)> words;
};

std::uint64_t word_of(std::size_t number, std::size_t word) { return number * 1024 + word; }

// The sum of the first word of the lines that a worker reads.
template <class Item>
std::uint64_t sum_of_lines(const Item& it, std::size_t every) {
    std::uint64_t sum = 0;
    for (std::size_t word = 0; word < it.words.size(); word += every * words_of_line) sum += it.words[word];
    return sum;
}

// Each waits for the one before.
std::uint64_t multiply(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        value *= 1664525;
        asm volatile("" : "+r"(value));
    }
    return value;
}

template <class Policies, std::size_t Bytes>
void run(const settings& asked, service_time& time) {
    using carried = item<Bytes>;
    std::uint64_t expected = 0, sum = 0;
    croft::run<Policies>(
        [&](carried& slot, std::size_t number) {
            if (number == asked.count) return false;
            for (std::size_t word = 0; word < slot.words.size(); ++word) slot.words[word] = word_of(number, word);
            for (std::size_t word = 0; word < slot.words.size(); word += asked.every * words_of_line)
                expected += word_of(number, word);
            return true;
        },
        croft::farm(
            [&asked](const carried& task, std::uint64_t& result) {
                result = sum_of_lines(task, asked.every);
                if (multiply(1, asked.multiplications) == 0) ++result;  // never: the factor is odd
            },
            {.workers = asked.workers}),
        [&](const std::uint64_t& result) {
            sum += result;
            time.result();
        },
        {.place = croft::placements::thread_a_role{.pinned = true}});
    if (sum != expected) throw std::runtime_error("an item is not what was sent");
}

template <std::size_t Bytes>
void run(const settings& asked, service_time& time) {
    if (asked.channel == "turns") return run<turns, Bytes>(asked, time);
    if constexpr (croft::port::waits_on_lines) {
        if (asked.channel == "ra-hf") return run<kinds::ra_hf, Bytes>(asked, time);
        if (asked.channel == "ra-udn") return run<kinds::ra_udn, Bytes>(asked, time);
    }
}

int body(int argc, char** argv) {
    settings asked;
    std::string bytes = std::to_string(asked.bytes);
    std::vector<std::string> channels{"turns"};
    if (croft::port::waits_on_lines) channels.insert(channels.end(), {"ra-hf", "ra-udn"});
    options line("item_grain", "Sends items of any size through a farm that takes any time for each.");
    line.choice("--bytes", bytes, {"64", "1024", "8192"}, "of an item");
    line.number<std::size_t>("--multiplications", asked.multiplications, 0, 1'000'000'000, "that a worker does for it");
    line.number<std::size_t>("--every", asked.every, 1, 4096, "a worker reads one line of the item in so many");
    line.number<std::size_t>("--workers", asked.workers, 1, 4096, "of the farm");
    line.number<std::size_t>("--count", asked.count, 2, 100'000'000, "items in the stream");
    line.choice("--channel", asked.channel, channels, "which channel");
    if (!line.parse(argc, argv)) return 0;
    asked.bytes = std::stoul(bytes);
    service_time time(asked.count, asked.workers * 5, asked.workers);
    if (asked.bytes == 64) run<64>(asked, time);
    if (asked.bytes == 1024) run<1024>(asked, time);
    if (asked.bytes == 8192) run<8192>(asked, time);
    std::printf("item_grain bytes=%zu multiplications=%zu every=%zu workers=%zu channel=%s count=%zu ", asked.bytes,
                asked.multiplications, asked.every, asked.workers, asked.channel.c_str(), asked.count);
    std::printf("service_time_ns=%.1f service_time_cycles=%.1f\n", time.nanoseconds(), time.cycles());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("item_grain", [&] { return body(argc, argv); });
}
