// Two threads share a page that no home keeps coherent. Usage: incoherent WHAT, with WHAT =
//   flush      correct
//   keep       the reader does not drop its old copy
//   racing     it does not drop it either, but says that it does not mind
//   unwritten  the writer does not write its own copy back
//   lose       the writer drops it instead
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include <croft/port/port.hpp>

using namespace croft::port;

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "flush";
    auto* shared = static_cast<volatile int*>(
        mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (!set_home(const_cast<int*>(shared), page_bytes, home_none)) return 1;
    std::atomic<int> turn{0};
    std::thread reader([&] {
        const int before = shared[0];
        turn = 1;
        while (turn != 2) croft::port::pause();
        if (what != "keep" && what != "racing") flush_line(const_cast<int*>(shared));
        const int after = what == "racing" ? load_racing(*const_cast<const int*>(shared)) : shared[0];
        std::printf("%d then %d\n", before, after);
    });
    while (turn != 1) croft::port::pause();
    shared[0] = 42;
    if (what == "lose")
        drop_line(const_cast<int*>(shared));
    else if (what != "unwritten")
        clean_line(const_cast<int*>(shared));
    full_fence();
    turn = 2;
    reader.join();
}
