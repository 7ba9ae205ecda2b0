// The order that the kernel's calls make, and beside each a twin in which they make none: kernel_order CASE
// wrong|right, marked as library_synchronisation.cpp. The words of these futexes are relaxed atomics, which order
// nothing.

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "race_cases.hpp"

namespace {

using namespace race_cases;

constexpr std::memory_order relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
                            release = std::memory_order_release;

using word = std::atomic<int>;
int data, result;

long call(word& on, int operation, long value = 0, long second_value = 0, word* second = nullptr,
          long third_value = 0) {
    return syscall(SYS_futex, &on, operation | FUTEX_PRIVATE_FLAG, value, second_value, second, third_value);
}

// Another thread's call is in the kernel for a while: until it has found whom it looks for.
template <class Call>
void until_it_finds_one(Call call) {
    while (call() != 1) {
    }
}

// Linux looks for waiters behind a full barrier, and a waiter enlists before one and looks at the word behind it.
void woken_nobody(bool wrong) {
    static word ready;
    static moment woken;
    both(
        [=] {
            put(data, 1);  // woken_nobody
            ready.store(1, relaxed);
            if (!wrong) call(ready, FUTEX_WAKE, 1);
            woken.has_come();
        },
        [] {
            woken.wait();
            if (call(ready, FUTEX_WAIT, 0) == 0) std::puts("?");
            result = get(data);  // woken_nobody
        });
}

void woken(bool wrong) {
    static word never;
    both(
        [=] {
            if (!wrong) put(data, 1);
            until_it_finds_one([] { return call(never, FUTEX_WAKE_BITSET, 1, 0, nullptr, 2); });
            if (wrong) put(data, 1);  // woken
        },
        [] {
            call(never, FUTEX_WAIT_BITSET, 0, 0, nullptr, 3);
            result = get(data);  // woken
        });
}

void woken_by_operation(bool wrong) {
    static word never, other;
    both(
        [=] {
            if (!wrong) put(data, 1);
            const int adds_one = FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_LT, 0);
            until_it_finds_one([=] { return call(never, FUTEX_WAKE_OP, 1, 1, &other, adds_one); });
            if (wrong) put(data, 1);  // woken_by_operation
        },
        [] {
            call(never, FUTEX_WAIT, 0);
            result = get(data);  // woken_by_operation
        });
}

// A third thread wakes, which knows nothing of the first one.
void requeued(bool wrong) {
    static word here, there;
    static moment moved;
    std::thread third([] {
        moved.wait();
        until_it_finds_one([] { return call(there, FUTEX_WAKE, 1); });
    });
    both(
        [=] {
            if (!wrong) put(data, 1);
            until_it_finds_one([] { return call(here, FUTEX_REQUEUE, 0, 1, &there); });
            if (wrong) put(data, 1);  // requeued
            moved.has_come();
        },
        [] {
            call(here, FUTEX_WAIT, 0);
            result = get(data);  // requeued
        });
    third.join();
}

// For instance until another thread is in a system call.
void let_some_time_pass() {
    for (volatile int i = 0; i < 1000; i = i + 1) {
    }
}

// Whoever has called the kernel last has not woken a thread whose time has come.
void slept(bool wrong) {
    static moment sleeps;
    static std::atomic<int> written;
    both(
        [=] {
            sleeps.wait();
            let_some_time_pass();
            put(data, 1);  // slept
            written.store(1, wrong ? relaxed : release);
            getppid();
        },
        [] {
            sleeps.has_come();
            usleep(1000);
            if (!written.load(acquire)) std::puts("?");
            result = get(data);  // slept
        });
}

// A thread that goes to another core, here while it sleeps, is what it was.
void moved(bool) {
    static std::atomic<pthread_t> who;
    static moment sleeps;
    both(
        [] {
            who.store(pthread_self(), relaxed);
            put(data, 1);
            sleeps.has_come();
            usleep(1000);
            put(data, get(data) + 1);
            if (sched_getcpu() != 3) std::puts("?");
        },
        [] {
            sleeps.wait();
            let_some_time_pass();
            usleep(100);
            cpu_set_t last;
            CPU_ZERO(&last);
            CPU_SET(3, &last);
            if (pthread_setaffinity_np(who.load(relaxed), sizeof last, &last)) std::puts("?");
        });
}

const case_list cases = {
    {"woken_nobody", woken_nobody}, {"woken", woken}, {"woken_by_operation", woken_by_operation},
    {"requeued", requeued},         {"slept", slept}, {"moved", moved},
};

}  // namespace

int main(int count, char** with) { return run_case(cases, count, with); }
