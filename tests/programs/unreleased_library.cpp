// Functions of a C library as GCC 12 has made glibc's. The machine code of a compare-and-exchange that is to release
// does not. The barrier survives that: the fence at its beginning orders what came before ahead of the exchange, too.
// unreleased_library CASE wrong|right, marked as library_synchronisation.cpp: in the right ones the program does its
// part. Below are glibc 2.36's instructions, with a spin where glibc sleeps, and no debug information.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "race_cases.hpp"

int post(std::uint64_t* semaphore) asm("sem_post");
int wait(std::uint64_t* semaphore) asm("sem_wait");
// How many have come, the first of the next round, how many have to come.
int meet_all(std::uint32_t* barrier) asm("pthread_barrier_wait");
int unlock(std::uint32_t* lock) asm("pthread_rwlock_unlock");    // with its fence
int strange_post(std::uint64_t* semaphore) asm("strange_post");  // the like, by a name that is none of a C library's

asm(R"(
    .text
    .globl sem_post, __new_sem_post, strange_post, sem_wait, __new_sem_wait
    .globl pthread_barrier_wait, ___pthread_barrier_wait, pthread_rwlock_unlock, ___pthread_rwlock_unlock

    .type sem_post, @function
    .type __new_sem_post, @function
sem_post:
__new_sem_post:
    ld a5, 0(a0)
1:  addi a6, a5, 1
2:  lr.d a2, (a0)
    bne a2, a5, 3f
    sc.d a7, a6, (a0)
    bnez a7, 2b
3:  sub a6, a2, a5
    mv a5, a2
    bnez a6, 1b
    li a0, 0
    ret
    .size sem_post, . - sem_post
    .size __new_sem_post, . - __new_sem_post

    .type strange_post, @function
strange_post:
1:  lr.d a5, (a0)
    addi a6, a5, 1
    sc.d a7, a6, (a0)
    bnez a7, 1b
    li a0, 0
    ret
    .size strange_post, . - strange_post

    .type sem_wait, @function
    .type __new_sem_wait, @function
sem_wait:
__new_sem_wait:
    ld a5, 0(a0)
    sext.w a4, a5
    beqz a4, sem_wait
    addi a3, a5, -1
1:  lr.d a4, (a0)
    bne a4, a5, sem_wait
    sc.d.aq a2, a3, (a0)
    bnez a2, 1b
    li a0, 0
    ret
    .size sem_wait, . - sem_wait
    .size __new_sem_wait, . - __new_sem_wait

    .type pthread_barrier_wait, @function
    .type ___pthread_barrier_wait, @function
pthread_barrier_wait:
___pthread_barrier_wait:
    li t2, 1
    fence iorw, ow
    amoadd.w.aq a4, t2, (a0)
    lw t5, 8(a0)
    addiw a6, a4, 1
    addi t3, a0, 4
    lw a3, 4(a0)
    bltu a6, t5, 4f
    mv t4, t5
1:  lr.w a1, (t3)
    bne a1, a3, 2f
    sc.w a0, t4, (t3)
    bnez a0, 1b
2:  j 5f
4:  lw a3, 0(t3)
    bltu a3, a6, 4b
5:  fence
    li a0, 0
    ret
    .size pthread_barrier_wait, . - pthread_barrier_wait
    .size ___pthread_barrier_wait, . - ___pthread_barrier_wait

    .type pthread_rwlock_unlock, @function
    .type ___pthread_rwlock_unlock, @function
pthread_rwlock_unlock:
___pthread_rwlock_unlock:
    li a1, 1
    fence iorw, ow
    amoswap.w zero, a1, (a0)
    li a0, 0
    ret
    .size pthread_rwlock_unlock, . - pthread_rwlock_unlock
    .size ___pthread_rwlock_unlock, . - ___pthread_rwlock_unlock
)");

namespace {

using namespace race_cases;

int data, mine[3], result;

void semaphore(bool wrong) {
    static std::uint64_t there;
    both(
        [=] {
            if (!wrong) put(data, 1);
            post(&there);
            if (wrong) put(data, 1);  // semaphore
        },
        [] {
            wait(&there);
            result = get(data);  // semaphore
        });
}

// Nobody knows that this has to release, so its callers race.
void strange(bool wrong) {
    static std::uint64_t there;
    both(
        [=] {
            put(data, 1);  // strange
            if (wrong)
                strange_post(&there);
            else
                std::atomic_ref(there).fetch_add(1, std::memory_order_release);
        },
        [] {
            wait(&there);
            result = get(data);  // strange
        });
}

// Whoever comes last tells each of the others of the other one, too.
void barrier(bool wrong) {
    static std::uint32_t all[3] = {0, 0, 3};
    const auto work = [=](int own) {
        return [=] {
            if (!wrong) put(mine[own], 1);
            meet_all(all);
            if (wrong) put(mine[own], 1);  // barrier
            for (const int& theirs : mine)
                if (&theirs != &mine[own] && get(theirs) == (wrong ? 9 : 0)) std::puts("?");  // barrier
        };
    };
    std::thread third(work(2));
    both(work(0), work(1));
    third.join();
}

void fenced(bool wrong) {
    static std::uint32_t unlocked;
    both(
        [=] {
            if (!wrong) put(data, 1);
            unlock(&unlocked);
            if (wrong) put(data, 1);  // fenced
        },
        [] {
            while (!std::atomic_ref(unlocked).load(std::memory_order_acquire)) {
            }
            result = get(data);  // fenced
        });
}

const case_list cases = {
    {"semaphore", semaphore},
    {"strange", strange},
    {"barrier", barrier},
    {"fenced", fenced},
};

}  // namespace

int main(int count, char** with) { return run_case(cases, count, with); }
