// Faults, each in a function of its own. Usage: faults illegal|read|write|jump|call|stack|abort
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

[[gnu::noinline]] static void illegal() { asm volatile(".word 0x0000000b | (0x7f << 25)"); }
[[gnu::noinline]] static int wild_read(const int* at) { return *at; }
[[gnu::noinline]] static void wild_write(int* at) { *at = 1; }
[[gnu::noinline]] static void wild_jump(void (*to)()) {
    to();
    std::puts("came back");
}
[[gnu::noinline]] static long unknown_call() { return 1 + syscall(SYS_io_uring_setup, 1, nullptr); }
[[gnu::noinline]] static int deep(int n) {
    volatile char space[4096];
    space[n % 4096] = static_cast<char>(n);
    return deep(n + 1) + space[n % 4096];
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    volatile unsigned long address = 0x3f00001000;
    std::fflush(stdout);
    if (!std::strcmp(what, "illegal")) illegal();
    if (!std::strcmp(what, "read")) return wild_read(reinterpret_cast<const int*>(address));
    if (!std::strcmp(what, "write")) wild_write(reinterpret_cast<int*>(address));
    if (!std::strcmp(what, "jump")) wild_jump(reinterpret_cast<void (*)()>(address));
    if (!std::strcmp(what, "call")) std::printf("%ld\n", unknown_call());
    if (!std::strcmp(what, "stack")) return deep(0);
    if (!std::strcmp(what, "abort")) std::abort();
    std::puts("nothing went wrong");
}
