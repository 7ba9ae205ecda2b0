// A data-race-free random tester: episodes of acquire, loads and stores, release on regions. Their words are scattered
// over the same few lines, so that all threads share every line falsely. Every word holds the number of its region's
// last episode, so a stale or lost word shows at once.
//
//     coherence_stress THREADS EPISODES SEED
//
// Prints "ok" and a total that does not depend on the interleaving.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr unsigned regions = 24, words = 1024;  // 64 lines of 16 words

alignas(64) std::uint32_t shared_words[words];
std::uint32_t episodes_of[regions];         // guarded by the region's lock
std::atomic<std::uint32_t> locks[regions];  // on purpose in the same lines
std::atomic<std::uint64_t> failures{0};

unsigned region_of(unsigned word) { return (word * 2654435761u >> 7) % regions; }

struct Random {
    std::uint64_t state;
    std::uint32_t operator()() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state >> 33);
    }
};

void lock(std::atomic<std::uint32_t>& word, std::uint32_t how) {
    if (how % 2) {
        while (word.exchange(1, std::memory_order_acquire)) {
        }  // amoswap
    } else {
        for (std::uint32_t free = 0;  // lr/sc
             !word.compare_exchange_weak(free, 1, std::memory_order_acquire, std::memory_order_relaxed); free = 0) {
        }
    }
}

void episode(unsigned region, Random& random) {
    lock(locks[region], random());
    const std::uint32_t last = episodes_of[region];
    std::uint64_t wrong = 0;
    for (unsigned word = 0; word < words; ++word)
        if (region_of(word) == region && shared_words[word] != last) ++wrong;
    for (unsigned word = 0; word < words; ++word)
        if (region_of(word) == region) shared_words[word] = last + 1;
    episodes_of[region] = last + 1;
    if (wrong) failures.fetch_add(wrong, std::memory_order_relaxed);
    locks[region].store(0, std::memory_order_release);
}

// Store buffering with full fences (Dekker): both threads reading the other's old value is forbidden.
std::atomic<std::uint32_t> flag_a{0}, flag_b{0}, seen_a{0}, seen_b{0}, turn{0};

void dekker(bool first, unsigned rounds) {
    for (unsigned round = 1; round <= rounds; ++round) {
        auto& mine = first ? flag_a : flag_b;
        auto& other = first ? flag_b : flag_a;
        mine.store(round, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        (first ? seen_a : seen_b).store(other.load(std::memory_order_relaxed), std::memory_order_relaxed);
        turn.fetch_add(1, std::memory_order_acq_rel);
        while (turn.load(std::memory_order_acquire) < 4 * round - 2) {
        }
        if (seen_a.load(std::memory_order_relaxed) < round && seen_b.load(std::memory_order_relaxed) < round)
            failures.fetch_add(1, std::memory_order_relaxed);
        turn.fetch_add(1, std::memory_order_acq_rel);
        while (turn.load(std::memory_order_acquire) < 4 * round) {
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: coherence_stress THREADS EPISODES SEED\n");
        return 2;
    }
    const unsigned threads = static_cast<unsigned>(std::atoi(arguments[1]));
    const unsigned episodes = static_cast<unsigned>(std::atoi(arguments[2]));
    const std::uint64_t seed = static_cast<std::uint64_t>(std::atoll(arguments[3]));
    std::vector<std::thread> workers;
    for (unsigned thread = 1; thread < threads; ++thread)
        workers.emplace_back([=] {
            if (thread == 1) dekker(false, 50);
            Random random{seed * 1000 + thread};
            for (unsigned i = 0; i < episodes; ++i) episode(random() % regions, random);
        });
    if (threads > 1) dekker(true, 50);
    Random random{seed * 1000};
    for (unsigned i = 0; i < episodes; ++i) episode(random() % regions, random);
    for (auto& worker : workers) worker.join();
    std::uint64_t total = 0;
    for (const auto value : episodes_of) total += value;
    for (unsigned word = 0; word < words; ++word)
        if (shared_words[word] != episodes_of[region_of(word)]) failures.fetch_add(1);
    // Two threads inside a lock at once may leave every word consistent, but they lose an episode.
    if (total != std::uint64_t{threads} * episodes) failures.fetch_add(1);
    std::printf("%s total=%llu\n", failures.load() ? "FAILED" : "ok", static_cast<unsigned long long>(total));
    return failures.load() != 0;
}
