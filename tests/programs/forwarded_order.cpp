// Reads two words behind croft.forward of the second one's line, while another core writes both.
//
//     forwarded_order ROUNDS
//
// The writer stores to `second` and then to `first`. The reader loads `first` and then `second`, and must not see the
// later store without the earlier one where loads and stores are in order. Prints how often each pair was seen.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <croft/memory/homed_lines.hpp>

namespace {

struct alignas(64) Line {
    std::atomic<long> word{0}, of_reader{0};
};

std::atomic<long> begun{0}, ended{0};

void wait(long cycles) {
    for (; cycles > 0; --cycles) asm volatile("");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const long rounds = std::atol(arguments[1]);
    const auto firsts = std::make_unique<Line[]>(static_cast<std::size_t>(rounds) + 1);
    // Neither the reader's nor the writer's: the third core's.
    Line* const second = new (croft::detail::allocate_lines(sizeof(Line), 2)) Line;
    std::thread writer([&] {
        for (long round = 1; round <= rounds; ++round) {
            while (begun.load() != round) {
            }
            wait(round % 7);
            second->word.store(round, std::memory_order_relaxed);
            firsts[round].word.store(round, std::memory_order_relaxed);
            ended.store(round);
        }
    });
    long seen[2][2] = {};
    for (long round = 1; round <= rounds; ++round) {
        second->of_reader.fetch_add(1);  // so the line is this core's
        begun.store(round);
        wait(round % 401);
        long first, later;
        asm volatile(
            ".insn r 0x0b, 0, 0x00, x0, %3, x0\n\t"
            "ld %0, (%2)\n\t"
            "ld %1, (%3)"
            : "=&r"(first), "=&r"(later)
            : "r"(&firsts[round].word), "r"(&second->word)
            : "memory");
        ++seen[first == round][later == round];
        while (ended.load() != round) {
        }
    }
    writer.join();
    std::printf("forwarded_order neither=%ld second=%ld first=%ld both=%ld\n", seen[0][0], seen[0][1], seen[1][0],
                seen[1][1]);
    croft::detail::deallocate_lines(second, sizeof(Line), 2);
}
