// Fine-grained tasks on all cores, on which the simulator's speed is measured where cores share an L2.
//
//     simulator_tasks fib|loop SIZE
//
// `fib`: fib(SIZE), a task for every call. `loop`: SIZE passes over three arrays, 32 elements a task.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>

namespace {

long fib(int n) {
    if (n < 2) return n;
    long x, y;
    croft::parallel_invoke([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
    return x + y;
}

std::uint64_t passes(int count) {
    constexpr std::size_t elements = 20'000;
    std::vector<std::uint32_t> a(elements, 1), b(elements, 2), c(elements, 3);
    for (int pass = 0; pass < count; ++pass) {
        croft::parallel_for(std::size_t{0}, elements, [&](std::size_t i) { a[i] = b[i] * 5 + c[(i + 1) % elements]; },
                            {.grain = 32});
        a.swap(b);
    }
    std::uint64_t sum = 0;
    for (const std::uint32_t value : b) sum = sum * 31 + value;
    return sum;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view kernel = count == 3 ? arguments[1] : "";
    if (kernel != "fib" && kernel != "loop") {
        std::fprintf(stderr, "usage: simulator_tasks fib|loop SIZE\n");
        return 2;
    }
    croft::task_scheduler scheduler;
    const int size = std::atoi(arguments[2]);
    const std::uint64_t made =
        scheduler.run([&] { return kernel == "fib" ? static_cast<std::uint64_t>(fib(size)) : passes(size); });
    std::printf("%llu\n", static_cast<unsigned long long>(made));
}
