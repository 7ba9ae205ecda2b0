// A thread reads an old copy of a counter, and could know that it is old. Usage: guess WHAT, with WHAT =
//   exchange  the value read is the guess of a compare-and-swap, which reads it anew
//   add       an atomic operation reads it anew
//   use       the thread goes by the value
//   later     there is another access in between, so nobody knows what the read was for
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include <croft/port/port.hpp>

namespace {

enum class what { exchange, add, use, later };

std::atomic<int> turn{0};
alignas(64) std::atomic<int> counter{0};
alignas(64) volatile int other = 0;

// An operation of the shared cache, that fetches no line and drops none.
int read_shared(std::atomic<int>& word) { return word.fetch_add(0, std::memory_order_relaxed); }

template <what What>
void read() {
    counter.load(std::memory_order_relaxed);
    turn.fetch_add(1, std::memory_order_relaxed);
    while (read_shared(turn) != 2) croft::port::pause();
    int seen = counter.load(std::memory_order_relaxed);
    if constexpr (What == what::use) return;
    if constexpr (What == what::add) seen = counter.fetch_add(0, std::memory_order_relaxed);
    if constexpr (What == what::later) seen += other;  // 0
    while (!counter.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed)) continue;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "exchange";
    std::thread reader(name == "use"     ? read<what::use>
                       : name == "add"   ? read<what::add>
                       : name == "later" ? read<what::later>
                                         : read<what::exchange>);
    while (read_shared(turn) != 1) croft::port::pause();
    counter.store(42, std::memory_order_relaxed);
    croft::port::cache_flush();
    turn.fetch_add(1, std::memory_order_relaxed);
    reader.join();
    std::printf("%d\n", read_shared(counter));
}
