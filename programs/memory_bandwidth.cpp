// How much memory a program moves in a second, on one core or on many. Each thread has its own part of the arrays, one
// part behind the other. The kernels are those of two public benchmarks, whose figures exist for many machines:
//
// tinymembench (github.com/ssvb/tinymembench): copy, copy_backwards, two_pass_copy, scan and fill, of words of 64 bits.
//     Two passes go by way of 2 KiB that stay in the L1. A scan looks for a word that differs; none does.
// STREAM (www.cs.virginia.edu/stream): copy, scale (a = s * b), add (a = b + c) and triad (a = b + s * c), of doubles.
//
// All threads go through their parts once before that, outside of the measured region.
//
// Prints: memory_bandwidth kernel=copy threads=1 kib=32768 arrays=2 ns=9298000.0 cycles=18596000.0 mb_per_s=3608.6
// mb_per_s: of the bytes of one array, as tinymembench counts them; STREAM counts those of all `arrays`.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"

namespace {

using namespace programs;

struct settings {
    std::string kernel = "copy";
    std::uint32_t threads = 1, kib = 32768;
};

// Stores go to volatile words, so that no compiler calls memcpy or memset for a loop.
template <class Word>
struct part {
    volatile Word* to;
    const Word *from, *other;
    std::size_t size;
};
using words = part<std::uint64_t>;
using doubles = part<double>;

constexpr std::size_t eight = 8;  // words that a turn of a loop moves: a line
constexpr std::uint64_t filled = 0x5555555555555555;
constexpr double factor = 3.0;

void copy(const words& mine) {
    for (std::size_t i = 0; i < mine.size; i += eight)
        for (std::size_t k = i; k < i + eight; ++k) mine.to[k] = mine.from[k];
}
void copy_backwards(const words& mine) {
    for (std::size_t i = mine.size; i != 0; i -= eight)
        for (std::size_t k = i; k > i - eight; --k) mine.to[k - 1] = mine.from[k - 1];
}
void two_pass_copy(const words& mine) {
    constexpr std::size_t block = 2048 / sizeof(std::uint64_t);
    static thread_local std::uint64_t between[block];
    for (std::size_t i = 0; i < mine.size; i += block) {
        const std::size_t size = std::min(block, mine.size - i);
        copy({between, mine.from + i, nullptr, size});
        copy({mine.to + i, between, nullptr, size});
    }
}
void scan(const words& mine) {
    std::size_t i = 0;
    while (i < mine.size && mine.from[i] == filled) ++i;
    mine.to[0] = i;
}
void fill(const words& mine) {
    for (std::size_t i = 0; i < mine.size; i += eight)
        for (std::size_t k = i; k < i + eight; ++k) mine.to[k] = filled;
}
void scale(const doubles& mine) {
    for (std::size_t i = 0; i < mine.size; ++i) mine.to[i] = factor * mine.from[i];
}
void add(const doubles& mine) {
    for (std::size_t i = 0; i < mine.size; ++i) mine.to[i] = mine.from[i] + mine.other[i];
}
void triad(const doubles& mine) {
    for (std::size_t i = 0; i < mine.size; ++i) mine.to[i] = mine.from[i] + factor * mine.other[i];
}

// Threads wait here for each other, as often as they like.
class meeting {
public:
    explicit meeting(std::uint32_t threads) : threads_(threads) {}
    void wait() {
        const std::uint32_t round = round_.load(std::memory_order_acquire);
        if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            here_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
        } else {
            while (round_.load(std::memory_order_acquire) == round) croft::port::pause();
        }
    }

private:
    std::uint32_t threads_;
    alignas(croft::port::cache_line) std::atomic<std::uint32_t> here_{0};
    alignas(croft::port::cache_line) std::atomic<std::uint32_t> round_{0};
};

template <class Word>
int measure(const settings& asked, std::size_t arrays, Word value, void (*kernel)(const part<Word>&)) {
    const std::size_t size = std::size_t{1024} * asked.kib / sizeof(Word);
    std::vector<Word> to(size, value), from(arrays > 1 ? size : 0, value), other(arrays > 2 ? size : 0, value);
    const std::size_t each = size / asked.threads;
    const std::vector<int> cores = croft::port::allowed_cores();
    meeting all(asked.threads);
    moment begin, end;
    const auto work = [&](std::uint32_t number) {
        croft::port::pin_this_thread(cores[number]);
        const std::size_t first = number * each;
        const auto of = [first](std::vector<Word>& array) { return array.empty() ? nullptr : array.data() + first; };
        const part<Word> mine{of(to), of(from), of(other), each};
        kernel(mine);
        all.wait();
        if (number == 0) {
            croft::port::region_begin();
            begin = moment::now();
        }
        all.wait();
        kernel(mine);
        all.wait();
        if (number == 0) {
            end = moment::now();
            croft::port::region_end();
        }
    };
    std::vector<std::thread> others;
    for (std::uint32_t number = 1; number < asked.threads; ++number) others.emplace_back(work, number);
    work(0);
    for (std::thread& one : others) one.join();

    const double bytes = static_cast<double>(each * asked.threads * sizeof(Word)), ns = nanoseconds(begin, end);
    std::printf("memory_bandwidth kernel=%s threads=%u kib=%u arrays=%zu ns=%.1f cycles=%.1f mb_per_s=%.1f\n",
                asked.kernel.c_str(), asked.threads, asked.kib, arrays, ns, cycles(begin, end), 1000 * bytes / ns);
    return 0;
}

int body(int argc, char** argv) {
    settings asked;
    options line("memory_bandwidth", "Measures how much memory kernels move in a second.");
    line.choice("--kernel", asked.kernel,
                {"copy", "copy_backwards", "two_pass_copy", "scan", "fill", "scale", "add", "triad"}, "what is done");
    line.number<std::uint32_t>("--threads", asked.threads, 1, 1024, "each on a core of its own");
    line.number<std::uint32_t>("--kib", asked.kib, 1, 1 << 22, "of each array");
    if (!line.parse(argc, argv)) return 0;
    if (asked.threads > croft::port::allowed_cores().size())
        throw usage_error("--threads is " + std::to_string(asked.threads) + ", and this program may use only " +
                          std::to_string(croft::port::allowed_cores().size()) + " cores");
    if (std::uint64_t{1024} * asked.kib % (std::uint64_t{64} * asked.threads) != 0)
        throw usage_error("--kib takes so many that each thread has whole lines of 64 bytes, not " +
                          std::to_string(asked.kib));

    if (asked.kernel == "copy") return measure(asked, 2, filled, copy);
    if (asked.kernel == "copy_backwards") return measure(asked, 2, filled, copy_backwards);
    if (asked.kernel == "two_pass_copy") return measure(asked, 2, filled, two_pass_copy);
    if (asked.kernel == "scan") return measure(asked, 2, filled, scan);
    if (asked.kernel == "fill") return measure(asked, 1, filled, fill);
    if (asked.kernel == "scale") return measure(asked, 2, 1.0, scale);
    if (asked.kernel == "add") return measure(asked, 3, 1.0, add);
    return measure(asked, 3, 1.0, triad);
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("memory_bandwidth", [&] { return body(argc, argv); });
}
