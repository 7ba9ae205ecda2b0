// What a read and a synchronous write of one word cost on this machine, by the state of its cache line and by where it
// is (paper 000, tables 1 and 3). Two pinned threads: the *other* one prepares many lines, the *measuring* one then
// goes through them in an order that no prefetcher foresees, each line holding the address of the next. So every access
// waits for the one before it, and a single line's latency is the time divided by the number of lines. For a write the
// word beside the address is stored to, and a full fence waits until the store is visible.
//
// States, as prepared: modified (written by one core), exclusive (read by one core, after it was flushed or pushed
// out), shared (read by both). Places: own (the measuring core prepared it) or other (the other core did), while the
// lines fit the first level (`--l1` KiB), the second or the third; and memory, more lines than any cache holds. Which
// protocol state the machine uses for a preparation it does not tell; these are the usual names.
//
// Prints: native_latency access=read state=modified place=other level=L1 lines=256 ns=52.1 cycles=135.3
// medians of the repeats; `cycles` are those of the machine's counter (port/README.md).

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"

namespace {

using namespace programs;

struct alignas(croft::port::cache_line) line {
    std::atomic<line*> next{nullptr};
    std::atomic<std::uint64_t> word{0};
};

// All lines in one cycle of random order, so that one word's address comes with the one before it.
class chain {
public:
    explicit chain(std::size_t count) : lines_(count) {
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::mt19937_64 random(1);
        std::shuffle(order.begin() + 1, order.end(), random);
        for (std::size_t i = 0; i < count; ++i)
            lines_[order[i]].next.store(&lines_[order[(i + 1) % count]], std::memory_order_relaxed);
        order_.assign(order.begin(), order.end());
    }
    std::size_t size() const { return lines_.size(); }
    void read() {
        line* at = &lines_[0];
        for (std::size_t i = 0; i < lines_.size(); ++i) at = at->next.load(std::memory_order_relaxed);
        if (at != &lines_[0]) std::abort();  // also so that it is not left out
    }
    void write(std::uint64_t value) {
        for (line& one : lines_) one.word.store(value, std::memory_order_relaxed);
    }
    void write_and_wait(std::uint64_t value) {
        // Not by way of the chain, which would read the line first. The fence makes each store wait for the one before.
        for (const std::uint32_t i : order_) {
            lines_[i].word.store(value, std::memory_order_relaxed);
            croft::port::full_fence();
        }
    }

private:
    std::vector<line> lines_;
    std::vector<std::uint32_t> order_;
};

struct settings {
    std::uint32_t l1 = 16, l2 = 256, l3 = 8192, memory = 262144;  // KiB of lines in use
    std::uint32_t repeats = 21;
    int here = -1, there = -1;
};

// A second thread that does what it is told, one thing at a time.
class helper {
public:
    explicit helper(int core)
        : thread_([this, core] {
              croft::port::pin_this_thread(core);
              for (std::uint32_t done = 0;;) {
                  while (asked_.load(std::memory_order_acquire) == done) croft::port::pause();
                  if (!action_) return;
                  action_();
                  finished_.store(++done, std::memory_order_release);
              }
          }) {}
    ~helper() {
        action_ = nullptr;
        asked_.fetch_add(1, std::memory_order_release);
        thread_.join();
    }
    void run(std::function<void()> action) {
        action_ = std::move(action);
        const std::uint32_t number = asked_.fetch_add(1, std::memory_order_release) + 1;
        while (finished_.load(std::memory_order_acquire) != number) croft::port::pause();
    }

private:
    std::function<void()> action_;
    std::atomic<std::uint32_t> asked_{0}, finished_{0};
    std::thread thread_;
};

class measurement {
public:
    measurement(const settings& asked, helper& other)
        : asked_(asked), other_(other), evictor_(2048ull * asked.l3 / sizeof(line)) {}

    void level(const char* name, std::uint32_t kibibytes) {
        chain lines(1024ull * kibibytes / sizeof(line));
        for (const bool write : {false, true})
            for (const char* const state : {"modified", "exclusive", "shared"})
                for (const char* const place : {"own", "other"}) report(lines, name, write, state, place);
    }

private:
    void prepare(chain& lines, const std::string& state, bool by_other) {
        const auto do_it = [&](auto action) { by_other ? other_.run(action) : action(); };
        if (state == "exclusive") {  // out of both cores' caches first: written back by another's traffic
            evictor_.write(1);
            other_.run([&] { evictor_.read(); });
        } else if (state == "shared") {
            other_.run([&] { lines.read(); });
            lines.read();
        }
        if (state == "modified") do_it([&] { lines.write(++value_); });
        if (state != "modified") do_it([&] { lines.read(); });
    }
    void report(chain& lines, const char* level, bool write, const std::string& state, const std::string& place) {
        std::vector<double> ns, counts;
        for (std::uint32_t i = 0; i < asked_.repeats; ++i) {
            prepare(lines, state, place == "other");
            const moment begin = moment::now();
            write ? lines.write_and_wait(++value_) : lines.read();
            const moment end = moment::now();
            ns.push_back(nanoseconds(begin, end) / static_cast<double>(lines.size()));
            counts.push_back(cycles(begin, end) / static_cast<double>(lines.size()));
        }
        std::sort(ns.begin(), ns.end());
        std::sort(counts.begin(), counts.end());
        std::printf("native_latency access=%s state=%s place=%s level=%s lines=%zu ns=%.2f cycles=%.2f\n",
                    write ? "write" : "read", state.c_str(), place.c_str(), level, lines.size(), ns[ns.size() / 2],
                    counts[counts.size() / 2]);
        std::fflush(stdout);
    }

    const settings& asked_;
    helper& other_;
    chain evictor_;  // twice what the third level is said to hold
    std::uint64_t value_ = 0;
};

int body(int argc, char** argv) {
    settings asked;
    options line("native_latency", "Measures reads and synchronous writes by state and place of their cache line.");
    line.number<std::uint32_t>("--l1", asked.l1, 1, 1 << 20, "KiB of lines that fit the first level");
    line.number<std::uint32_t>("--l2", asked.l2, 1, 1 << 20, "KiB that fit the second and not the first");
    line.number<std::uint32_t>("--l3", asked.l3, 1, 1 << 20, "KiB that fit the third and not the second");
    line.number<std::uint32_t>("--memory", asked.memory, 1, 1 << 22, "KiB that fit no cache");
    line.number<std::uint32_t>("--repeats", asked.repeats, 1, 10001, "of each, of which the median is printed");
    line.number("--here", asked.here, -1, 65535, "the measuring core; -1: the first one allowed");
    line.number("--there", asked.there, -1, 65535, "the other core; -1: the second one allowed");
    if (!line.parse(argc, argv)) return 0;

    const std::vector<int> allowed = croft::port::allowed_cores();
    if (allowed.size() < 2) throw usage_error("two cores are needed, and this program may use only one");
    if (asked.here < 0) asked.here = allowed[0];
    if (asked.there < 0) asked.there = asked.here == allowed[1] ? allowed[0] : allowed[1];
    if (asked.here == asked.there) throw usage_error("--here and --there take two different cores");
    helper other(asked.there);
    croft::port::affinity_guard unpin;
    if (!croft::port::pin_this_thread(asked.here))
        throw usage_error("the program cannot be pinned to core " + std::to_string(asked.here));

    measurement measure(asked, other);
    measure.level("L1", asked.l1);
    measure.level("L2", asked.l2);
    measure.level("L3", asked.l3);
    measure.level("memory", asked.memory);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("native_latency", [&] { return body(argc, argv); });
}
