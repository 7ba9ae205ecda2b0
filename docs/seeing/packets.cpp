#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

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
    croft::run(
        [&]() -> std::optional<packet> {
            while (next < packets)
                if (const packet received = receive(next++); is_intact(received)) return received;
            return std::nullopt;
        },
        croft::farm(classify, {.workers = static_cast<unsigned>(std::atoi(arguments[1]))}),
        [&](std::uint32_t kind) { ++kinds[kind]; });
    std::printf("%d packets of kind 0\n", kinds[0]);
}
