// The cost of a read and of a synchronous write of one word on this machine (paper 000, tables 1 and 3). It depends on
// the state of the word's cache line and on where that is. Two threads are pinned. One of them prepares many lines; the
// *measuring* one then goes through them in an order that no prefetcher foresees. Every access waits for the one before
// it, so a single line's latency is the time divided by the number of lines. A line that is read holds the address of
// the next one. A store is made visible before anything after it begins (port::finish_stores), and only then is the
// next address read. The cost of that and of a store to a line of one's own is in every write. So the difference of two
// rows is the cost of a line. Every other line is left out: machines fetch lines in pairs.
//
// States, as prepared: modified (written by one core), exclusive (read by one core, after it was pushed out of all
// caches), shared (read by both). Places: own (the measuring core prepared it, or was the last to) or other (the other
// core did, and the measuring one has no copy). These are for lines that fit the first level (`--l1` KiB), the second
// or the third. The last place is memory, more lines than any cache holds. The machine does not tell which protocol
// state it uses for a preparation; these are the usual names.
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

struct alignas(2 * croft::port::cache_line) line {
    std::atomic<line*> next{nullptr};
    std::atomic<std::uint64_t> word{0};
};

// All lines in one cycle, so that one word's address comes with the one before it. The order is random, but within
// pages so few that their translations are at hand, or those would be measured.
class chain {
public:
    explicit chain(std::size_t count) : lines_(count) {
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::mt19937_64 random(1);
        for (std::size_t first = 0; first < count; first += together)
            std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(std::min(first + together, count)), random);
        first_ = &lines_[order[0]];
        for (std::size_t i = 0; i < count; ++i)
            lines_[order[i]].next.store(&lines_[order[(i + 1) % count]], std::memory_order_relaxed);
    }
    std::size_t size() const { return lines_.size(); }
    void read() {
        line* at = first_;
        for (std::size_t i = 0; i < lines_.size(); ++i) at = at->next.load(std::memory_order_relaxed);
        if (at != first_) std::abort();  // also so that it is not left out
    }
    void write(std::uint64_t value) {
        for (line& one : lines_) one.word.store(value, std::memory_order_relaxed);
    }
    void write_and_wait(std::uint64_t value) {
        line* at = first_;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            at->word.store(value, std::memory_order_relaxed);
            croft::port::finish_stores();
            at = at->next.load(std::memory_order_relaxed);  // the line is here now
        }
        if (at != first_) std::abort();
    }

private:
    static constexpr std::size_t together = 2048;  // 64 pages of 4 KiB
    std::vector<line> lines_;
    line* first_;
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
        : asked_(asked),
          other_(other),
          all_(lines_of(2 * asked.l3)),
          own_(lines_of(std::min(4 * asked.l2, asked.l3))) {}

    void level(const char* name, std::uint32_t kibibytes) {
        chain lines(lines_of(kibibytes));
        for (const bool write : {false, true})
            for (const char* const state : {"modified", "exclusive", "shared"})
                for (const char* const place : {"own", "other"}) report(lines, name, write, state, place);
    }

private:
    static std::size_t lines_of(std::uint32_t kibibytes) { return 1024ull * kibibytes / croft::port::cache_line; }

    void prepare(chain& lines, const std::string& state, bool by_other) {
        const auto do_it = [&](auto action) { by_other ? other_.run(action) : action(); };
        if (state == "modified") return do_it([&] { lines.write(++value_); });
        if (state == "exclusive") {  // out of both cores' caches first: written back by other traffic
            all_.write(1);
            other_.run([&] { all_.read(); });
        } else if (by_other) {
            lines.read();
            other_.run([&] { lines.read(); });
            own_.read();  // out of the measuring core's own caches; the other one has its copies still
        } else {
            other_.run([&] { lines.read(); });
        }
        do_it([&] { lines.read(); });
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
    chain all_;  // what pushes everything out of all caches, and out of a core's own
    chain own_;
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
