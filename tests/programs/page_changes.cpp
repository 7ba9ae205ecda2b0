// A random tester of what the kernel does to pages while threads store to them. The workers' stacks lie in one pool
// with the words that they write, and they know the value of each word at any time. Between them other threads start
// and end on stacks of that pool. The main thread protects the pool anew, gives it other homes, and moves, clears and
// replaces pages of its own. A store that is lost, or seen late by its own thread, shows at the next load of the word.
//
//     page_changes WORKERS OPERATIONS SEED
//
// Needs a core for each worker and two more. Prints "ok", or the first wrong words.

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t page = 4096, stack = 16 * page, words = 256;  // of each worker, eight bytes apart
constexpr int read_write = PROT_READ | PROT_WRITE, anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

struct Random {
    std::uint64_t state;
    std::uint32_t operator()() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state >> 33);
    }
    std::uint32_t below(std::size_t bound) { return (*this)() % static_cast<std::uint32_t>(bound); }
};

// ---- what is wrong ----

struct Wrong {
    const char* what;
    std::uint64_t who, where, got, expected;
};
Wrong wrongs[8];
std::atomic<std::uint64_t> wrong{0};

void expect(const char* what, std::uint64_t who, std::uint64_t where, std::uint64_t got, std::uint64_t expected) {
    if (got == expected) return;
    const std::uint64_t number = wrong.fetch_add(1);
    if (number < std::size(wrongs)) wrongs[number] = {what, who, where, got, expected};
}

// Never twice the same for a word, nor for two words.
template <class Word>
Word value(std::uint64_t who, std::uint64_t where, std::uint64_t round) {
    return static_cast<Word>((round * 0x10001 + who * 977 + where * 31) * 0x9e3779b97f4a7c15u >> 8 | 1);
}

// ---- workers ----

unsigned workers;
std::uint64_t rounds, seed;
char* pool;  // the workers' words, then stacks
std::atomic<unsigned> at_barrier{0}, finished{0};

std::size_t word_bytes() { return (words * workers * 8 + page - 1) / page * page; }

void barrier() {
    const unsigned mine = at_barrier.fetch_add(1, std::memory_order_acq_rel) / workers;
    while (at_barrier.load(std::memory_order_acquire) / workers == mine) {
    }
}

// Half of them in lines of their own, half in lines that all workers write.
template <class Word>
volatile Word& word(std::uint64_t who, std::uint64_t where) {
    constexpr std::uint64_t apart = words / 2;
    const std::uint64_t slot = where < apart ? who * apart + where : where * workers + who;
    return *reinterpret_cast<volatile Word*>(pool + slot * 8);
}

// Each round writes all words in an order of its own, a few at a time, and looks at these, and at any other one. Then,
// from time to time, at those of the next worker.
template <class Word>
void work(std::uint64_t who) {
    Random random{seed * 100 + who};
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        const std::uint64_t factor = random.below(2) ? 1 : random() | 1, first = random();
        const auto place = [&](std::uint64_t step) { return (factor * step + first) % words; };
        for (std::uint64_t stored = 0; stored < words;) {
            const std::uint64_t step = stored;
            for (std::uint64_t more = 1 + random.below(8); more > 0 && stored < words; --more, ++stored)
                word<Word>(who, place(stored)) = value<Word>(who, place(stored), round);
            for (std::uint64_t look = step; look < stored; ++look)
                expect("just stored", who, place(look), word<Word>(who, place(look)),
                       value<Word>(who, place(look), round));
            const std::uint64_t any = random.below(words), when = any < stored ? round : round - 1;
            if (when)
                expect("stored before", who, place(any), word<Word>(who, place(any)),
                       value<Word>(who, place(any), when));
        }
        if (round % 4) continue;
        barrier();
        const std::uint64_t next = (who + 4) % workers;  // of the same size, if there is one
        if (next % 4 == who % 4)
            for (std::uint64_t where = random.below(8); where < words; where += 8)
                expect("of another", next, where, word<Word>(next, where), value<Word>(next, where, round));
        barrier();
    }
    finished.fetch_add(1, std::memory_order_release);
}

void* worker(void* argument) {
    const auto who = reinterpret_cast<std::uint64_t>(argument);
    switch (who % 4) {
        case 0:
            work<std::uint64_t>(who);
            break;
        case 1:
            work<std::uint32_t>(who);
            break;
        case 2:
            work<std::uint8_t>(who);
            break;
        default:
            work<std::uint16_t>(who);
    }
    return nullptr;
}

// ---- pages ----

pthread_t start(unsigned slot, void* (*what)(void*), void* argument) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, pool + word_bytes() + slot * stack, stack);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, what, argument)) {
        std::fprintf(stderr, "page_changes: a thread cannot be started\n");
        std::exit(2);
    }
    pthread_attr_destroy(&attributes);
    return thread;
}

// A few pages of the main thread's, which move to and fro; short threads write them.
struct Moved {
    static constexpr std::size_t pages = 2, count = pages * page / 8;
    char *here, *elsewhere;
    std::uint64_t round = 0;
    volatile std::uint64_t& at(std::uint64_t where) { return reinterpret_cast<volatile std::uint64_t*>(here)[where]; }
} moved;

// Its stack and the pages that move.
void* short_thread(void*) {
    volatile std::uint64_t own[64];
    for (std::uint64_t i = 0; i < 64; ++i) own[i] = value<std::uint64_t>(98, i, moved.round);
    for (std::uint64_t where = 0; where < Moved::count; where += 5)
        moved.at(where) = value<std::uint64_t>(99, where, moved.round);
    for (std::uint64_t i = 0; i < 64; ++i)
        expect("on a stack", 98, i, own[i], value<std::uint64_t>(98, i, moved.round));
    return nullptr;
}

void move_pages(unsigned slot, Random& random) {
    ++moved.round;
    const pthread_t thread = start(slot, short_thread, nullptr);
    for (std::uint32_t i = random.below(3); i > 0; --i) mprotect(pool, word_bytes() + slot * stack, read_write);
    pthread_join(thread, nullptr);
    for (std::uint64_t where = 1; where < Moved::count; where += 5)
        moved.at(where) = value<std::uint64_t>(97, where, moved.round);
    const std::size_t bytes = Moved::pages * page;
    if (mremap(moved.here, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, moved.elsewhere) != moved.elsewhere)
        expect("mremap", 0, 0, 0, 1);
    std::swap(moved.here, moved.elsewhere);
    for (std::uint64_t where = 0; where < Moved::count; where += 5) {
        expect("moved", 99, where, moved.at(where), value<std::uint64_t>(99, where, moved.round));
        expect("moved", 97, where + 1, moved.at(where + 1), value<std::uint64_t>(97, where + 1, moved.round));
    }
}

// Pages that are written, and then are new.
void renew_pages(char* at, Random& random) {
    auto* const of_page = reinterpret_cast<volatile std::uint64_t*>(at);
    for (int i = 0; i < 40; ++i) of_page[random.below(512)] = random() | 1;
    if (random.below(2))
        madvise(at, page, MADV_DONTNEED);
    else
        mmap(at, page, read_write, anonymous | MAP_FIXED, -1, 0);
    for (int i = 0; i < 40; ++i) {
        const std::uint32_t where = random.below(512);
        expect("renewed", 0, where, of_page[where], 0);
    }
}

void change_pages(unsigned slot, char* renewed, Random& random) {
    const std::size_t pages = (word_bytes() + (slot + 1) * stack) / page;
    const std::size_t first = random.below(pages), some = 1 + random.below(pages - first);
    switch (random.below(12)) {
        case 0:
            mprotect(pool, pages * page, read_write);
            break;
        case 1:
        case 2:
        case 3:
        case 4:  // refused by a machine without homes, and here
            syscall(2000, pool + first * page, some * page, static_cast<long>(random.below(12)) - 3);
            break;
        case 5:
            renew_pages(renewed, random);
            break;
        case 6:
            move_pages(slot, random);
            break;
        default:
            mprotect(pool + first * page, some * page, read_write | PROT_EXEC);
            mprotect(pool + first * page, some * page, read_write);
    }
    for (std::uint32_t pause = random.below(100); pause > 0; --pause)
        std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: page_changes WORKERS OPERATIONS SEED\n");
        return 2;
    }
    workers = static_cast<unsigned>(std::atoi(arguments[1]));
    rounds = std::strtoull(arguments[2], nullptr, 10) / (workers * words * 2) + 1;
    seed = std::strtoull(arguments[3], nullptr, 10);
    const auto map = [](std::size_t bytes) {
        return static_cast<char*>(mmap(nullptr, bytes, read_write, anonymous, -1, 0));
    };
    pool = map(word_bytes() + (workers + 1) * stack);
    moved.here = map(Moved::pages * page);
    moved.elsewhere = map(Moved::pages * page);
    char* const renewed = map(page);

    std::vector<pthread_t> threads;
    for (unsigned who = 0; who < workers; ++who)
        threads.push_back(start(who, worker, reinterpret_cast<void*>(std::uint64_t{who})));
    Random random{seed};
    std::uint64_t changes = 0;
    for (; finished.load(std::memory_order_acquire) < workers; ++changes) change_pages(workers, renewed, random);
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);

    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(wrong, std::size(wrongs)); ++i)
        std::printf("%s: word %llu of %llu is %llx, not %llx\n", wrongs[i].what,
                    static_cast<unsigned long long>(wrongs[i].where), static_cast<unsigned long long>(wrongs[i].who),
                    static_cast<unsigned long long>(wrongs[i].got),
                    static_cast<unsigned long long>(wrongs[i].expected));
    std::printf("%s: %llu operations, %llu changes, %llu wrong\n", wrong ? "FAILED" : "ok",
                static_cast<unsigned long long>(rounds * workers * words * 2), static_cast<unsigned long long>(changes),
                static_cast<unsigned long long>(wrong));
    return wrong != 0;
}
