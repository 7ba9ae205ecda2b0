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
// Lines are timed some hundred or thousand at a time, so that a disturbance is in few of the times. The cost of
// reading the clock is taken off.
//
// Prints: native_latency access=read state=modified place=other level=L1 lines=256 ns=52.1 low=51.8 high=53.0
//         cycles=135.3                                                                          (in one line)
// medians of the times, and their quartiles in ns; `cycles` are those of the machine's counter (port/README.md).

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>

#include "common/moment.hpp"
#include "common/options.hpp"
#include "common/samples.hpp"

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
    line* first() const { return first_; }
    static line* read(line* at, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) at = at->next.load(std::memory_order_relaxed);
        return at;
    }
    void read() {
        if (read(first_, lines_.size()) != first_) std::abort();  // also so that it is not left out
    }
    void write(std::uint64_t value) {
        for (line& one : lines_) one.word.store(value, std::memory_order_relaxed);
    }
    static line* write_and_wait(line* at, std::size_t count, std::uint64_t value) {
        for (std::size_t i = 0; i < count; ++i) {
            at->word.store(value, std::memory_order_relaxed);
            croft::port::finish_stores();
            at = at->next.load(std::memory_order_relaxed);  // the line is here now
        }
        return at;
    }

    static constexpr std::size_t together = 2048;  // 64 pages of 4 KiB

private:
    std::vector<line> lines_;
    line* first_;
};

struct settings {
    std::uint32_t l1 = 16, l2 = 256, l3 = 8192, memory = 262144;  // KiB of lines in use
    std::uint32_t push = 0;
    std::uint32_t repeats = 21;
    int here = -1, there = -1;
    std::string access = "all", state = "all", place = "all", level = "all";
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
    measurement(const settings& asked, helper& other) : asked_(asked), other_(other) {}

    void level(const char* name, std::uint32_t kibibytes) {
        if (!is_asked(asked_.level, name)) return;
        chain lines(lines_of(kibibytes));
        for (const char* const access : {"read", "write"})
            for (const char* const state : {"modified", "exclusive", "shared"})
                for (const char* const place : {"own", "other"})
                    if (is_asked(asked_.access, access) && is_asked(asked_.state, state) &&
                        is_asked(asked_.place, place))
                        report(lines, name, access, state, place);
    }

private:
    static bool is_asked(const std::string& asked, const char* name) { return asked == "all" || asked == name; }
    static std::size_t lines_of(std::uint32_t kibibytes) { return 1024ull * kibibytes / croft::port::cache_line; }

    void prepare(chain& lines, const std::string& state, bool by_other) {
        const auto do_it = [&](auto action) { by_other ? other_.run(action) : action(); };
        if (state == "modified") return do_it([&] { lines.write(++value_); });
        if (state == "exclusive") {  // out of both cores' caches first: written back by other traffic
            chain& all = made(all_, asked_.push != 0 ? asked_.push : 2 * asked_.l3);
            all.write(1);
            other_.run([&] { all.read(); });
        } else if (by_other) {
            lines.read();
            other_.run([&] { lines.read(); });
            made(own_, asked_.l3).read();  // out of the measuring core's own caches; the other one has its copies still
        } else {
            other_.run([&] { lines.read(); });
        }
        do_it([&] { lines.read(); });
    }
    chain& made(std::unique_ptr<chain>& lines, std::uint32_t kibibytes) {
        if (!lines) lines = std::make_unique<chain>(lines_of(kibibytes));
        return *lines;
    }
    void report(chain& lines, const char* level, const std::string& access, const std::string& state,
                const std::string& place) {
        samples times;
        for (std::uint32_t i = 0; i < asked_.repeats; ++i) {
            prepare(lines, state, place == "other");
            ++value_;
            line* at = lines.first();
            for (std::size_t left = lines.size(); left != 0;) {
                const std::size_t count = std::min(left, chain::together);
                const moment begin = moment::now();
                at = access == "write" ? chain::write_and_wait(at, count, value_) : chain::read(at, count);
                asm volatile("" ::"r"(at));  // or the time might be read before
                const moment end = moment::now();
                times.add(begin, end, count);
                left -= count;
            }
            if (at != lines.first()) std::abort();
        }
        std::printf("native_latency access=%s state=%s place=%s level=%s lines=%zu ", access.c_str(), state.c_str(),
                    place.c_str(), level, lines.size());
        std::printf("ns=%.2f low=%.2f high=%.2f cycles=%.2f\n", times.ns(), times.ns(1), times.ns(3), times.cycles());
        std::fflush(stdout);
    }

    const settings& asked_;
    helper& other_;
    std::unique_ptr<chain> all_, own_;  // what pushes everything out of all caches, and out of a core's own
    std::uint64_t value_ = 0;
};

int body(int argc, char** argv) {
    settings asked;
    options line("native_latency", "Measures reads and synchronous writes by state and place of their cache line.");
    line.number<std::uint32_t>("--l1", asked.l1, 1, 1 << 20, "KiB of lines that fit the first level");
    line.number<std::uint32_t>("--l2", asked.l2, 1, 1 << 20, "KiB that fit the second and not the first");
    line.number<std::uint32_t>("--l3", asked.l3, 1, 1 << 20, "KiB that fit the third and not the second");
    line.number<std::uint32_t>("--memory", asked.memory, 1, 1 << 22, "KiB that fit no cache");
    line.number<std::uint32_t>("--push", asked.push, 0, 1 << 22, "KiB that push all else out of caches; 0: twice --l3");
    line.number<std::uint32_t>("--repeats", asked.repeats, 1, 10001, "of each, of which the median is printed");
    line.number("--here", asked.here, -1, 65535, "the measuring core; -1: the first one allowed");
    line.number("--there", asked.there, -1, 65535, "the other core; -1: the second one allowed");
    line.choice("--access", asked.access, {"all", "read", "write"}, "only these");
    line.choice("--state", asked.state, {"all", "modified", "exclusive", "shared"}, "only lines in this state");
    line.choice("--place", asked.place, {"all", "own", "other"}, "only lines of this core");
    line.choice("--level", asked.level, {"all", "L1", "L2", "L3", "memory"}, "only lines that are here");
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
