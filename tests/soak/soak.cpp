// Short runs and loops from many threads at once, for a while. Some throw, some are stopped, some processes fork, some
// load a plugin that uses croft itself and unload it again. Each action knows what it has to come to, so nothing is
// lost and nothing comes twice. At the end no thread is left that should not be there. README.md says how to run it.

#include <croft/channel/inbox.hpp>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/prefix.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/sort.hpp>
#include <croft/task/task_group.hpp>
#if __has_include(<croft/thread/shut_down.hpp>)
#include <croft/thread/shut_down.hpp>
#define SHUTS_DOWN 1
#endif

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct settings {
    int threads = 8, seconds = 60;
    long actions = 10'000;
    unsigned seed = 1;
    const char* plugin = nullptr;
    bool forks = true;
} asked;

struct on_purpose : std::runtime_error {
    on_purpose() : std::runtime_error("on purpose") {}
};

std::atomic<long> done{0}, threw{0}, stopped{0}, forked{0}, loaded{0};
std::atomic<long> sent{0}, sum_sent{0};

// Each thread's action, which a soak that hangs prints before it ends.
constexpr int most_threads = 64;
const char* volatile doing[most_threads];

[[noreturn]] void wrong(const char* what) {
    std::fprintf(stderr, "soak: wrong: %s\n", what);
    std::abort();
}
void check(bool right, const char* what) {
    if (!right) wrong(what);
}
void give_up(int) {
    static const char text[] = "soak: hangs; the threads are in:\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
    for (const char* volatile& each : doing)
        if (const char* const at = each)
            if (write(STDERR_FILENO, at, std::strlen(at)) < 0 || write(STDERR_FILENO, "\n", 1) < 0) break;
    std::abort();
}

using random = std::mt19937;
int below(random& dice, int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); }

// Does `action(bad)`, in which the `bad`th step throws, if it comes to that: never for -1.
template <class Action>
void maybe_throwing(random& dice, int steps, Action action) {
    const int bad = below(dice, 4) ? -1 : below(dice, steps);
    try {
        action(bad);
        check(bad == -1, "an exception is lost");
    } catch (const on_purpose&) {
        check(bad != -1, "an exception out of nothing");
        ++threw;
    }
}
int step(int i, int bad) { return i == bad ? throw on_purpose() : i; }
constexpr long sum_below(long n) { return n * (n - 1) / 2; }

// ---- loops ----

void do_for(random& dice) {
    const int n = 1 + below(dice, 2000);
    maybe_throwing(dice, n, [&](int bad) {
        std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
        croft::parallel_for(0, n, [&](int i) { ++times[static_cast<std::size_t>(step(i, bad))]; });
        for (const auto& each : times) check(each == 1, "a step of parallel_for");
    });
}
void do_reduce(random& dice) {
    const int n = 1 + below(dice, 5000);
    maybe_throwing(dice, n, [&](int bad) {
        check(croft::parallel_reduce(
                  0, n, 0L, [&](int i) { return long{step(i, bad)}; }, std::plus<>()) == sum_below(n),
              "a step of parallel_reduce");
    });
}
void do_group(random& dice) {
    const int n = 1 + below(dice, 50);
    maybe_throwing(dice, n, [&](int bad) {
        croft::task_scheduler::common().run([&] {
            std::atomic<int> ran{0};
            croft::task_group group;
            for (int i = 0; i < n; ++i) group.run([&, i] { step(i, bad), ++ran; });
            group.wait();
            check(ran == n, "a task of a group");
        });
    });
}
void do_sort(random& dice) {
    std::vector<int> all(static_cast<std::size_t>(5000 + below(dice, 5000)));
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), dice);
    croft::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) check(all[i] == static_cast<int>(i), "an element of a sort");
}

// ---- runs ----

// A run of that pattern, which adds one to each item, on 0 to n - 1: each result once.
template <class Pattern>
void run_on(random& dice, Pattern pattern) {
    const int n = 1 + below(dice, 300);
    const std::size_t threads = 1 + static_cast<std::size_t>(below(dice, 4));
    const bool stops = below(dice, 4) == 0;
    maybe_throwing(dice, n, [&](int bad) {
        std::vector<int> times(static_cast<std::size_t>(n) + 1);
        int next = 0, taken = 0;
        croft::stopper stop;
        const int stop_at = stops ? below(dice, n) : -1;
        croft::run([&]() -> std::optional<int> { return next < n ? std::optional(next++) : std::nullopt; }, pattern,
                   [&](int made) {
                       if (taken == stop_at) stop.stop();
                       step(taken++, bad);
                       ++times.at(static_cast<std::size_t>(made));
                   },
                   {.threads = threads, .stops = &stop});
        // A stop that drains lets what was emitted through; so if it comes before the throw, that may not come.
        for (int i = 0; i < next; ++i) check(times[static_cast<std::size_t>(i) + 1] == 1, "a result of a run");
        check(taken == next, "how many results there are");
        check(next == n || stop_at != -1, "a run ends early");
        stopped += next < n;
        if (bad != -1 && taken <= bad) throw on_purpose();
    });
}
int add_one(int a) { return a + 1; }
void do_farm(random& dice) {
    run_on(dice, croft::farm(add_one, {.workers = 1 + static_cast<std::size_t>(below(dice, 3)),
                                       .ordered = below(dice, 2) == 0,
                                       .slots = static_cast<std::size_t>(below(dice, 3))}));
}
void do_pipeline(random& dice) {
    run_on(dice,
           croft::pipeline([](int a) { return a; }, croft::farm(add_one, {.workers = 2}), [](int a) { return a; }));
}
void do_feedback(random& dice) {
    run_on(dice, croft::feedback(croft::farm(
                                     [](int a) {
                                         return a < 0 ? -a : a % 3 == 0 ? -a - 1 : a + 1;  // the thirds come twice
                                     },
                                     {.workers = 2}),
                                 [](const int& a) { return a < 0; }));
}
void do_map(random& dice) {
    run_on(dice, croft::map([](const int& a, croft::share mine) { return mine.first == 0 ? a + 1 : 0; }, std::plus<>(),
                            {.workers = 3}));
}
void do_prefix(random& dice) {
    run_on(dice, croft::pipeline([](int a) { return std::vector<int>{a, 1, 0}; },
                                 croft::prefix(std::plus<>(), {.workers = 2}),
                                 [](std::vector<int> all) { return all.back(); }));
}
void do_accelerator(random& dice) {
    const int n = 1 + below(dice, 100);
    maybe_throwing(dice, n, [&](int bad) {
        croft::accelerator<int, int> there(croft::farm([bad](int i) { return step(i, bad) + 1; }, {.workers = 2}),
                                           {.threads = 2, .place = croft::placements::neighbours{}});
        long sum = 0;
        int got = 0;
        const auto take = [&](std::optional<int> made) {
            if (made) sum += *made, ++got;
            return made.has_value();
        };
        for (int i = 0; i < n; ++i) {
            there.offload(i);
            if (i % 8 == 0) take(there.try_get_result());
        }
        there.close();
        while (take(there.get_result())) {
        }
        check(got == n && sum == sum_below(n) + n, "a result of an accelerator");
    });
}
void do_inbox(random& dice, croft::inbox<long>& letters) {
    auto sender = letters.join();
    const int n = below(dice, 100);
    for (int i = 0; i < n; ++i) sender->send(i);
    sent += n;
    sum_sent += sum_below(n);
}

// ---- processes and plugins ----

// A fork calls what libraries have registered for it, and the C library does so of one that is unloaded meanwhile.
std::shared_mutex libraries_stay;

pid_t forked_now() {
    const std::shared_lock guard(libraries_stay);
    return fork();  // (a child has a copy of the guard)
}
void do_fork() {
    const pid_t child = forked_now();
    check(child >= 0, "fork() fails");
    if (child == 0) {
        alarm(60);  // a child that hangs ends
        signal(SIGALRM, SIG_DFL);
        const bool right =
            croft::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }, std::plus<>()) == sum_below(1000);
        int next = 0;
        long sum = 0;
        croft::run([&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
                   croft::farm(add_one, {.workers = 2}), [&](int made) { sum += made; }, {.threads = 3});
        _exit(right && sum == sum_below(100) + 100 ? 42 : 1);
    }
    int status = 0;
    check(waitpid(child, &status, 0) == child, "a child that is not there");
    check(WIFEXITED(status) && WEXITSTATUS(status) == 42, "what a child has come to");
    ++forked;
}
void do_plugin() {
    static std::mutex one_at_a_time;
    const std::lock_guard guard(one_at_a_time);
    void* const plugin = dlopen(asked.plugin, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) wrong(dlerror());
    const auto work = reinterpret_cast<long (*)(int)>(dlsym(plugin, "work"));
    const auto end = reinterpret_cast<bool (*)()>(dlsym(plugin, "end"));
    check(work(100) == 2 * sum_below(100) + 100, "what a plugin has come to");
    check(end(), "a plugin's threads do not end");
    const std::lock_guard unloads(libraries_stay);
    check(dlclose(plugin) == 0, "dlclose() fails");
    check(!dlopen(asked.plugin, RTLD_NOW | RTLD_NOLOAD), "a plugin stays loaded");
    ++loaded;
}

// ---- all of it ----

void act(int thread, croft::inbox<long>& letters, std::chrono::steady_clock::time_point end) {
    random dice(asked.seed * 1000 + static_cast<unsigned>(thread));
    struct action {
        const char* name;
        std::function<void()> run;
        int weight;
    };
    const std::vector<action> all{
        {"a loop", [&] { do_for(dice); }, 8},
        {"a reduction", [&] { do_reduce(dice); }, 8},
        {"a group", [&] { do_group(dice); }, 8},
        {"a sort", [&] { do_sort(dice); }, 2},
        {"a farm", [&] { do_farm(dice); }, 8},
        {"a pipeline", [&] { do_pipeline(dice); }, 6},
        {"a feedback", [&] { do_feedback(dice); }, 6},
        {"a map", [&] { do_map(dice); }, 6},
        {"a prefix", [&] { do_prefix(dice); }, 4},
        {"an accelerator", [&] { do_accelerator(dice); }, 6},
        {"an inbox", [&] { do_inbox(dice, letters); }, 6},
        {"a fork", [] { do_fork(); }, asked.forks ? 1 : 0},
        {"a plugin", [] { do_plugin(); }, asked.plugin ? 1 : 0},
    };
    int weights = 0;
    for (const action& each : all) weights += each.weight;
    while (done < asked.actions || std::chrono::steady_clock::now() < end) {
        int which = below(dice, weights);
        const action* chosen = all.data();
        while (which >= chosen->weight) which -= (chosen++)->weight;
        doing[thread] = chosen->name;
        chosen->run();
        ++done;
    }
    doing[thread] = nullptr;
}
long threads_of_this_process() {
    const std::filesystem::directory_iterator tasks("/proc/self/task"), none;
    return std::distance(tasks, none);
}
void read_arguments(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        if (name == "--no-fork") {
            asked.forks = false;
            continue;
        }
        if (i + 1 == count) wrong("an argument without a value");
        const char* const value = arguments[++i];
        if (name == "--threads")
            asked.threads = std::min(std::atoi(value), most_threads);
        else if (name == "--seconds")
            asked.seconds = std::atoi(value);
        else if (name == "--actions")
            asked.actions = std::atol(value);
        else if (name == "--seed")
            asked.seed = static_cast<unsigned>(std::atoi(value));
        else if (name == "--plugin")
            asked.plugin = value;
        else
            wrong("an argument that nobody knows");
    }
}

}  // namespace

int main(int count, char** arguments) {
    read_arguments(count, arguments);
    signal(SIGALRM, give_up);
    alarm(static_cast<unsigned>(asked.seconds) * 3 + 240);
    const long threads_before = threads_of_this_process();
    {
        croft::inbox<long> letters(16);
        long got = 0, sum_got = 0;
        std::thread receiver([&] {
            while (const auto one = letters.receive()) ++got, sum_got += *one;
        });
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(asked.seconds);
        std::vector<std::thread> actors;
        for (int i = 0; i < asked.threads; ++i) actors.emplace_back([&, i] { act(i, letters, end); });
        for (std::thread& each : actors) each.join();
        letters.close();
        receiver.join();
        check(got == sent && sum_got == sum_sent, "a letter");
    }
    std::printf("%ld actions: %ld threw, %ld were stopped, %ld forks, %ld plugins, %ld letters; nothing lost\n",
                done.load(), threw.load(), stopped.load(), forked.load(), loaded.load(), sent.load());
#if defined(SHUTS_DOWN)
    check(croft::shut_down(), "croft's threads do not end");
    check(threads_of_this_process() == threads_before, "a thread too many");
#else
    std::printf("%ld threads, and %ld before\n", threads_of_this_process(), threads_before);
#endif
}
