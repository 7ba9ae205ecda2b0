// std::thread: each of N threads works on its own, then all are joined. Usage: threads N
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

thread_local int calls = 0;

static void work(int index, long& result) {
    long sum = 0;
    for (int i = 0; i < 1000; ++i) sum += (i * 7 + index) % 13, ++calls;
    result = sum + calls;
}

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1;
    std::vector<long> results(count);
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(work, i, std::ref(results[i]));
    for (auto& thread : threads) thread.join();
    std::printf("threads count=%d sum=%ld calls=%d\n", count, std::accumulate(results.begin(), results.end(), 0L),
                calls);
}
