// The order that C++'s threads, locks and waits make, and beside each a twin in which nothing does:
// library_synchronisation CASE wrong|right. The lines of the two accesses that race then are marked with the case's
// name; a case without such lines has no twin.

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <latch>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "race_cases.hpp"

namespace {

using namespace race_cases;
using namespace std::chrono_literals;

std::mutex mutex;
std::condition_variable changed;
int data, result;
bool ready;

// ---- waiting for a condition ----

void condition_variable(bool wrong) {
    both(
        [=] {
            for (int i = 0; i < 5; ++i) {
                std::unique_lock lock(mutex, std::defer_lock);
                if (!wrong) lock.lock();
                put(data, get(data) + 1);  // condition_variable
                if (lock) lock.unlock();
                changed.notify_one();
            }
            const std::lock_guard lock(mutex);  // so that the last one is not missed
            changed.notify_one();
        },
        [] {
            std::unique_lock lock(mutex);
            changed.wait(lock, [] { return get(data) == 5; });  // condition_variable
        });
}

void notify_all(bool wrong) {
    std::vector<std::thread> waiting;
    for (int i = 0; i < 2; ++i)
        waiting.emplace_back([] {
            std::unique_lock lock(mutex);
            changed.wait(lock, [] { return ready; });
            if (get(data) == 9) std::puts("?");  // notify_all
        });
    {
        const std::lock_guard lock(mutex);
        if (!wrong) put(data, 1);
        ready = true;
    }
    changed.notify_all();
    if (wrong) put(data, 1);  // notify_all
    for (std::thread& thread : waiting) thread.join();
}

void wait_for(bool wrong) {
    static moment timed_out, written;
    both(
        [] {
            timed_out.wait();
            const std::lock_guard lock(mutex);
            put(data, 1);  // wait_for
            ready = true;
            written.has_come();
            changed.notify_one();
        },
        [=] {
            std::unique_lock lock(mutex);
            while (!changed.wait_for(lock, 20us, [] { return ready; })) {
                lock.unlock();
                timed_out.has_come();
                if (wrong) {
                    result = get(data);  // wait_for
                    written.wait();      // its own lock would order what it has read
                }
                lock.lock();
            }
            result = get(data);
        });
}

void stop_token(bool wrong) {
    static std::condition_variable_any asked;
    std::jthread worker([](const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        asked.wait(lock, stop, [] { return false; });
        result = get(data);  // stop_token
    });
    if (!wrong) put(data, 1);
    worker.request_stop();
    if (wrong) put(data, 1);  // stop_token
}

// A callback runs in the thread that requests the stop, and its end waits for it.
void stop_callback(bool wrong) {
    static std::stop_source source;
    both(
        [=] {
            const auto called = [] { put(data, 1); };  // stop_callback
            std::optional<std::stop_callback<decltype(called)>> callback;
            callback.emplace(source.get_token(), called);
            while (!source.stop_requested()) {
            }
            if (!wrong) callback.reset();
            result = get(data);  // stop_callback
        },
        [] {
            while (!source.stop_possible()) {
            }
            source.request_stop();
        });
}

// ---- locks ----

void mutex_(bool wrong) {
    const auto count = [=] {
        for (int i = 0; i < 10; ++i) {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            put(data, get(data) + 1);  // mutex
        }
    };
    both(count, count);
}

void scoped_lock(bool wrong) {
    static std::mutex here, there;
    both(
        [=] {
            const std::scoped_lock lock(here, there);
            put(data, 1);  // scoped_lock
        },
        [=] {
            std::unique_lock one(there), other(here, std::defer_lock);
            if (wrong) one.unlock();
            put(data, 2);  // scoped_lock
        });
}

void shared_mutex(bool wrong) {
    static std::shared_mutex shared;
    const auto use = [=] {
        std::shared_lock reading(shared);
        std::unique_lock writing(shared, std::defer_lock);
        meet();
        if (!wrong) {
            reading.unlock();
            writing.lock();
        }
        put(data, get(data) + 1);  // shared_mutex
    };
    both(use, use);
}

void timed_mutex(bool wrong) {
    static std::timed_mutex timed;
    const auto count = [=] {
        for (int i = 0; i < 20; ++i) {
            std::unique_lock lock(timed, std::defer_lock);
            while (!lock.try_lock_for(1ns) && !wrong) {
            }
            put(data, get(data) + 1);  // timed_mutex
        }
    };
    both(count, count);
}

void recursive_mutex(bool wrong) {
    static std::recursive_mutex recursive;
    const auto count = [=] {
        std::unique_lock outer(recursive);
        std::unique_lock inner(recursive);
        inner.unlock();
        if (wrong) outer.unlock();
        put(data, get(data) + 1);  // recursive_mutex
    };
    both(count, count);
}

void standard_output(bool wrong) {
    static std::string said;
    const auto say = [=] {
        for (int i = 0; i < 5; ++i) {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            put(data, get(data) + 1);  // standard_output
            if (!lock) lock.lock();
            std::cout << "said " << i << " times" << std::endl;
            std::printf("%d times, %zu\n", i, said.append("x").size());
        }
    };
    both(say, say);
}

// ---- once ----

void call_once(bool wrong) {
    static std::once_flag once;
    static moment called;
    const auto call = [] { std::call_once(once, [] { put(data, 1); }); };  // call_once
    both(
        [=] {
            call();
            called.has_come();
        },
        [=] {
            called.wait();
            if (!wrong) call();
            result = get(data);  // call_once
        });
}

void local_static(bool wrong) {
    static int* by_hand;
    const auto use = [=] {
        if (wrong) {
            if (!get(by_hand)) put(by_hand, new int(1));  // local_static
        } else {
            static const std::vector<int> made(10, 1);
            if (made[3] != 1) std::puts("?");
        }
    };
    both(use, use);
}

// ---- threads that wait for each other ----

void barrier(bool wrong) {
    static std::array<std::barrier<>, 4> phases{std::barrier<>(2), std::barrier<>(2), std::barrier<>(2),
                                                std::barrier<>(2)};
    static std::array<std::array<int, 2>, 4> slots;
    static std::atomic<int> names;
    const auto work = [=] {
        const int own = names.fetch_add(1, std::memory_order_relaxed);
        for (int i = 0; i < 4; ++i) {
            put(slots[i][own], 1);  // barrier
            auto arrived = phases[i].arrive();
            if (!wrong) phases[i].wait(std::move(arrived));
            (void)get(slots[i][1 - own]);  // barrier
        }
    };
    both(work, work);
}

void latch(bool wrong) {
    static std::latch open(1);
    both(
        [=] {
            if (wrong) open.count_down();
            put(data, 1);  // latch
            if (!wrong) open.count_down();
        },
        [] {
            open.wait();
            result = get(data);  // latch
        });
}

void semaphore(bool wrong) {
    static std::counting_semaphore<4> items(0), room(1);
    both(
        [=] {
            for (int i = 0; i < 5; ++i) {
                room.acquire();
                if (wrong) items.release();
                put(data, i);  // semaphore
                if (!wrong) items.release();
            }
        },
        [] {
            for (int i = 0; i < 5; ++i) {
                items.acquire();
                result = get(data);  // semaphore
                room.release();
            }
        });
}

void jthread(bool wrong) {
    std::jthread worker([] { put(data, 1); });  // jthread
    if (!wrong) worker.join();
    result = get(data);  // jthread
}

const case_list cases = {
    {"condition_variable", condition_variable},
    {"notify_all", notify_all},
    {"wait_for", wait_for},
    {"stop_token", stop_token},
    {"stop_callback", stop_callback},
    {"mutex", mutex_},
    {"scoped_lock", scoped_lock},
    {"shared_mutex", shared_mutex},
    {"timed_mutex", timed_mutex},
    {"recursive_mutex", recursive_mutex},
    {"standard_output", standard_output},
    {"call_once", call_once},
    {"local_static", local_static},
    {"barrier", barrier},
    {"latch", latch},
    {"semaphore", semaphore},
    {"jthread", jthread},
};

}  // namespace

int main(int count, char** with) { return run_case(cases, count, with); }
