// Prints lines that whoever passes them on to a terminal may spoil: in parts, long ones, of brackets, without an end.
#include <unistd.h>
#include <cstdio>

namespace {

template <std::size_t size>
void print(const char (&text)[size]) {
    if (write(1, text, size - 1) < 0) std::perror("write");
}

}  // namespace

int main() {
    for (volatile int work = 0; work < 2'000'000; work = work + 1) {
    }
    print("one line, ");
    print("in parts\n");
    for (int number = 0; number < 40; ++number) std::printf("word%d ", number);
    std::puts("");
    std::fflush(stdout);
    print("[bold]of brackets[/bold] and \xe2\x82");
    print("\xac\nno end");
    return 0;
}
