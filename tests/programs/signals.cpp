// Signals, as a program of Linux meets them: signals [WHICH]. Every line says what has come of one of these.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

std::atomic<int> seen{0}, count{0};
siginfo_t info;
void note(int signal) { seen = signal, ++count; }
void note_info(int signal, siginfo_t* given, void*) { seen = signal, ++count, info = *given; }

void handle(int signal, void (*handler)(int), int flags = 0) {
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(signal, &action, nullptr);
}
void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags = 0) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = flags | SA_SIGINFO;
    sigaction(signal, &action, nullptr);
}
sigset_t set_of(std::initializer_list<int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals) sigaddset(&set, signal);
    return set;
}
timespec microseconds(long count) { return {count / 1'000'000, count % 1'000'000 * 1000}; }

void raised() {
    handle(SIGUSR1, note_info);
    raise(SIGUSR1);
    std::printf("raised: %d, from here %d, by thread %d\n", seen.load() == SIGUSR1, info.si_pid == getpid(),
                info.si_code == SI_TKILL);
    kill(getpid(), SIGUSR1);
    std::printf("killed: twice %d, by user %d\n", count == 2, info.si_code == SI_USER);
    sigqueue(getpid(), SIGUSR1, {.sival_int = 42});
    std::printf("queued: %d, code %d\n", info.si_value.sival_int, info.si_code == SI_QUEUE);
}

void masked() {
    handle(SIGUSR1, note);
    handle(SIGUSR2, note);
    const sigset_t both = set_of({SIGUSR1, SIGUSR2});
    pthread_sigmask(SIG_BLOCK, &both, nullptr);
    raise(SIGUSR2);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigset_t pending;
    sigpending(&pending);
    std::printf("blocked: %d calls, pending %d %d %d\n", count.load(), sigismember(&pending, SIGUSR1),
                sigismember(&pending, SIGUSR2), sigismember(&pending, SIGTERM));
    pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
    std::printf("unblocked: %d calls\n", count.load());
}

std::atomic<int> order[8], at{0};
void nested(int signal) {
    order[at++] = signal;
    if (signal == SIGUSR1) raise(SIGUSR2), raise(SIGTERM);
    order[at++] = -signal;
}
void nesting() {
    struct sigaction action{};
    action.sa_handler = nested;
    action.sa_mask = set_of({SIGTERM});
    sigaction(SIGUSR1, &action, nullptr);
    handle(SIGUSR2, nested);
    handle(SIGTERM, nested);
    raise(SIGUSR1);
    std::printf("nested: %d, behind the other: %d\n",
                order[0] == SIGUSR1 && order[1] == SIGUSR2 && order[2] == -SIGUSR2 && order[3] == -SIGUSR1,
                order[4] == SIGTERM && order[5] == -SIGTERM);
    handle(SIGUSR1, note, SA_RESETHAND);
    raise(SIGUSR1);
    struct sigaction now{};
    sigaction(SIGUSR1, nullptr, &now);
    std::printf("reset: %d\n", now.sa_handler == SIG_DFL);
}

char* page;
void open_page(int, siginfo_t* given, void*) {
    info = *given;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    ++count;
}
sigjmp_buf back;
void jump_back(int) { siglongjmp(back, 1); }

int deeper(int depth) {
    volatile char room[4096];
    room[depth % 4096] = 1;
    return depth > 1'000'000 ? 0 : deeper(depth + 1) + room[depth % 4096];
}
volatile bool on_other_stack = false;
char other_stack[65536];
void leave_overflow(int) {
    char here;
    on_other_stack = &here > other_stack && &here < other_stack + sizeof other_stack;
    siglongjmp(back, 1);
}

void faults() {
    page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    handle(SIGSEGV, open_page);
    *const_cast<volatile char*>(page + 100) = 7;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::printf("goes on: %d, at its address %d, not allowed %d\n", page[100], info.si_addr == page + 100,
                info.si_code == SEGV_ACCERR);
    handle(SIGSEGV, jump_back);
    if (sigsetjmp(back, 1) == 0)
        *reinterpret_cast<volatile int*>(8) = 1;
    else
        std::printf("jumped back\n");
    void (*volatile nowhere)() = reinterpret_cast<void (*)()>(16);
    if (sigsetjmp(back, 1) == 0)
        nowhere();
    else
        std::printf("jumped back from nowhere\n");
    handle(SIGILL, jump_back);
    if (sigsetjmp(back, 1) == 0)
#if defined(__riscv)
        asm volatile(".4byte 0xffffffff");
#else
        __builtin_trap();
#endif
    else
        std::printf("jumped back from an illegal instruction\n");
    const stack_t other{other_stack, 0, sizeof other_stack};
    sigaltstack(&other, nullptr);
    handle(SIGSEGV, leave_overflow, SA_ONSTACK);
    if (sigsetjmp(back, 1) == 0)
        std::printf("no overflow: %d\n", deeper(0));
    else
        std::printf("overflow: on the other stack %d\n", int(on_other_stack));
}

void compute(int) {
    volatile double sum = 0;
    for (int i = 1; i < 10; ++i) sum = sum + std::sqrt(i);
    ++count;
}
void registers() {
    handle(SIGALRM, compute);
    const itimerval often{{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &often, nullptr);
    double sum = 0;
    long whole = 0;
    for (int i = 1; i < 40000; ++i) sum += 1.0 / i, whole += i * i % 7;
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    std::printf("registers stay: %.6f %ld, and it was interrupted: %d\n", sum, whole, count > 0);
}

void waits() {
    handle(SIGALRM, note);
    itimerval soon{{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    timespec asked = microseconds(20'000), left{};
    const int slept = nanosleep(&asked, &left);
    std::printf("nanosleep: %d, interrupted %d, something left %d\n", slept, errno == EINTR,
                left.tv_nsec > 1'000'000 && left.tv_nsec < 20'000'000);
    sem_t never;
    sem_init(&never, 0, 0);
    setitimer(ITIMER_REAL, &soon, nullptr);
    const int waited = sem_wait(&never);
    std::printf("sem_wait: %d, interrupted %d\n", waited, errno == EINTR);
    itimerval none{};
    getitimer(ITIMER_REAL, &none);
    std::printf("nothing is due: %d\n", none.it_value.tv_usec == 0);

    const sigset_t one = set_of({SIGUSR1});
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    const timespec limit = microseconds(200);
    const int none_came = sigtimedwait(&one, nullptr, &limit);
    std::printf("sigtimedwait: %d, nothing came %d\n", none_came, errno == EAGAIN);
    raise(SIGUSR1);
    siginfo_t got;
    const int first = sigwaitinfo(&one, &got);
    std::printf("sigwaitinfo: %d %d\n", first == SIGUSR1, got.si_signo == SIGUSR1);

    handle(SIGUSR1, note);
    raise(SIGUSR1);
    sigset_t all_but = set_of({});
    count = 0;
    const int suspended = sigsuspend(&all_but);
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    std::printf("sigsuspend: %d, %d call, the mask is back %d\n", suspended, count.load(), sigismember(&now, SIGUSR1));
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

void timers() {
    handle(SIGRTMIN, note_info);
    timer_t timer;
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN;
    event.sigev_value.sival_int = 99;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    const itimerspec often{microseconds(200), microseconds(100)};
    timer_settime(timer, 0, &often, nullptr);
    while (count < 4) {
    }
    itimerspec now;
    timer_gettime(timer, &now);
    std::printf("timer: value %d, by a timer %d, armed %d\n", info.si_value.sival_int, info.si_code == SI_TIMER,
                now.it_value.tv_nsec > 0 && now.it_interval.tv_nsec == 200'000);
    timer_delete(timer);
    count = 0;
    handle(SIGPROF, note);
    const itimerval soon{{0, 0}, {0, 300}};
    timespec began, ended;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    setitimer(ITIMER_PROF, &soon, nullptr);
    const timespec pause = microseconds(2000);
    nanosleep(&pause, nullptr);
    const int asleep = count;
    while (count == 0) {
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    std::printf("profiling: %d while it slept, then %d\n", asleep, ended.tv_nsec - began.tv_nsec >= 300'000);
}

void queued() {
    handle(SIGRTMIN + 1, note_info);
    handle(SIGRTMIN + 2, note_info);
    const sigset_t both = set_of({SIGRTMIN + 1, SIGRTMIN + 2});
    sigprocmask(SIG_BLOCK, &both, nullptr);
    for (int i = 0; i < 3; ++i) {
        sigqueue(getpid(), SIGRTMIN + 2, {.sival_int = 20 + i});
        sigqueue(getpid(), SIGRTMIN + 1, {.sival_int = 10 + i});
    }
    for (int i = 0; i < 6; ++i) {
        siginfo_t got;
        sigwaitinfo(&both, &got);
        std::printf("%d ", got.si_value.sival_int);
    }
    std::printf("\n");
}

std::atomic<bool> spins{false};
std::atomic<int> ended{0};
thread_local sigjmp_buf out;
void jump_out(int) { siglongjmp(out, 1); }
void* spin(void*) {
    if (sigsetjmp(out, 1) == 0)
        for (;;) spins = true;
    ++ended;
    return nullptr;
}
void* wait_for_ever(void*) {
    sem_t never;
    sem_init(&never, 0, 0);
    spins = true;
    for (;;) sem_wait(&never);
}
void* take_it(void* set) {
    int signal = 0;
    spins = true;
    sigwait(static_cast<sigset_t*>(set), &signal);
    return reinterpret_cast<void*>(static_cast<long>(signal));
}
pthread_t start(void* (*body)(void*), void* with = nullptr) {
    pthread_t thread;
    spins = false;
    pthread_create(&thread, nullptr, body, with);
    while (!spins) {
    }
    return thread;
}

void threads() {
    handle(SIGUSR1, jump_out);
    pthread_t thread = start(spin);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, nullptr);
    std::printf("a thread that spun has ended: %d\n", ended.load());
    thread = start(wait_for_ever);
    pthread_cancel(thread);
    void* result;
    pthread_join(thread, &result);
    std::printf("a thread that waited is cancelled: %d\n", result == PTHREAD_CANCELED);
    sigset_t one = set_of({SIGUSR2});
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    thread = start(take_it, &one);
    kill(getpid(), SIGUSR2);
    pthread_join(thread, &result);
    std::printf("a thread took the process's signal: %d\n", result == reinterpret_cast<void*>(long{SIGUSR2}));
}

void say_and_return(int) {
    const char text[] = "aborts\n";
    if (write(1, text, sizeof text - 1) < 0) std::_Exit(1);
}
void aborts() {
    std::fflush(stdout);
    handle(SIGABRT, say_and_return);
    std::abort();
}

void* write_later(void* end) {
    const timespec pause = microseconds(2000);
    nanosleep(&pause, nullptr);
    if (write(*static_cast<int*>(end), "x", 1) != 1) std::_Exit(1);
    return nullptr;
}
void files() {
    handle(SIGUSR1, note);
    const sigset_t one = set_of({SIGUSR1}), none = set_of({});
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    int ends[2];
    if (pipe(ends) != 0) return;
    pollfd wanted{ends[0], POLLIN, 0};
    const timespec limit = microseconds(500);
    raise(SIGUSR1);
    std::printf("ppoll without a mask: %d", ppoll(&wanted, 1, &limit, nullptr));
    const int polled = ppoll(&wanted, 1, nullptr, &none);
    std::printf(", with one %d %d, %d call\n", polled, errno == EINTR, count.load());
    raise(SIGUSR1);
    fd_set read_from;
    FD_ZERO(&read_from);
    FD_SET(ends[0], &read_from);
    const int selected = pselect(ends[0] + 1, &read_from, nullptr, nullptr, nullptr, &none);
    sigset_t now;
    pthread_sigmask(SIG_UNBLOCK, &one, &now);
    std::printf("pselect: %d %d, %d calls, the mask is back %d\n", selected, errno == EINTR, count.load(),
                sigismember(&now, SIGUSR1));

    const itimerval soon{{0, 0}, {0, 500}};
    char got = 0;
    handle(SIGALRM, note);
    setitimer(ITIMER_REAL, &soon, nullptr);
    const ssize_t stopped = read(ends[0], &got, 1);
    std::printf("read: %zd, interrupted %d\n", stopped, errno == EINTR);
    handle(SIGALRM, note, SA_RESTART);
    pthread_t writer;
    pthread_create(&writer, nullptr, write_later, &ends[1]);
    count = 0;
    setitimer(ITIMER_REAL, &soon, nullptr);
    const ssize_t restarted = read(ends[0], &got, 1);
    std::printf("read behind a handler: %zd %c, %d call\n", restarted, got, count.load());
    pthread_join(writer, nullptr);
    handle(SIGPIPE, note);
    close(ends[0]);
    const ssize_t written = write(ends[1], "x", 1);
    std::printf("SIGPIPE: %d, then %zd %d\n", seen.load() == SIGPIPE, written, errno == EPIPE);
}

struct Case {
    const char* name;
    void (*run)();
};
constexpr Case cases[] = {{"raised", raised},       {"masked", masked}, {"nesting", nesting}, {"faults", faults},
                          {"registers", registers}, {"waits", waits},   {"timers", timers},   {"queued", queued},
                          {"threads", threads},     {"files", files},   {"aborts", aborts}};

}  // namespace

int main(int argc, char** argv) {
    for (const Case& one : cases) {
        if (argc > 1 && std::strcmp(argv[1], one.name) != 0) continue;
        count = 0;
        one.run();
        std::fflush(stdout);
    }
}
