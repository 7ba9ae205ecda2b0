#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

struct packet {
    std::uint32_t number;
    std::array<std::uint32_t, 15> words;
};

packet receive(std::uint32_t number) {
    packet made{number, {}};
    for (std::uint32_t& word : made.words) word = number = number * 1664525 + 1013904223;
    return made;
}

bool is_intact(const packet& from) {
    std::uint32_t sum = 0;
    for (const std::uint32_t word : from.words) sum = (sum << 1 | sum >> 31) + word;
    return sum % 16 != 0;
}

std::uint32_t classify(const packet& from) {
    std::uint32_t kind = from.number;
    for (int round = 0; round < 24; ++round)
        for (const std::uint32_t word : from.words) kind = (kind ^ word) * 16777619;
    return kind >> 28;
}

int main(int, char** arguments) {
    constexpr std::uint32_t packets = 10000;
    std::uint32_t next = 0;
    std::array<int, 16> kinds{};
    constexpr std::uint32_t batch = 40;
    croft::run(
        [&]() -> std::optional<std::uint32_t> {
            return next < packets ? std::optional(std::exchange(next, next + batch)) : std::nullopt;
        },
        croft::farm(
            [](std::uint32_t first) {
                std::array<int, 16> found{};
                for (std::uint32_t number = first; number < first + batch; ++number)
                    if (const packet received = receive(number); is_intact(received)) ++found[classify(received)];
                return found;
            },
            {.workers = static_cast<unsigned>(std::atoi(arguments[1]))}),
        [&](const std::array<int, 16>& found) {
            for (int kind = 0; kind < 16; ++kind) kinds[kind] += found[kind];
        });
    std::printf("%d packets of kind 0\n", kinds[0]);
}
