// Loads and stores of every width at every alignment, across cache lines and pages.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

alignas(4096) static unsigned char buffer[3 * 4096];

template <class T>
static std::uint64_t sweep(int from, int to) {
    std::uint64_t sum = 0;
    for (int offset = from; offset < to; ++offset) {
        volatile T* at = reinterpret_cast<volatile T*>(buffer + offset);
        const T before = *at;
        *at = static_cast<T>(before + static_cast<T>(offset));
        sum = sum * 31 + static_cast<std::uint64_t>(*at);
    }
    return sum;
}

static float floats(int from, int to) {
    float sum = 0;
    for (int offset = from; offset < to; ++offset) {
        volatile float* at = reinterpret_cast<volatile float*>(buffer + offset);
        *at = static_cast<float>(offset) * 0.5f;
        sum += *at;
    }
    return sum;
}

int main() {
    for (unsigned i = 0; i < sizeof buffer; ++i) buffer[i] = static_cast<unsigned char>(i * 37 + (i >> 8));
    for (const int at : {0, 40, 4096 - 20, 8192 - 20}) {
        const unsigned long long halves = sweep<std::uint16_t>(at, at + 40), words = sweep<std::uint32_t>(at, at + 40),
                                 doubles = sweep<std::uint64_t>(at, at + 40);
        std::printf("%d: %llu %llu %llu\n", at, halves, words, doubles);
        std::printf("%d: %.1f\n", at, static_cast<double>(floats(at, at + 40)));
    }
    unsigned long sum = 0;
    for (const unsigned char byte : buffer) sum = sum * 131 + byte;
    std::printf("%lu\n", sum);
}
