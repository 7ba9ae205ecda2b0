// A farm in ten lines.
#include <croft/pattern/farm.hpp>
#include <cstdio>
#include <optional>

int main() {
    int next = 0;
    long sum = 0;
    croft::farm farm({.workers = 4, .ordered = true});
    farm.run([&]() -> std::optional<int> { return next < 1000 ? std::optional(next++) : std::nullopt; },
             [](int task) { return task * task; }, [&](int result) { sum += result; });
    std::printf("the sum of the first 1000 squares is %ld\n", sum);
}
