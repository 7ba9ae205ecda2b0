// What the soak loads and unloads: a library that uses croft, and has it to itself.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_reduce.hpp>
#if __has_include(<croft/thread/shut_down.hpp>)
#include <croft/thread/shut_down.hpp>
#endif

#include <functional>
#include <optional>

extern "C" {

[[gnu::visibility("default")]] long work(int n) {
    long sum = croft::parallel_reduce(0, n, 0L, [](int i) { return long{i}; }, std::plus<>());
    int next = 0;
    croft::run([&]() -> std::optional<int> { return next < n ? std::optional(next++) : std::nullopt; },
               croft::farm([](int i) { return i + 1; }, {.workers = 2}), [&](int made) { sum += made; },
               {.threads = 3});
    return sum;
}
// Before it is unloaded. (Where nothing is to be called, the threads end with the library.)
[[gnu::visibility("default")]] bool end() {
#if __has_include(<croft/thread/shut_down.hpp>)
    return croft::shut_down();
#else
    return true;
#endif
}
}
