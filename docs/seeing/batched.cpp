#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "packet.hpp"

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
