// A farm and a loop of the module.
#include <cstdio>
#include <optional>
#include <vector>

import croft;

int main() {
    int next = 0;
    long sum = 0;
    croft::run([&]() -> std::optional<int> { return next < 1000 ? std::optional(next++) : std::nullopt; },
               croft::farm([](int task) { return task * task; }, {.workers = 4, .ordered = true}),
               [&](int result) { sum += result; });
    std::vector<int> squares(1000);
    croft::parallel_for(0, 1000, [&](int i) { squares[static_cast<std::size_t>(i)] = i * i; });
    for (const int square : squares) sum -= square;
    if (sum == 0) std::printf("the sum of the first 1000 squares is 332833500\n");
}
