// A farm in ten lines.
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <cstdio>
#include <optional>

int main() {
    int next = 0;
    long sum = 0;
    croft::run([&]() -> std::optional<int> { return next < 1000 ? std::optional(next++) : std::nullopt; },
               croft::farm([](int task) { return task * task; }, {.workers = 4, .ordered = true}),
               [&](int result) { sum += result; });
    std::printf("the sum of the first 1000 squares is %ld\n", sum);
}
