// A table that all threads write and one reads, round after round: its lines belong at the core of the one that reads.

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int writers = 4, rounds = 40, entries = 64;

struct alignas(64) Entry {
    long value;
};
Entry table[writers][entries];

struct alignas(64) Turn {
    std::atomic<int> round{0};
};
Turn written[writers], read_up_to;

void write(int writer) {
    for (int round = 1; round <= rounds; ++round) {
        while (read_up_to.round.load(std::memory_order_acquire) < round - 1) {
        }
        for (int i = 0; i < entries; ++i) table[writer][i].value = long{round} * (writer + i);
        written[writer].round.store(round, std::memory_order_release);
    }
}

long read() {
    long sum = 0;
    for (int round = 1; round <= rounds; ++round) {
        for (int writer = 0; writer < writers; ++writer) {
            while (written[writer].round.load(std::memory_order_acquire) < round) {
            }
            for (int i = 0; i < entries; ++i) sum += table[writer][i].value;
        }
        read_up_to.round.store(round, std::memory_order_release);
    }
    return sum;
}

}  // namespace

int main() {
    std::vector<std::thread> threads;
    for (int writer = 0; writer < writers; ++writer) threads.emplace_back(write, writer);
    std::printf("%ld\n", read());
    for (auto& thread : threads) thread.join();
}
