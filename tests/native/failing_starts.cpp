// While threads are started, the n-th allocation fails, or the n-th start, for all n. The caller is told, no thread is
// left, and asking again brings them.

#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/thread/shut_down.hpp>
#include <croft/thread/thread_pool.hpp>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>
#include <thread>

namespace {

// So many go well before one fails; below zero: all.
std::atomic<long> allocations{-1}, starts{-1};
bool fails(std::atomic<long>& left) { return left.load() >= 0 && left.fetch_sub(1) == 0; }

std::ptrdiff_t threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}
bool are_gone() {
    for (int i = 0; i < 5000 && threads() != 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return threads() == 1;
}

// How often it failed, until it worked; as it must the next time after each failure.
template <class Action>
int failures(std::atomic<long>& of, Action action) {
    for (int n = 0; n < 1000; ++n) {
        bool failed = false;
        of = n;
        try {
            action();
        } catch (const std::bad_alloc&) {
            failed = true;
        } catch (const std::system_error&) {
            failed = true;
        }
        of = -1;
        if (!failed) return n;
        if (!croft::shut_down() || !are_gone()) std::printf("after failure %d threads are left\n", n);
        action();
        if (!croft::shut_down() || !are_gone()) std::printf("behind failure %d threads are left\n", n);
    }
    return -1;
}

}  // namespace

void* operator new(std::size_t size) {
    void* const found = fails(allocations) ? nullptr : std::malloc(size);
    return found ? found : throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*call)(void*), void* with) {
    static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return fails(starts) ? EAGAIN : next(made, how, call, with);
}

int main() {
    const auto borrow = [] { croft::thread_pool::loan three(3); };
    const auto schedule = [] {
        croft::task_scheduler three(3);
        three.begin_posts();
        three.run([] { croft::parallel_for(0, 100, [](int) {}); });
    };
    borrow();  // what is made once is there
    schedule();
    croft::shut_down();
    const int first = failures(starts, borrow);
    croft::shut_down();
    std::printf("a start failed: %d and %d times\n", first, failures(starts, schedule));
    croft::shut_down();
    const int some = failures(allocations, borrow);
    croft::shut_down();
    const int more = failures(allocations, schedule);
    croft::shut_down();
    std::printf("an allocation failed: %s\n", some > 3 && more > 6 ? "several times" : "too seldom");

    // The common one goes on with what there is.
    for (const int there_are : {0, 1}) {
        starts = there_are;
        std::atomic<int> steps{0};
        croft::parallel_for(0, 1000, [&](int) { ++steps; }, {.grain = 1});
        starts = -1;
        std::printf("with %d threads %d steps\n", there_are, steps.load());
        croft::shut_down();
    }
}
