// Synchronisation that programs build of atomics themselves, and beside each a twin that is too weak:
// own_synchronisation CASE wrong|right, marked as library_synchronisation.cpp.

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

#include "race_cases.hpp"

namespace {

using namespace race_cases;

constexpr std::memory_order relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
                            release = std::memory_order_release;

int data, result;

// ---- locks ----

void flag_lock(bool wrong) {
    static std::atomic_flag taken;
    const auto count = [=] {
        for (int i = 0; i < 10; ++i) {
            while (taken.test_and_set(acquire)) {
            }
            put(data, get(data) + 1);  // flag_lock
            taken.clear(wrong ? relaxed : release);
        }
    };
    both(count, count);
}

// The processor exchanges words: what is beside the lock in its word is no business of the lock's.
void byte_lock(bool wrong) {
    struct alignas(4) word {
        char mine[2];
        std::atomic<bool> locked;
        char guarded;
    };
    static word here;
    static std::atomic<int> names;
    const auto count = [=] {
        char& own = here.mine[names.fetch_add(1, relaxed)];
        for (int i = 0; i < 10; ++i) {
            put(own, static_cast<char>(i));
            while (here.locked.exchange(true, acquire)) {
            }
            put(here.guarded, static_cast<char>(get(here.guarded) + 1));  // byte_lock
            here.locked.store(false, wrong ? relaxed : release);
        }
        if (get(own) != 9) std::puts("?");
    };
    both(count, count);
}

void ticket_lock(bool wrong) {
    static std::atomic<int> next, serves;
    const auto count = [=] {
        for (int i = 0; i < 10; ++i) {
            const int mine = next.fetch_add(1, relaxed);
            while (serves.load(wrong ? relaxed : acquire) != mine) {
            }
            put(data, get(data) + 1);  // ticket_lock
            serves.store(mine + 1, release);
        }
    };
    both(count, count);
}

void peterson(bool wrong) {
    static std::array<std::atomic<bool>, 2> wants;
    static std::atomic<int> turn, names;
    const auto in = wrong ? relaxed : std::memory_order_seq_cst;
    const auto count = [=] {
        const int own = names.fetch_add(1, relaxed), other = 1 - own;
        for (int i = 0; i < 10; ++i) {
            wants[own].store(true, in);
            turn.store(other, in);
            while (wants[other].load(in) && turn.load(in) == other) {
            }
            put(data, get(data) + 1);  // peterson
            wants[own].store(false, in);
        }
    };
    both(count, count);
}

// A store-conditional that fails has released nothing.
void store_conditional(bool wrong) {
    static std::atomic<int> word;
    static moment reserved, written, tried;
    both(
        [=] {
            put(data, 1);  // store_conditional
            int loaded = 0, failed = 0;
            asm volatile("lr.w %0, (%1)" : "=r"(loaded) : "r"(&word) : "memory");
            reserved.has_come();
            written.wait();
            asm volatile("sc.w.rl %0, %1, (%2)" : "=&r"(failed) : "r"(loaded), "r"(&word) : "memory");
            if (!failed) std::puts("?");
            if (!wrong) word.fetch_add(1, release);
            tried.has_come();
        },
        [] {
            reserved.wait();
            word.store(1, relaxed);
            written.has_come();
            tried.wait();
            word.fetch_add(1, acquire);
            result = get(data);  // store_conditional
        });
}

// ---- readers that write nothing ----

// Boehm, "Can seqlocks get along with programming language memory models?": the data are relaxed atomics.
void seqlock(bool wrong) {
    static std::atomic<unsigned> sequence;
    static std::array<std::atomic<int>, 2> words;
    static std::array<int, 2> plain;
    both(
        [=] {
            for (int i = 0; i < 10; ++i) {
                const unsigned before = sequence.load(relaxed);
                sequence.store(before + 1, relaxed);
                std::atomic_thread_fence(release);
                for (int j = 0; j < 2; ++j)
                    if (wrong)
                        put(plain[j], i);  // seqlock
                    else
                        words[j].store(i, relaxed);
                sequence.store(before + 2, release);
            }
        },
        [=] {
            for (int i = 0; i < 10; ++i) {
                unsigned before = 0;
                std::array<int, 2> seen{};
                do {
                    before = sequence.load(acquire);
                    for (int j = 0; j < 2; ++j) seen[j] = wrong ? get(plain[j]) : words[j].load(relaxed);  // seqlock
                    std::atomic_thread_fence(acquire);
                } while (before % 2 != 0 || sequence.load(relaxed) != before);
                if (seen[0] != seen[1]) std::puts("?");
            }
        });
}

// RCU's publication: a version is written once and read for ever.
void published(bool wrong) {
    static std::array<int, 8> versions;
    static std::atomic<int*> current{&versions[0]};
    both(
        [=] {
            for (int& version : versions) {
                put(version, 1);  // published
                current.store(&version, wrong ? relaxed : release);
            }
        },
        [] {
            const int* seen = &versions[0];
            while (seen != &versions[7]) {
                seen = current.load(acquire);
                if (seen != &versions[0]) (void)get(*seen);  // published
            }
        });
}

// A writer uses a version again only when no reader's pointer says that it is being read.
void hazard_pointer(bool wrong) {
    static std::array<int, 2> versions;
    static std::atomic<int*> current{&versions[0]}, hazard;
    static moment reads, replaced;
    both(
        [=] {
            int* seen = current.load(acquire);
            do {
                hazard.store(seen, std::memory_order_seq_cst);
            } while (seen != current.load(std::memory_order_seq_cst) && (seen = current.load(acquire)));
            reads.has_come();
            replaced.wait();
            (void)get(*seen);  // hazard_pointer
            hazard.store(nullptr, release);
        },
        [=] {
            reads.wait();
            current.exchange(&versions[1], std::memory_order_seq_cst);
            replaced.has_come();
            while (!wrong && hazard.load(std::memory_order_seq_cst) == &versions[0]) {
            }
            put(versions[0], 2);  // hazard_pointer
        });
}

// ---- counts ----

// The last one of those that count down has what the others did before it.
void counted_down(bool wrong) {
    static std::atomic<int> users{2};
    static std::array<int, 2> done;
    static std::atomic<int> names;
    const auto use = [=] {
        put(done[names.fetch_add(1, relaxed)], 1);  // counted_down
        if (users.fetch_sub(1, wrong ? relaxed : release) != 1) return;
        std::atomic_thread_fence(acquire);
        result = get(done[0]) + get(done[1]);  // counted_down
    };
    both(use, use);
}

void atomic_ref(bool wrong) {
    alignas(std::atomic_ref<int>::required_alignment) static int plain;
    const auto count = [=] {
        for (int i = 0; i < 10; ++i) std::atomic_ref(plain).fetch_add(1, relaxed);  // atomic_ref
    };
    both(count, [=] {
        if (wrong)
            put(plain, 1);  // atomic_ref
        else
            count();
    });
}

// An addition by another thread's operation goes on with what was released before it.
void release_sequence(bool wrong) {
    static std::atomic<int> stage;
    static moment first;
    std::thread between([] {
        first.wait();
        stage.fetch_add(1, relaxed);
    });
    both(
        [=] {
            put(data, 1);  // release_sequence
            stage.store(1, wrong ? relaxed : release);
            first.has_come();
        },
        [] {
            while (stage.load(acquire) != 2) {
            }
            result = get(data);  // release_sequence
        });
    between.join();
}

// ---- flags ----

void wait_and_notify(bool wrong) {
    static std::atomic<int> flag;
    both(
        [=] {
            if (!wrong) put(data, 1);
            flag.store(1, release);
            flag.notify_one();
            if (wrong) put(data, 1);  // wait_and_notify
        },
        [] {
            flag.wait(0, acquire);
            result = get(data);  // wait_and_notify
        });
}

void fences(bool wrong) {
    static std::atomic<bool> flag;
    both(
        [] {
            put(data, 1);  // fences
            std::atomic_thread_fence(release);
            flag.store(true, relaxed);
        },
        [=] {
            while (!flag.load(relaxed)) {
            }
            if (!wrong) std::atomic_thread_fence(acquire);
            result = get(data);  // fences
        });
}

void plain_flag(bool wrong) {
    static bool plain;
    static std::atomic<bool> atomic;
    both(
        [=] {
            if (wrong)
                put(plain, true);  // plain_flag
            else
                atomic.store(true);
        },
        [=] {
            while (wrong ? !get(plain) : !atomic.load()) {  // plain_flag
            }
        });
}

// The load that acquires stands right behind an operation for which a core waits.
void behind_an_operation(bool wrong) {
    static std::atomic<int> looks, flag;
    both(
        [] {
            put(data, 1);  // behind_an_operation
            flag.store(1, release);
        },
        [=] {
            do looks.fetch_add(1, relaxed);
            while (!flag.load(wrong ? relaxed : acquire));
            result = get(data);  // behind_an_operation
        });
}

// ---- queues ----

void ring(bool wrong) {
    static std::array<int, 4> items;
    static std::atomic<unsigned> taken, put_in;
    both(
        [=] {
            for (unsigned i = 0; i < 12; ++i) {
                while (i - taken.load(wrong ? relaxed : acquire) == items.size()) {
                }
                put(items[i % 4], 1);  // ring
                put_in.store(i + 1, release);
            }
        },
        [=] {
            for (unsigned i = 0; i < 12; ++i) {
                while (put_in.load(acquire) == i) {
                }
                (void)get(items[i % 4]);  // ring
                taken.store(i + 1, release);
            }
        });
}

void compare_exchange(bool wrong) {
    static std::array<int, 10> items;
    static std::atomic<int> count;
    both(
        [=] {
            for (int& item : items) {
                put(item, 1);  // compare_exchange
                int before = count.load(relaxed);
                while (!count.compare_exchange_weak(before, before + 1, wrong ? relaxed : release, relaxed)) {
                }
            }
        },
        [] {
            for (int seen = 0; seen < 10;)
                for (const int now = count.load(acquire); seen < now; ++seen)
                    (void)get(items[seen]);  // compare_exchange
        });
}

const case_list cases = {
    {"flag_lock", flag_lock},
    {"byte_lock", byte_lock},
    {"ticket_lock", ticket_lock},
    {"peterson", peterson},
    {"store_conditional", store_conditional},
    {"seqlock", seqlock},
    {"published", published},
    {"hazard_pointer", hazard_pointer},
    {"counted_down", counted_down},
    {"atomic_ref", atomic_ref},
    {"release_sequence", release_sequence},
    {"wait_and_notify", wait_and_notify},
    {"fences", fences},
    {"plain_flag", plain_flag},
    {"behind_an_operation", behind_an_operation},
    {"ring", ring},
    {"compare_exchange", compare_exchange},
};

}  // namespace

int main(int count, char** with) { return run_case(cases, count, with); }
