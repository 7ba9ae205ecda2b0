// Every way in which control enters and leaves a function: what a profile's stacks of calls have to survive.

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace {

[[gnu::noinline]] void loop(int rounds) {
    for (int i = 0; i < rounds; ++i) __asm__ volatile("" ::: "memory");
}
// Something behind each call, or it would be a tail call.
[[gnu::noinline]] void work(int rounds) {
    loop(rounds);
    __asm__ volatile("");
}
[[gnu::noinline]] void behind_longjmp() {
    work(1000);
    __asm__ volatile("");
}
[[gnu::noinline]] void behind_exception() {
    work(2000);
    __asm__ volatile("");
}
[[gnu::noinline]] void tail() {
    work(3000);
    __asm__ volatile("");
}
[[gnu::noinline]] void with_tail_call() {
    work(500);
    [[clang::musttail]] return tail();
}
[[gnu::noinline]] int recursion(int depth) {
    work(10);
    const int below = depth == 0 ? -1 : recursion(depth - 1);
    __asm__ volatile("");
    return below + 1;
}

std::jmp_buf place;
[[gnu::noinline]] void jumps(int depth) {
    work(10);
    if (depth == 0) std::longjmp(place, 1);
    jumps(depth - 1);
    __asm__ volatile("");
}
[[gnu::noinline]] void throws(int depth) {
    work(10);
    if (depth == 0) throw std::runtime_error("thrown");
    throws(depth - 1);
    __asm__ volatile("");
}

[[gnu::noinline]] int with_longjmp() {
    if (setjmp(place) == 0)
        jumps(20);
    else
        behind_longjmp();
    return 1;
}
[[gnu::noinline]] int with_exception() {
    try {
        throws(20);
    } catch (const std::runtime_error&) {
        behind_exception();
        return 1;
    }
    return 0;
}

}  // namespace

int main() {
    int done = with_longjmp() + with_exception();
    with_tail_call();
    done += recursion(600) == 600;
    std::thread([] { work(4000); }).join();
    std::printf("call_shapes done=%d\n", done);
    return done == 3 ? 0 : 1;
}
