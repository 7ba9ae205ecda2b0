// A small fuzzing engine for compilers without libFuzzer: keeps each input that reaches new code, and mutates those.
// It sees code through -fsanitize-coverage=trace-pc (gcc and clang), which calls __sanitizer_cov_trace_pc at every
// basic block of the code under test. This file must be compiled without that flag.
//
//     TARGET [--seconds N] [--seed S] [--once] FILE...
//
// The files are the first inputs. --once runs each of them and stops, to reproduce a failure. The input that makes a
// sanitizer, an abort or an uncaught exception end the program is left in the file `crash`.

#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t blocks = std::size_t{1} << 16;
constexpr std::size_t longest = 1 << 16;
std::uint8_t reached[blocks];
std::size_t reached_count = 0;
const Input* running = nullptr;

void save_crash() {
    if (!running) return;
    std::ofstream("crash", std::ios::binary)
        .write(reinterpret_cast<const char*>(running->data()), static_cast<std::streamsize>(running->size()));
    std::fprintf(stderr, "the input is in the file crash (%zu bytes)\n", running->size());
    running = nullptr;
}

void on_abort(int) {
    save_crash();
    std::_Exit(1);
}

// Whether the input reached a block that none before it had.
bool run(const Input& input) {
    const std::size_t before = reached_count;
    running = &input;
    // A copy of exactly this size, so that AddressSanitizer sees a read past its end.
    const Input exact(input.begin(), input.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    running = nullptr;
    return reached_count != before;
}

class Mutator {
public:
    explicit Mutator(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

    Input mutate(Input input, const Input& other) {
        for (std::size_t count = 1 + below(4); count > 0; --count) change(input, other);
        if (input.size() > longest) input.resize(longest);
        return input;
    }

private:
    void change(Input& input, const Input& other) {
        const std::size_t at = below(input.size());
        switch (below(7)) {
            case 0:  // flip a bit
                if (!input.empty()) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
                break;
            case 1:  // replace a byte
                if (!input.empty()) input[at] = static_cast<std::uint8_t>(random_());
                break;
            case 2:
            case 3: {  // replace an integer by one near an edge
                const std::size_t width = std::size_t{1} << below(4);
                const std::uint64_t edges[] = {0,
                                               1,
                                               2,
                                               0x7f,
                                               0xff,
                                               0x7fff,
                                               0xffff,
                                               0x7fffffff,
                                               0xffffffff,
                                               std::uint64_t{1} << 38,
                                               std::uint64_t{1} << 63,
                                               ~std::uint64_t{0},
                                               input.size(),
                                               random_()};
                const std::uint64_t value = edges[below(std::size(edges))] + below(3) - 1;
                if (at / width * width + width <= input.size()) {
                    std::memcpy(input.data() + at / width * width, &value, width);
                }
                break;
            }
            case 4:  // cut the end off
                input.resize(at);
                break;
            case 5: {  // insert some bytes
                Input inserted(1 + below(16));
                for (auto& byte : inserted) byte = static_cast<std::uint8_t>(random_());
                input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), inserted.begin(), inserted.end());
                break;
            }
            default: {  // copy a piece of the other input over this input
                if (input.empty() || other.empty()) break;
                const std::size_t from = below(other.size());
                const std::size_t count = std::min(1 + below(64), std::min(other.size() - from, input.size() - at));
                std::memmove(input.data() + at, other.data() + from, count);
                break;
            }
        }
    }

    std::mt19937_64 random_;
};

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() {
    const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    std::uint8_t& here = reached[(pc ^ pc >> 16) % blocks];
    reached_count += here == 0;
    here = 1;
}

int main(int argc, char** argv) {
    double seconds = 10;
    std::uint64_t seed = 1;
    bool once = false;
    std::vector<Input> inputs;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--seconds" && i + 1 < argc) {
            seconds = std::atof(argv[++i]);
        } else if (argument == "--seed" && i + 1 < argc) {
            seed = std::strtoull(argv[++i], nullptr, 10);
        } else if (argument == "--once") {
            once = true;
        } else {
            std::ifstream file(argument, std::ios::binary);
            if (!file) {
                std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
                return 2;
            }
            inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
    }
    __sanitizer_set_death_callback(save_crash);
    std::signal(SIGABRT, on_abort);
    for (const Input& input : inputs) run(input);
    if (once) return 0;
    if (inputs.empty()) inputs.emplace_back(64, std::uint8_t{0});

    Mutator mutator(seed);
    std::uint64_t runs = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (runs % 256 != 0 || std::chrono::steady_clock::now() < end) {
        const Input& parent = inputs[mutator.below(inputs.size())];
        Input child = mutator.mutate(parent, inputs[mutator.below(inputs.size())]);
        if (run(child)) inputs.push_back(std::move(child));
        ++runs;
    }
    std::printf("%llu inputs, %zu kept, %zu blocks reached, no failure\n", static_cast<unsigned long long>(runs),
                inputs.size(), reached_count);
}
