#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "packet.hpp"

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
