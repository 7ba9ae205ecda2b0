// Linked with a shared object that has used croft before main began, calls it, and ends within a step.

#include <cstdio>

extern "C" long work();
extern "C" void exit_in_step();

int main() {
    std::printf("%ld\n", work());
    std::fflush(stdout);
    exit_in_step();
}
