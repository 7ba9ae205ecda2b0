// The paper's run-times (002, figures 3b and 3c) with one flush or one invalidate left out each, and figure 3c as it is
// printed. Usage: task_mutants NAME, for machines whose L1s are software-coherent. In rounds a parent writes what its
// children read, at once or behind a walk that evicts one line of its L1 after the other. Then it reads what they
// wrote. Prints "ok" or what is wrong, if it ends at all.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include <croft/paper/task/direct_stealing.hpp>
#include <croft/paper/task/shared_deques_flushed.hpp>
#include <croft/task/scheduler.hpp>

namespace {

namespace paper = croft::paper;
using paper::place;

// ---- the mutants ----

template <class Base, place... Left>
struct without_invalidate : Base {
    static void invalidate(place at) {
        if (((at != Left) && ...)) Base::invalidate(at);
    }
};
template <class Base, place Left>
struct without_flush : Base {
    static void flush(place at) {
        if (at != Left) Base::flush(at);
    }
};
template <class Coherence>
using locking = paper::locking_runtime<Coherence>;
template <place... Left>
using deques_without_invalidate = locking<without_invalidate<paper::by_software, Left...>>;
template <place Left>
using deques_without_flush = locking<without_flush<paper::by_software, Left>>;

template <class World, class Form = paper::corrected>
using direct = paper::basic_direct_stealing<croft::victims::random, World, Form>;
template <place Left>
using direct_without_invalidate = direct<without_invalidate<paper::user_interrupts, Left>>;
template <place Left>
using direct_without_flush = direct<without_flush<paper::user_interrupts, Left>>;
struct counts_interrupted : paper::corrected {
    static constexpr bool counts_uninterrupted = false;
};
struct reads_mailbox_first : paper::corrected {
    static constexpr bool invalidates_before_mailbox = false;
};

// ---- the program ----

constexpr unsigned rounds = 45, children = 9;
constexpr unsigned sets = 32, ways = 2;  // of an L1 of 4 KiB

// Relaxed, so that the compiler leaves each access where it is; for the machine they are plain loads and stores.
using word = std::atomic<std::uint32_t>;
struct alignas(64) line_of_output {
    word of_parent{0};  // falsely shared: who reads it has a copy of the rest
    word of_child{0};
};
struct shared_data {
    alignas(64) std::array<word, children> inputs{};
    std::array<line_of_output, children> outputs{};  // several lines: some are still there when the parent looks again
    struct alignas(64) count {
        word of{0};
    };
    std::array<count, children> runs{};
    alignas(64) std::array<std::array<word, 16>, 2 * sets * ways> elsewhere{};
};
shared_data data;

constexpr std::uint32_t input_of(unsigned round, unsigned child) { return 1000 * round + child + 1; }
constexpr std::uint32_t output_of(std::uint32_t input) { return 3 * input + 7; }

void spend(unsigned turns) {
    for (unsigned i = 0; i < turns; ++i) asm volatile("nop");
}
// The sets' lines leave one after the other, and the thieves have time to look in between.
void walk(unsigned first) {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < sets * ways; ++i) {
        sum += data.elsewhere[(first + i) % data.elsewhere.size()][0].load(std::memory_order_relaxed);
        spend(60);
    }
    asm volatile("" ::"r"(sum));
}

template <class Runtime>
struct child : croft::basic_task<Runtime> {
    child(unsigned round, unsigned number) : round(round), number(number) {}
    void execute() override {
        const std::uint32_t input = data.inputs[number].load(std::memory_order_relaxed);
        spend((round * 37 + number * 61) % 200);
        data.outputs[number].of_child.store(output_of(input), std::memory_order_relaxed);
        data.runs[number].of.fetch_add(1, std::memory_order_relaxed);  // at its home, whatever the L1s hold
    }
    unsigned round, number;
};

template <class Runtime>
struct parent : croft::basic_task<Runtime> {
    void execute() override {
        for (unsigned round = 1; round <= rounds && !wrong; ++round) one(round);
    }
    void one(unsigned round) {
        for (unsigned i = 0; i < children; ++i) data.inputs[i].store(input_of(round, i), std::memory_order_relaxed);
        // In the same places every time, where the last round's may still be somebody's copy.
        std::array<std::optional<child<Runtime>>, children> all;
        this->reference_count = static_cast<std::int32_t>(children);
        for (unsigned i = 0; i < children; ++i) {
            all[i].emplace(round, i);
            this->spawn(&*all[i]);
        }
        std::array<std::uint32_t, children> before;
        for (unsigned i = 0; i < children; ++i) before[i] = data.outputs[i].of_parent.load(std::memory_order_relaxed);
        if (round % 3 == 1) walk(round * 7);
        if (round % 3 == 2) spend(4'000);  // so that all are stolen, and through, before it waits
        this->wait(this);
        for (unsigned i = 0; i < children; ++i) {
            data.outputs[i].of_parent.store(before[i] + 1, std::memory_order_relaxed);
            const std::uint32_t got = data.outputs[i].of_child.load(std::memory_order_relaxed);
            const std::uint32_t runs = data.runs[i].of.exchange(0, std::memory_order_relaxed);
            if (got == output_of(input_of(round, i)) && runs == 1) continue;
            std::printf("round %u: child %u made %u and was run %u times\n", round, i, got, runs);
            wrong = true;
        }
    }
    bool wrong = false;
};

template <class Runtime>
int run() {
    croft::detail::basic_task_scheduler<Runtime> scheduler;
    parent<Runtime> root;
    scheduler.run(root);
    if (!root.wrong) std::printf("ok\n");
    return root.wrong;
}

struct named {
    const char* name;
    int (*run)();
};
constexpr named all[] = {
    {"deques", run<paper::shared_deques_flushed>},
    {"deques-invalidate-spawn", run<deques_without_invalidate<place::spawn>>},
    {"deques-invalidate-deq", run<deques_without_invalidate<place::deq>>},
    {"deques-invalidate-steal", run<deques_without_invalidate<place::steal>>},
    {"deques-invalidate-stolen", run<deques_without_invalidate<place::stolen>>},
    {"deques-invalidate-steal-stolen", run<deques_without_invalidate<place::steal, place::stolen>>},
    {"deques-invalidate-joined", run<deques_without_invalidate<place::joined>>},
    {"deques-flush-spawn", run<deques_without_flush<place::spawn>>},
    {"deques-flush-deq", run<deques_without_flush<place::deq>>},
    {"deques-flush-steal", run<deques_without_flush<place::steal>>},
    {"deques-flush-stolen", run<deques_without_flush<place::stolen>>},
    {"direct", run<paper::direct_stealing>},
    {"direct-invalidate-stolen", run<direct_without_invalidate<place::stolen>>},
    {"direct-invalidate-joined", run<direct_without_invalidate<place::joined>>},
    {"direct-flush-stolen", run<direct_without_flush<place::stolen>>},
    {"direct-flush-handler", run<direct_without_flush<place::handler>>},
    {"direct-counts-interrupted", run<direct<paper::user_interrupts, counts_interrupted>>},
    {"direct-reads-mailbox-first", run<direct<paper::user_interrupts, reads_mailbox_first>>},
    {"direct-as-printed", run<direct<paper::user_interrupts, paper::as_printed>>},
};

}  // namespace

int main(int count, char** arguments) {
    if (count == 2)
        for (const named& one : all)
            if (std::strcmp(arguments[1], one.name) == 0) return one.run();
    std::fprintf(stderr, "usage: task_mutants NAME, where NAME is one of\n");
    for (const named& one : all) std::fprintf(stderr, "  %s\n", one.name);
    return 2;
}
