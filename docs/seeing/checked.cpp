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
    croft::run([&]() -> std::optional<std::uint32_t> { return next < packets ? std::optional(next++) : std::nullopt; },
               croft::farm(
                   [](std::uint32_t number) {
                       const packet received = receive(number);
                       return is_intact(received) ? std::optional(classify(received)) : std::nullopt;
                   },
                   {.workers = static_cast<unsigned>(std::atoi(arguments[1]))}),
               [&](std::optional<std::uint32_t> kind) { kinds[kind.value_or(0)] += kind.has_value(); });
    std::printf("%d packets of kind 0\n", kinds[0]);
}
