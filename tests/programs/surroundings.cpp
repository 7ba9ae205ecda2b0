// A program's surroundings: arguments, environment, standard input, random numbers, cores. Exit status 7.
#include <sched.h>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

int main(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) std::printf("argument %s\n", argv[i]);
    const char* colour = std::getenv("COLOUR");
    std::printf("COLOUR %s, HOME %s\n", colour ? colour : "unset", std::getenv("HOME") ? "set" : "unset");
    char line[64];
    while (std::fgets(line, sizeof line, stdin)) std::printf("input %s", line);
    std::random_device device;
    const unsigned first = device(), second = device();
    std::printf("random %u %u\n", first, second);
    std::printf("cores %u\n", std::thread::hardware_concurrency());
    std::fprintf(stderr, "this goes to standard error\n");
    return 7;
}
