// std::atomic of every width, compare-and-exchange, wait and notify, std::barrier, std::latch, std::counting_semaphore.
// Usage: atomic N
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1;
    std::atomic<std::uint8_t> small{0};
    std::atomic<std::uint16_t> middle{0};
    std::atomic<std::uint32_t> word{0};
    std::atomic<std::uint64_t> wide{0}, largest{0}, product{1};
    std::atomic<double> real{0};
    std::atomic<int> turn{0};
    std::atomic<bool> go{false};
    std::latch started(count + 1);
    std::counting_semaphore<4> few(2);
    std::atomic<int> inside{0}, most_inside{0};
    int rounds = 0;
    std::barrier barrier(count, [&]() noexcept { ++rounds; });
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            started.count_down();
            go.wait(false);
            for (int j = 0; j < 20; ++j) {
                small.fetch_add(3);
                middle.fetch_sub(5);
                word.fetch_xor(1u << (j % 32));
                wide.fetch_add(std::uint64_t{1} << 33);
                real.fetch_add(0.5);
                for (auto seen = largest.load();
                     seen < unsigned(i * j) && !largest.compare_exchange_weak(seen, i * j);) {
                }
                for (auto seen = product.load(); !product.compare_exchange_weak(seen, seen * 3 % 1000003);) {
                }
            }
            for (int round = 0; round < 3; ++round) barrier.arrive_and_wait();
            few.acquire();
            const int now = ++inside;
            for (int seen = most_inside.load(); seen < now && !most_inside.compare_exchange_weak(seen, now);) {
            }
            --inside;
            few.release();
            for (int seen = turn.load(); seen != i; seen = turn.load()) turn.wait(seen);
            turn.store(i + 1);
            turn.notify_all();
        });
    }
    started.arrive_and_wait();
    go = true;
    go.notify_all();
    for (auto& thread : threads) thread.join();
    std::printf("%d %d %u %llu %llu %llu %.1f %d rounds %d, at most two inside: %s\n", int(small), int(middle),
                unsigned(word), (unsigned long long)wide, (unsigned long long)largest, (unsigned long long)product,
                double(real), int(turn), rounds, most_inside <= 2 ? "yes" : "no");
}
