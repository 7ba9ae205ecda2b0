// Never ends: computes (the default), or waits for what never comes (any argument).
#include <cstdio>
#include <thread>

int main(int argc, char**) {
    std::puts("started");
    std::fflush(stdout);
    volatile unsigned long counter = 0;
    if (argc == 1)
        while (true) counter = counter + 1;
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}
