// The barriers, on as many cores as are asked for: barriers flags|forwarded|network THREADS TIMES. Nobody leaves before
// all have arrived. Prints "ok", and the cycles a barrier takes.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/kinds.hpp>
#include <croft/port/port.hpp>
#include <croft/sync/network_barrier.hpp>
#include <croft/sync/spin_barrier.hpp>

namespace {

template <class Barrier>
int meet(Barrier& barrier, std::size_t threads, std::uint32_t times) {
    std::vector<std::uint64_t> arrived(8 * threads);
    std::vector<std::uint32_t> wrong(16 * threads);
    std::uint64_t cycles = 0;
    const auto run = [&](std::size_t which) {
        croft::port::pin_this_thread(static_cast<int>(which));
        for (std::uint32_t time = 1; time <= times; ++time) {
            // Someone is always late.
            if (time % threads == which)
                for (const auto begin = croft::port::cycles(); croft::port::cycles() - begin < 1000;)
                    croft::port::pause();
            arrived[8 * which] = time;
            barrier.arrive_and_wait(which);
            for (std::size_t i = 0; i < threads; ++i) wrong[16 * which] += arrived[8 * i] != time;
            barrier.arrive_and_wait(which);
        }
        const auto begin = croft::port::cycles();
        for (std::uint32_t time = 0; time < times; ++time) barrier.arrive_and_wait(which);
        if (which == 0) cycles = (croft::port::cycles() - begin) / times;
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run, i);
    run(0);
    for (std::thread& other : others) other.join();
    std::uint32_t all = 0;
    for (const std::uint32_t count : wrong) all += count;
    std::printf("%s cycles=%llu\n", all ? "FAILED" : "ok", static_cast<unsigned long long>(cycles));
    return all != 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    const std::string kind = arguments[1];
    const auto threads = static_cast<std::size_t>(std::atoi(arguments[2]));
    const auto times = static_cast<std::uint32_t>(std::atoi(arguments[3]));
    std::vector<int> cores(threads);
    for (std::size_t i = 0; i < threads; ++i) cores[i] = static_cast<int>(i);
    if (kind == "flags") {
        croft::spin_barrier barrier(threads);
        return meet(barrier, threads, times);
    }
    if (kind == "forwarded") {
        croft::detail::basic_spin_barrier<croft::kinds::ra_hf> barrier(threads, cores);
        return meet(barrier, threads, times);
    }
#if defined(CROFT_MANY_CORE)
    if (kind == "network") {
        croft::network_barrier barrier(cores);
        return meet(barrier, threads, times);
    }
#endif
    return 2;
}
