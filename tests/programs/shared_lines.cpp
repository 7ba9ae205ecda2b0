// Memory that several cores use, each in a way of its own, for what `croft run --lines` has to say of it.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr int rounds = 200;

struct alignas(64) Side {
    std::atomic<int> value{0};
};

// Two counters in one line: no core uses what another one writes.
struct alignas(64) {
    std::atomic<long> one{0}, two{0};
} false_counters;

// One counter that both write.
struct alignas(64) {
    std::atomic<long> value{0};
} true_counter;

// The first thread writes, the second reads each value once.
Side ping, pong;

std::atomic<int> arrived{0};

void count(std::atomic<long>& own) {
    ++arrived;
    while (arrived.load(std::memory_order_acquire) < 2) {
    }
    for (int i = 0; i < rounds; ++i) own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void wait_for(const std::atomic<int>& value, int wanted) {
    while (value.load(std::memory_order_acquire) != wanted) {
    }
}

[[gnu::noinline]] long* allocate_table(std::size_t count) { return new long[count]; }

// Memory that is used for one thing, then for another.
[[gnu::noinline]] int* first_tenant() { return static_cast<int*>(std::aligned_alloc(64, 4096)); }
[[gnu::noinline]] int* second_tenant() { return static_cast<int*>(std::calloc(32, 128)); }

}  // namespace

int main() {
    long* const table = allocate_table(512);
    std::thread one([&] {
        count(false_counters.one);
        for (int i = 0; i < rounds; ++i) {
            true_counter.value.fetch_add(1);
            ping.value.store(i + 1, std::memory_order_release);
            wait_for(pong.value, i + 1);
        }
        for (int i = 0; i < 512; ++i) table[i] = i;
        ping.value.store(-1, std::memory_order_release);
    });
    std::thread two([&] {
        count(false_counters.two);
        for (int i = 0; i < rounds; ++i) {
            true_counter.value.fetch_add(1);
            wait_for(ping.value, i + 1);
            pong.value.store(i + 1, std::memory_order_release);
        }
        wait_for(ping.value, -1);
        long sum = 0;
        for (int i = 0; i < 512; ++i) sum += table[i];
        std::printf("%ld\n", sum + true_counter.value);
    });
    one.join();
    two.join();
    int* tenant = first_tenant();
    for (int i = 0; i < 1024; ++i) tenant[i] = i;
    std::free(tenant);
    tenant = second_tenant();
    long sum = 0;
    for (int i = 0; i < 1024; ++i) sum += tenant[i];
    std::free(tenant);
    delete[] table;
    return sum == 0 ? 0 : 1;
}
