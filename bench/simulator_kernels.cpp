// What the simulator's speed is measured on: integer kernels on private data, some threads computing and some waiting.
//
//     simulator_kernels convolution|sort|hash|mixed COMPUTING WAITING ROUNDS stack|heap
//
// `stack`: each thread's data lies on its stack, whose lines are homed at its own core. `heap`: it lies in memory whose
// lines are homed all over the chip, so that every store travels. The checksum makes sure that the work is done.

#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace {

struct Data {
    alignas(64) std::array<std::int32_t, 32 * 32> in, out;
    alignas(64) std::array<std::uint64_t, 1024> table;
};

std::uint64_t convolution(Data& data) {
    constexpr int n = 32;
    for (int i = 0; i < n * n; ++i) data.in[i] = i * 37 & 255;
    for (int repeat = 0; repeat < 20; ++repeat)
        for (int y = 1; y < n - 1; ++y)
            for (int x = 1; x < n - 1; ++x) {
                std::int32_t sum = 0;
                for (int dy = -1; dy <= 1; ++dy)
                    for (int dx = -1; dx <= 1; ++dx) sum += data.in[(y + dy) * n + x + dx] * (dy + 2 + dx);
                data.out[y * n + x] = sum >> 3;
            }
    return static_cast<std::uint32_t>(data.out[n + 1 + data.out[2 * n + 2] % n]);
}

void quicksort(std::int32_t* first, std::int32_t* last) {
    while (first < last) {
        const std::int32_t pivot = first[(last - first) / 2];
        std::int32_t *low = first, *high = last;
        while (low <= high) {
            while (*low < pivot) ++low;
            while (*high > pivot) --high;
            if (low <= high) std::swap(*low++, *high--);
        }
        quicksort(first, high);
        first = low;
    }
}

std::uint64_t sort(Data& data) {
    std::uint64_t sum = 0;
    for (std::uint32_t repeat = 0, seed = 12345; repeat < 5; ++repeat) {
        for (auto& value : data.in) value = static_cast<std::int32_t>((seed = seed * 1664525 + 1013904223) >> 1);
        quicksort(data.in.data(), data.in.data() + data.in.size() - 1);
        sum += static_cast<std::uint32_t>(data.in[500]);
    }
    return sum;
}

std::uint64_t hash(Data& data) {
    data.table.fill(0);
    std::uint64_t seed = 1, probes = 0, used = 0;
    for (int i = 0; i < 10000; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t key = (seed >> 54) | 1;
        std::uint64_t slot = key * 0x9e3779b97f4a7c15u >> 54;
        for (; data.table[slot] && data.table[slot] != key; slot = (slot + 1) & 1023) ++probes;
        used += data.table[slot] == 0;
        data.table[slot] = key;
    }
    return probes + used;
}

std::uint64_t compute(std::string_view kernel, unsigned thread, int rounds, Data& data) {
    constexpr std::uint64_t (*kernels[])(Data&) = {convolution, sort, hash};
    const unsigned which = kernel == "convolution" ? 0 : kernel == "sort" ? 1 : kernel == "hash" ? 2 : thread % 3;
    std::uint64_t sum = 0;
    for (int round = 0; round < rounds; ++round) sum = sum * 31 + kernels[which](data);
    return sum;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 6) {
        std::fprintf(stderr,
                     "usage: simulator_kernels convolution|sort|hash|mixed COMPUTING WAITING ROUNDS stack|heap\n");
        return 2;
    }
    const std::string_view kernel = arguments[1], place = arguments[5];
    const unsigned computing = static_cast<unsigned>(std::atoi(arguments[2]));
    const unsigned waiting = static_cast<unsigned>(std::atoi(arguments[3]));
    const int rounds = std::atoi(arguments[4]);

    std::mutex mutex;
    std::condition_variable done;
    bool finished = false;
    std::vector<std::uint64_t> sums(computing);
    const auto work = [&](unsigned thread) {
        if (place == "heap") {
            sums[thread] = compute(kernel, thread, rounds, *std::make_unique<Data>());
        } else {
            Data data;
            sums[thread] = compute(kernel, thread, rounds, data);
        }
    };
    std::vector<std::thread> waiters, workers;
    for (unsigned i = 0; i < waiting; ++i)
        waiters.emplace_back([&] {
            std::unique_lock lock(mutex);
            done.wait(lock, [&] { return finished; });
        });
    for (unsigned i = 1; i < computing; ++i) workers.emplace_back(work, i);
    work(0);
    for (auto& worker : workers) worker.join();
    {
        const std::lock_guard lock(mutex);
        finished = true;
    }
    done.notify_all();
    for (auto& waiter : waiters) waiter.join();
    std::uint64_t sum = 0;
    for (const auto value : sums) sum = sum * 31 + value;
    std::printf("checksum %016llx\n", static_cast<unsigned long long>(sum));
}
