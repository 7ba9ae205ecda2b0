// Prints what it is told of its cores, and asks for some by number: core_numbers THREADS. Each thread prints a line.
// Thread 0 sends a word to core 2, and homes a page at core 1; the thread on core 2 reads both.

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include <croft/port/port.hpp>

namespace {

constexpr unsigned tag = 7;
alignas(croft::port::page_bytes) long page[croft::port::page_bytes / sizeof(long)];

cpu_set_t only(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return set;
}

void see(int core) {
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    const cpu_set_t wanted = only(core);
    sched_setaffinity(0, sizeof wanted, &wanted);
    sched_getaffinity(0, sizeof after, &after);
    std::printf("core %d: getcpu %d, register %u, of %d cores, now of this one: %d\n", core, sched_getcpu(),
                croft::port::this_core(), CPU_COUNT(&before), CPU_COUNT(&after) == 1 && CPU_ISSET(core, &after));
}

int sent_word() { return static_cast<int>(croft::port::receive_word<croft::port::catch_all>()); }

}  // namespace

int main(int, char** argv) {
    see(0);
    if (!croft::port::set_home(page, sizeof page, 1)) return 1;
    page[0] = 1;
    croft::port::send_word({2, tag}, 5);
    for (int core = 1; core < std::atoi(argv[1]); ++core)
        std::thread([core] {
            see(core);
            if (core == 2) std::printf("it is sent %d, and reads %ld\n", sent_word(), page[0]);
        }).join();
}
