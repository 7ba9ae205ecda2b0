// Keeps the kernel busy for some rounds. Threads wait for each other and for time; there are files of all kinds,
// directories, signals, memory that comes and goes, standard input. The output depends on all of it, and on its time.
// Usage: system_calls DIRECTORY ROUNDS
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

// The main thread adds without the lock: of two threads' additions at once one may be lost, which depends on when.
std::atomic<std::uint64_t> sum = 1;
std::uint64_t digest() { return sum.load(std::memory_order_relaxed); }
void add(std::uint64_t value) {
    const std::uint64_t mixed = (digest() ^ value) * 0x9e3779b97f4a7c15u;
    sum.store(mixed ^ mixed >> 31, std::memory_order_relaxed);
}

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int turn = 0;
constexpr int workers = 3;
int rounds = 0;

// Each has its turn once a round; a thread that waits too long looks at the clock.
void* work(void* self) {
    const int me = static_cast<int>(reinterpret_cast<std::intptr_t>(self));
    for (int round = 0; round < rounds; ++round) {
        pthread_mutex_lock(&lock);
        while (turn % (workers + 1) != me) {
            const std::uint64_t until = now() + 3'000;
            const timespec limit{static_cast<time_t>(until / 1'000'000'000), static_cast<long>(until % 1'000'000'000)};
            if (pthread_cond_timedwait(&changed, &lock, &limit)) add(now());
        }
        add(static_cast<std::uint64_t>(me));
        ++turn;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        const timespec nap{0, 700 * (me + 1)};
        nanosleep(&nap, nullptr);
    }
    return nullptr;
}

std::uint64_t size_of(int file) {
    struct stat status{};
    fstat(file, &status);
    return static_cast<std::uint64_t>(status.st_size) * 1000 + status.st_ino;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 || chdir(argv[1])) return 1;
    rounds = std::atoi(argv[2]);
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGUSR1, &ignored, nullptr);
    pthread_t threads[workers];
    for (int i = 0; i < workers; ++i)
        pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(static_cast<std::intptr_t>(i + 1)));

    const int log = open("log", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0644), same = dup(log);
    const int given = open("given", O_RDONLY);
    const int removed = open("removed", O_RDWR | O_CREAT, 0600), random = open("/dev/urandom", O_RDONLY);
    unlink("removed");
    DIR* directory = opendir("entries");
    if (log < 0 || given < 0 || removed < 0 || random < 0 || !directory) return 2;
    for (int round = 0; round < rounds; ++round) {
        pthread_mutex_lock(&lock);
        while (turn % (workers + 1) != 0) pthread_cond_wait(&changed, &lock);
        ++turn;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);

        char text[64] = "";
        const int length =
            std::snprintf(text, sizeof text, "%d %016llx\n", round, static_cast<unsigned long long>(digest()));
        add(static_cast<std::uint64_t>(write(round % 2 ? log : same, text, static_cast<std::size_t>(length))));
        add(static_cast<std::uint64_t>(pwrite(removed, text, 16, round * 7)));
        add(size_of(log) + size_of(removed));
        char read_back[8] = "";
        add(static_cast<std::uint64_t>(read(given, read_back, 5)) + static_cast<std::uint64_t>(read_back[0]));
        if (round % 5 == 0 && read(0, read_back, 3) > 0) add(static_cast<std::uint64_t>(read_back[2]));
        add(static_cast<std::uint64_t>(pread(removed, read_back, 8, round * 3)) +
            static_cast<std::uint64_t>(read_back[1]));
        if (const dirent* entry = readdir(directory))
            add(entry->d_ino + static_cast<std::uint64_t>(entry->d_name[0]));
        else
            rewinddir(directory);
        std::uint64_t drawn = 0;
        if (getrandom(&drawn, sizeof drawn, 0) + read(random, &drawn, 4) > 0) add(drawn);
        raise(SIGUSR1);
        sigset_t mask;
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR2);
        sigprocmask(round % 2 ? SIG_BLOCK : SIG_UNBLOCK, &mask, nullptr);
        auto* const page = static_cast<std::uint64_t*>(
            mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        add(page[511] + reinterpret_cast<std::uintptr_t>(page));
        page[511] = digest();
        if (round % 3) munmap(page, 8192);
        if (round % 4 == 0) {
            std::printf("%d %016llx\n", round, static_cast<unsigned long long>(digest()));
            std::fflush(stdout);
        }
    }
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    std::printf("%016llx at %llu\n", static_cast<unsigned long long>(digest()), static_cast<unsigned long long>(now()));
    return static_cast<int>(digest() & 7);
}
