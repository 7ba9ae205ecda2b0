// What a C library orders, of which a static glibc has no debug information: c_library WAY right|wrong. What races in
// the wrong ones, where there are any, is marked by the way's name.

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { threads = 4, rounds = 20 };

static long data;
static char* shared;
static int ready, is_wrong;
static const char* way;
static sem_t ping, pong;
static pthread_barrier_t all;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) { data = 5; }
static int is(const char* name) { return strcmp(way, name) == 0; }

static void semaphore(long id) {
    sem_t *mine = id % 2 ? &ping : &pong, *other = id % 2 ? &pong : &ping;
    sem_wait(mine);
    if (is_wrong) sem_post(other);
    data++;  // semaphore
    if (!is_wrong) sem_post(other);
}

static void barrier(long id) {
    pthread_barrier_wait(&all);
    if (id == 0) data++;  // barrier
    if (!is_wrong) pthread_barrier_wait(&all);
    if (data < 0) puts("?");  // barrier
}

static void condition(long id) {
    pthread_mutex_lock(&mutex);
    while (id && !ready) pthread_cond_wait(&changed, &mutex);
    ready = 1;
    pthread_cond_broadcast(&changed);
    if (is_wrong) pthread_mutex_unlock(&mutex);
    data++;  // condition
    if (!is_wrong) pthread_mutex_unlock(&mutex);
}

static void read_write(long id) {
    if (id % 2 || is_wrong)
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
    if (id % 2 && data < 0) puts("?");  // read_write
    if (id % 2 == 0) data++;            // read_write
    pthread_rwlock_unlock(&lock);
}

static void spinning(long id) {
    if (!is_wrong || id) pthread_spin_lock(&spin);
    data++;  // spinning
    if (!is_wrong || id) pthread_spin_unlock(&spin);
}

static void initialised(long id) {
    (void)id;
    pthread_once(&once, make);
    if (data != 5) puts("?");
}

static void allocated(long id) {
    char* const own = malloc(24 + (size_t)id * 8);
    memset(own, 1, 24);
    pthread_mutex_lock(&mutex);
    char* const other = shared;
    shared = own;
    pthread_mutex_unlock(&mutex);
    if (other) other[1] = 3;
    free(other);
}

static void printed(long id) {
    printf("%ld %d\n", id, rounds);
    fprintf(stderr, "%ld\n", id);
}

static void* work(void* number) {
    const long id = (long)number;
    for (int i = 0; i < rounds; ++i) {
        if (is("semaphore")) semaphore(id);
        if (is("barrier")) barrier(id);
        if (is("condition")) condition(id);
        if (is("read_write")) read_write(id);
        if (is("spinning")) spinning(id);
        if (is("initialised")) initialised(id);
        if (is("allocated")) allocated(id);
        if (is("printed")) printed(id);
    }
    return NULL;
}

int main(int count, char** with) {
    if (count != 3) return 2;
    way = with[1];
    is_wrong = strcmp(with[2], "wrong") == 0;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 1);
    pthread_barrier_init(&all, NULL, threads);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_t started[threads];
    for (long i = 0; i < threads; ++i) pthread_create(&started[i], NULL, work, (void*)i);
    for (int i = 0; i < threads; ++i) pthread_join(started[i], NULL);
    return 0;
}
