// Faults that a report has to find, each beside the same program without it. They are two counters in one line
// ("counters", "padded"), a queue homed at its writer ("written", "read"), and a slow emitter ("emitter", "balanced").

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <thread>

#include <croft/memory/homed_lines.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

namespace {

constexpr int rounds = 4000;

void count(std::atomic<long>& own) {
    for (int i = 0; i < rounds; ++i) own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

struct alignas(64) Together {
    std::atomic<long> one{0}, two{0};
};
struct Apart {
    alignas(64) std::atomic<long> one{0};
    alignas(64) std::atomic<long> two{0};
};

template <class Counters>
long counters() {
    static Counters both;
    std::thread one([] { count(both.one); }), two([] { count(both.two); });
    one.join();
    two.join();
    return both.one + both.two;
}

// The first thread, on core 1, writes; the second one, on core 2, reads. A slot a line.
struct alignas(64) Slot {
    std::atomic<int> full{0};
    int value = 0;
};

long queue(int home) {
    constexpr int slots = 8;
    void* const memory = croft::detail::allocate_lines(sizeof(Slot) * slots, home);
    auto* const ring = new (memory) Slot[slots];
    long sum = 0;
    std::thread writer([&] {
        for (int i = 0; i < rounds; ++i) {
            Slot& slot = ring[i % slots];
            while (slot.full.load(std::memory_order_acquire)) {
            }
            slot.value = i;
            slot.full.store(1, std::memory_order_release);
        }
    });
    std::thread reader([&] {
        for (int i = 0; i < rounds; ++i) {
            Slot& slot = ring[i % slots];
            while (!slot.full.load(std::memory_order_acquire)) {
            }
            sum += slot.value;
            slot.full.store(0, std::memory_order_release);
        }
    });
    writer.join();
    reader.join();
    croft::detail::deallocate_lines(memory, sizeof(Slot) * slots, home);
    return sum;
}

[[gnu::noinline]] std::uint64_t work(std::uint64_t seed, int steps) {
    for (int i = 0; i < steps; ++i) seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed;
}

std::uint64_t farm(int of_emitter, int of_worker) {
    constexpr int items = 300;
    int next = 0;
    std::uint64_t sum = 0;
    croft::run(
        [&]() -> std::optional<std::uint64_t> {
            if (next == items) return std::nullopt;
            return work(static_cast<std::uint64_t>(next++), of_emitter);
        },
        croft::farm([=](std::uint64_t item) { return work(item, of_worker); }, {.workers = 3}),
        [&](std::uint64_t result) { sum += result; });
    return sum;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const auto is = [&](const char* name) { return argument_count > 1 && std::strcmp(arguments[1], name) == 0; };
    long result = 0;
    if (is("counters")) result = counters<Together>();
    if (is("padded")) result = counters<Apart>();
    if (is("written")) result = queue(1);
    if (is("read")) result = queue(2);
    if (is("emitter")) result = static_cast<long>(farm(900, 300));
    if (is("balanced")) result = static_cast<long>(farm(100, 900));
    std::printf("%ld\n", result);
    return result == 0;
}
