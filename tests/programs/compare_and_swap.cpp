// Counts by compare-and-swap of every width (Zacas, Zabha), several counters in one line, and takes a lock by it.
// Usage: compare_and_swap THREADS ROUNDS
//        compare_and_swap released       (one thread hands a number over to the other)
//        compare_and_swap unreleased     (by a compare-and-swap that fails, which orders nothing: there is a race)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#define WITH_ZACAS(text) ".option push\n.option arch, +zacas, +zabha\n" text "\n.option pop"

// Returns the value that was there. If that is `expected`, `desired` is there now.
#define COMPARE_AND_SWAP(name, type, width, order)                     \
    inline type name(type* at, type expected, type desired) {          \
        asm volatile(WITH_ZACAS("amocas." width order " %0, %2, (%1)") \
                     : "+r"(expected)                                  \
                     : "r"(at), "r"(desired)                           \
                     : "memory");                                      \
        return expected;                                               \
    }
COMPARE_AND_SWAP(compare_and_swap, std::int8_t, "b", ".aqrl")
COMPARE_AND_SWAP(compare_and_swap, std::int16_t, "h", ".aqrl")
COMPARE_AND_SWAP(compare_and_swap, std::int32_t, "w", ".aqrl")
COMPARE_AND_SWAP(compare_and_swap, std::int64_t, "d", ".aqrl")
COMPARE_AND_SWAP(compare_and_acquire, std::int32_t, "w", ".aq")
COMPARE_AND_SWAP(compare_and_release, std::int32_t, "w", ".rl")

struct alignas(16) Pair {
    std::uint64_t first = 0, second = 0;
    bool operator==(const Pair&) const = default;
};
inline Pair compare_and_swap(Pair* at, Pair expected, Pair desired) {
    register Pair* where asm("a0") = at;
    register std::uint64_t first asm("a2") = expected.first, second asm("a3") = expected.second;
    register std::uint64_t new_first asm("a4") = desired.first, new_second asm("a5") = desired.second;
    asm volatile(WITH_ZACAS("amocas.q.aqrl a2, a4, (a0)")
                 : "+r"(first), "+r"(second)
                 : "r"(where), "r"(new_first), "r"(new_second)
                 : "memory");
    return {first, second};
}

struct alignas(64) Shared {
    std::int8_t bytes[4] = {};
    std::int16_t half = 0, atomic_half = 0;
    std::int32_t word = 0, lock = 0;
    std::int64_t wide = 0;
    Pair pair;
    std::int8_t atomic_byte = 0;
};
Shared shared;
alignas(64) long guarded = 0;
bool torn = false;  // a half of a pair belonged to another number than the other half

template <class T, class Next>
void replace(T* at, Next next) {
    for (T seen{};;) {
        const T found = compare_and_swap(at, seen, next(seen));
        if (found == seen) return;
        seen = found;
    }
}

void count(int thread, int rounds) {
    const auto one_more = [](auto seen) { return static_cast<decltype(seen)>(seen + 1); };
    for (int i = 0; i < rounds; ++i) {
        replace(&shared.bytes[thread % 4], one_more);
        replace(&shared.half, one_more);
        replace(&shared.word, one_more);
        replace(&shared.wide, one_more);
        replace(&shared.pair, [](Pair seen) {
            if (seen.second != 3 * seen.first) torn = true;
            return Pair{seen.first + 1, seen.second + 3};
        });
        int old;
        asm volatile(WITH_ZACAS("amoadd.b %0, %2, (%1)") : "=r"(old) : "r"(&shared.atomic_byte), "r"(1) : "memory");
        asm volatile(WITH_ZACAS("amoadd.h %0, %2, (%1)") : "=r"(old) : "r"(&shared.atomic_half), "r"(1) : "memory");
        while (compare_and_acquire(&shared.lock, 0, 1) != 0) {
        }
        ++guarded;
        compare_and_release(&shared.lock, 1, 0);
    }
}

void hand_over(bool released) {
    std::thread other([released] {
        guarded = 1;
        compare_and_release(&shared.lock, released ? 0 : 5, 6);
    });
    for (int i = 0; i < 20000; ++i) asm volatile("");  // so that it has done that
    const int expected = released ? 6 : 0;
    while (compare_and_acquire(&shared.lock, expected, 7) != expected) {
    }
    std::printf("%ld\n", guarded);
    other.join();
}

int main(int argc, char** argv) {
    if (const std::string_view what = argc == 2 ? argv[1] : ""; what.ends_with("released"))
        return hand_over(what == "released"), 0;
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1, rounds = argc > 2 ? std::atoi(argv[2]) : 1;
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(count, i, rounds);
    count(0, rounds);
    for (std::thread& other : others) other.join();
    const int bytes = shared.bytes[0] + shared.bytes[1] + shared.bytes[2] + shared.bytes[3];
    std::printf("bytes %d, halves %d, words %d, wide %lld, pairs %llu%s, atomic %d %d, guarded %ld\n", bytes,
                shared.half, shared.word, static_cast<long long>(shared.wide),
                static_cast<unsigned long long>(shared.pair.first),
                torn || shared.pair.second != 3 * shared.pair.first ? " torn" : "", shared.atomic_byte,
                shared.atomic_half, guarded);
}
