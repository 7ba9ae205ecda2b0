// A shared object that uses croft: loops and a farm; compiled for several hosts by tests/python/test_shared_objects.py.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/thread/shut_down.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

namespace {

// 1000 * 1000, if all is well.
long worked() {
    long sum = croft::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }, std::plus<>());
    int next = 0;
    croft::run([&]() -> std::optional<int> { return next < 1000 ? std::optional(next++) : std::nullopt; },
               croft::farm([](int i) { return i + 1; }, {.workers = 2}), [&](int made) { sum += made; },
               {.threads = 3});
    return sum;
}

struct global {
#if defined(EARLY)
    global() { worked(); }
#endif
    ~global() {
        if (worked() != 1'000'000) std::_Exit(9);
    }
} of_this_object;

}  // namespace

extern "C" long work() { return worked(); }
extern "C" int end_threads() { return croft::shut_down(); }
extern "C" void exit_in_step() {
    const std::thread::id caller = std::this_thread::get_id();
    croft::task_scheduler::common().run([&] {
        croft::parallel_for(0, 100'000,
                            [&](int) {
                                if (std::this_thread::get_id() != caller) std::exit(3);
                                std::this_thread::sleep_for(std::chrono::microseconds(100));
                            },
                            {.grain = 1});
    });
}
