#pragma once
// Items of given sizes, and whether they arrive as they were sent: through a pipeline with a farm.

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

template <std::size_t Size>
struct sized {
    std::array<std::uint8_t, Size> bytes;
    bool operator==(const sized&) const = default;
};

template <class T, class Make>
std::vector<T> through_farm(bool ordered, std::size_t threads, Make make) {
    constexpr int count = 300;
    std::vector<T> results;
    int next = 0;
    croft::run([&]() -> std::optional<T> { return next < count ? std::optional<T>(make(next++)) : std::nullopt; },
               croft::pipeline([](T item) { return item; },
                               croft::farm([](T item) { return std::pair<bool, T>(true, std::move(item)); },
                                           {.workers = 3, .ordered = ordered}),
                               [](std::pair<bool, T> item) { return std::move(item.second); }),
               [&](T item) { results.push_back(std::move(item)); }, {.threads = threads});
    return results;
}

template <class T, class Make>
void check_order(Make make) {
    for (const std::size_t threads : {1, 2, 4}) {
        std::vector<T> expected;
        for (int i = 0; i < 300; ++i) expected.push_back(make(i));
        CHECK((through_farm<T>(true, threads, make) == expected));
    }
}

template <std::size_t Size>
sized<Size> filled(int with) {
    sized<Size> made{};
    std::iota(made.bytes.begin(), made.bytes.end(), static_cast<std::uint8_t>(with));
    return made;
}
