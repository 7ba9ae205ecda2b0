// Workers write 8 KiB each of one mapping, which nobody else touches, and read it again at once. Meanwhile threads
// start whose stacks lie in that mapping, as language run-times and pools have them, or the mapping is protected as it
// was.
//
//     own_stores stack|mprotect WORKERS THREADS SPAN
//
// SPAN: how many words a worker writes before it reads them. Prints how many words were not what it had written.

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr std::size_t pool_bytes = 4 << 20, stack_bytes = 64 << 10, words = 1024;
char* pool;
long span;
std::atomic<bool> stop{false};
std::atomic<long> at_once{0}, later{0};

void* worker(void* number) {
    auto* const mine = reinterpret_cast<volatile long*>(pool) + reinterpret_cast<std::size_t>(number) * words;
    for (long round = 1; !stop.load(std::memory_order_acquire); ++round) {
        for (long i = 0; i < long{words}; ++i) {
            mine[i] = round * long{words} + i;
            if (i % span != span - 1) continue;
            for (long look = i - span + 1; look <= i; ++look)
                if (mine[look] != round * long{words} + look) ++at_once;
        }
        for (long i = 0; i < long{words}; ++i)
            if (mine[i] != round * long{words} + i) ++later;
    }
    return nullptr;
}

void* idle(void*) {  // it lasts, so that the next one starts on another core
    while (!stop.load(std::memory_order_acquire)) {
    }
    return nullptr;
}

pthread_t start(void* (*what)(void*), void* argument, void* stack) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack) pthread_attr_setstack(&attributes, stack, stack_bytes);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, what, argument)) std::abort();
    return thread;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) return 2;
    const bool in_pool = arguments[1] == std::string("stack");
    const long workers = std::atol(arguments[2]), more = std::atol(arguments[3]);
    span = std::atol(arguments[4]);
    pool = static_cast<char*>(mmap(nullptr, pool_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::vector<pthread_t> threads;
    for (long i = 0; i < workers; ++i) threads.push_back(start(worker, reinterpret_cast<void*>(i), nullptr));
    for (long i = 0; i < more; ++i) {
        threads.push_back(start(idle, nullptr, in_pool ? pool + pool_bytes - (i + 1) * stack_bytes : nullptr));
        if (!in_pool) mprotect(pool, pool_bytes, PROT_READ | PROT_WRITE);
        for (long pause = 500 + 37 * i; pause > 0; --pause) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    stop = true;
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    std::printf("%ld at once, %ld later\n", at_once.load(), later.load());
    return at_once || later;
}
