#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <cstdio>
#include <optional>
#include <vector>

int main() {
    int next = 0;
    long sum = 0;
    croft::run([&]() -> std::optional<int> { return next < 1000 ? std::optional(next++) : std::nullopt; },
               croft::farm([](int task) { return task * task; }, {.workers = 4, .ordered = true}),
               [&](int result) { sum += result; });
    std::vector<int> squares(1000);
    croft::parallel_for(0, 1000, [&](int i) { squares[static_cast<std::size_t>(i)] = i * i; });
    std::printf("%ld %d\n", sum, squares[999]);
}
