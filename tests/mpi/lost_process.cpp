// lost_process any|ordered|divided|at|stop SEED: a farm across processes, one of which is killed (SIGKILL) or stopped
// (SIGSTOP) for five seconds. That happens at a random moment in the middle of the stream. Says whether every result
// came once. Divided: a map instead, and all processes work on each of its items. At: a stage that is at that process,
// for which nobody can stand in.

#include <signal.h>
#include <unistd.h>

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& world) {
        const std::string what = argc > 1 ? argv[1] : "any";
        std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1u);
        const int victim = 1 + static_cast<int>(random() % static_cast<unsigned>(world.size() - 1));
        const std::chrono::microseconds after(random() % 400'000);
        const bool root_works = random() % 2 == 0;
        const bool divided = what == "divided";
        const int count = divided ? 5'000 : 20'000;
        constexpr std::chrono::microseconds work(50);
        constexpr std::chrono::seconds pause(5);

        std::thread fate;
        if (world.rank() == victim) {
            const pid_t self = getpid();
            if (what == "stop" && fork() == 0) {  // a process that is stopped cannot go on by itself
                std::this_thread::sleep_for(after);
                kill(self, SIGSTOP);
                std::this_thread::sleep_for(pause);
                kill(self, SIGCONT);
                _exit(0);
            }
            if (what != "stop")
                fate = std::thread([=] {
                    std::this_thread::sleep_for(after);
                    raise(SIGKILL);
                });
        }
        const bool ordered = what == "ordered" || divided;
        int next = 0, before = -1;
        bool in_order = true;
        std::vector<int> seen(static_cast<std::size_t>(count));
        const auto began = std::chrono::steady_clock::now();
        const auto task = [&](int n) {
            const auto end = std::chrono::steady_clock::now() + work;
            while (std::chrono::steady_clock::now() < end) {
            }
            return n;
        };
        const auto run = [&](auto pattern) {
            croft::mpi::run([&]() -> std::optional<int> { return next < count ? std::optional(next++) : std::nullopt; },
                            pattern,
                            [&](int n) {
                                ++seen[static_cast<std::size_t>(n)];
                                in_order &= n == ++before;
                            });
        };
        if (divided)
            run(croft::mpi::across(
                world, croft::map([&](const int& n, croft::share mine) { return task(mine.first == 0 ? n : 0); },
                                  std::plus<>())));
        else if (what == "at")
            run(croft::mpi::at(world, victim, task));
        else
            run(croft::mpi::across(world, croft::farm(task), {.ordered = ordered, .root_works = root_works}));
        if (fate.joinable()) fate.join();
        if (world.rank() != 0) return 0;
        int wrong = 0;
        for (const int times : seen) wrong += times != 1;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        if (wrong > 0 || (ordered && !in_order)) {
            std::printf("wrong: %d of %d results did not come once, %s\n", wrong, count,
                        in_order ? "in order" : "not in order");
            return 1;
        }
        std::printf("rank %d, %s after %.3f s: every result once, %.2f s\n", victim,
                    what == "stop" ? "stopped" : "killed", static_cast<double>(after.count()) / 1e6, seconds);
        return 0;
    });
}
