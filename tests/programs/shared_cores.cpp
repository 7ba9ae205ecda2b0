// More threads than cores: shared_cores HOW THREADS. Each says in the end what all of them have come to.
//   compute   every thread works on its own data, and adds to a common sum under a lock
//   spin      all threads but the last wait for it, and never enter the kernel
//   ring      a token goes round, by a condition variable for each thread
//   sleep     every thread sleeps, and adds
//   pinned    every thread has one core that it may have, and says so
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
long sum = 0;

void add(long value) {
    const std::lock_guard guard(lock);
    sum += value;
}

void compute(int index) {
    const auto data = std::make_unique<long[]>(512);
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 512; ++i) data[i] += i * index + round;
        add(data[index % 512]);
    }
    double whole = 0;
    for (int i = 0; i < 512; ++i) whole += static_cast<double>(data[i]) * 0.5;
    add(static_cast<long>(whole));
}

std::atomic<int> arrived{0};

void spin(int, int threads) {
    ++arrived;
    while (arrived.load(std::memory_order_acquire) < threads) {
    }
    add(1);
}

struct Station {
    std::mutex lock;
    std::condition_variable bell;
    int tokens = 0;
};

void ring(int index, std::vector<Station>& stations) {
    for (int round = 0; round < 3; ++round) {
        Station &mine = stations[index], &next = stations[(index + 1) % stations.size()];
        {
            std::unique_lock guard(mine.lock);
            mine.bell.wait(guard, [&] { return mine.tokens > 0; });
            --mine.tokens;
        }
        add(index);
        const std::lock_guard guard(next.lock);
        ++next.tokens;
        next.bell.notify_one();
    }
}

void pinned(int index, int cores) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(index % cores, &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0) return;
    for (int round = 0; round < 5; ++round) {
        compute(index);
        if (sched_getcpu() != index % cores) add(1'000'000'000);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "compute";
    const int threads = argc > 2 ? std::atoi(argv[2]) : 8;
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<Station> stations(threads);
    std::vector<std::thread> all;
    for (int index = 0; index < threads; ++index)
        all.emplace_back([&, index] {
            if (!std::strcmp(how, "compute")) compute(index);
            if (!std::strcmp(how, "spin")) spin(index, threads);
            if (!std::strcmp(how, "ring")) ring(index, stations);
            if (!std::strcmp(how, "sleep"))
                std::this_thread::sleep_for(std::chrono::microseconds(50 * index)), add(index);
            if (!std::strcmp(how, "pinned")) pinned(index, cores);
        });
    if (!std::strcmp(how, "ring")) {
        const std::lock_guard guard(stations[0].lock);
        ++stations[0].tokens;
        stations[0].bell.notify_one();
    }
    for (std::thread& one : all) one.join();
    std::printf("%s: %ld\n", how, sum);
}
