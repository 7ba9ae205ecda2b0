#pragma once
// The packets that packets.cpp, checked.cpp and batched.cpp receive, check and classify.
// Each of them is one source. So nothing here is `inline`, a hint that changes what the compiler inlines, and every
// cycle of the page with it.

#include <array>
#include <cstdint>

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
