// Measures what it takes natively to make a datum, hand it to another thread and free it there. The memory comes from
// malloc, and from the pool of memory/data_memory.hpp. It prints the best of seven runs, by the datum's size.
//
//     bench_task_data

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <thread>

#include <croft/channel/channel.hpp>
#include <croft/memory/data_memory.hpp>
#include <croft/port/port.hpp>

namespace {

struct from_malloc {
    static void* take(std::size_t size) { return ::operator new(size, std::align_val_t{croft::port::cache_line}); }
    static void give(void* memory, std::size_t) {
        ::operator delete(memory, std::align_val_t{croft::port::cache_line});
    }
};
struct from_pool {
    static void* take(std::size_t size) { return croft::detail::allocate_data(size, croft::detail::home_default); }
    static void give(void* memory, std::size_t size) {
        croft::detail::deallocate_data(memory, size, croft::detail::home_default);
    }
};

// In nanoseconds a datum, written by one side and read by the other.
template <class Memory>
double run(std::size_t size, int count) {
    croft::channel<void*> data(16);
    const auto begin = std::chrono::steady_clock::now();
    std::thread reader([&] {
        unsigned sum = 0;
        while (const auto datum = data.receive()) {
            const auto* const bytes = static_cast<const unsigned char*>(*datum);
            for (std::size_t at = 0; at < size; at += croft::port::cache_line) sum += bytes[at];
            Memory::give(*datum, size);
        }
        asm volatile("" ::"r"(sum));  // or nobody would have to look
    });
    for (int i = 0; i < count; ++i) {
        void* const datum = Memory::take(size);
        std::memset(datum, i, size);
        data.send(datum);
    }
    data.close();
    reader.join();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / count;
}

}  // namespace

int main() {
    for (const std::size_t kib : {8, 16, 64, 132, 256, 1024, 4096}) {
        const std::size_t size = kib * 1024;
        const int count = static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 30) / size, 1000, 20000));
        double malloc_time = std::numeric_limits<double>::max(), pool_time = malloc_time;
        for (int round = 0; round < 7; ++round) {
            malloc_time = std::min(malloc_time, run<from_malloc>(size, count));
            pool_time = std::min(pool_time, run<from_pool>(size, count));
        }
        std::printf("%5zu KiB: malloc %9.0f ns, pool %9.0f ns\n", kib, malloc_time, pool_time);
    }
}
