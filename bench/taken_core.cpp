// An ordered pipeline through a web server's log while another process has one of the cores. It measures what an item
// takes, beside one thread alone under the same competition, and beside both with all cores free.
//
//     bench_taken_core [ROUNDS]

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "../examples/log_record.hpp"
#include "peers/stream_peers.hpp"
#include "rows.hpp"

namespace {

using namespace bench;

// A process that is busy on one core as long as this lives.
class competitor {
public:
    explicit competitor(int core) : process_(fork()) {
        if (process_ < 0) std::abort();
        if (process_ > 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive a benchmark that is killed
        croft::port::pin_this_thread(core);
        for (;;) asm volatile("");
    }
    ~competitor() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    competitor(const competitor&) = delete;
    competitor& operator=(const competitor&) = delete;

private:
    pid_t process_;
};

constexpr int items = 50'000;
std::vector<logs::numbered_line> lines(items);
std::vector<std::string> enriched(items);
std::string written;

void fill_lines() {
    for (int i = 0; i < items; ++i) {
        const std::string number = std::to_string(i);
        lines[static_cast<std::size_t>(i)] = {i, "2031-05-04T10:11:12 INFO 10.3." + std::to_string(i % 256) +
                                                     ".1 user" + std::to_string(i % 97) + " GET /farm/" + number +
                                                     " 200 " + std::to_string(i % 7919)};
    }
}
std::uint64_t enrich(std::uint64_t number, int) {
    enriched[number] = logs::enrich(logs::parse(lines[number]));
    return number;
}
void write_line(const std::string& line) { written.append(line) += '\n'; }
void write_numbered(std::uint64_t number) { write_line(enriched[number]); }

void logs_pass(const std::string& title, int rounds, int threads) {
    stream_work work{items, enrich, 0, write_numbered};
    const auto alone = [] {
        for (int i = 0; i < items; ++i) write_numbered(enrich(static_cast<std::uint64_t>(i), 0));
    };
    written.clear();
    alone();
    const std::string expected = written;
    const auto checked = [&expected](std::function<void()> action) {
        return [&expected, action] {
            written.clear();
            action();
            if (written != expected) std::abort();
        };
    };
    const auto source = [] {
        return [next = std::size_t{0}]() mutable -> std::optional<const logs::numbered_line*> {
            return next < lines.size() ? std::optional(&lines[next++]) : std::nullopt;
        };
    };
    const auto parse = [](const logs::numbered_line* line) { return logs::enrich(logs::parse(*line)); };

    std::vector<row> rows;
    rows.push_back({"one thread", checked(alone)});
    rows.push_back({"croft, ordered farm",
                    checked([&] { croft::run(source(), croft::farm(parse, {.ordered = true}), write_line); })});
    rows.push_back({"croft, pipeline of two stages", checked([&] {
                        croft::run(source(),
                                   croft::pipeline([](const logs::numbered_line* line) { return logs::parse(*line); },
                                                   [](const logs::record& record) { return logs::enrich(record); }),
                                   write_line);
                    })});
    for (const stream_peer& peer : stream_peers())
        if (peer.ordered) rows.push_back({peer.name, checked([&work, peer, threads] { peer.farm(work, threads); })});
    compare(title, std::move(rows), items, rounds, "/ one thread");
}

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
    const std::vector<int> allowed = croft::port::allowed_cores();
    const int threads = static_cast<int>(croft::port::core_count());
    std::printf("%s, %d cores, medians of %d rounds in turn\n", croft::port::machine_name, threads, rounds);
    fill_lines();
    logs_pass("an ordered log pipeline, all cores free", rounds, threads);
    const competitor busy(allowed.front());
    cores = {allowed.back(), allowed.back()};  // there are no two now whose distance could be measured
    logs_pass("an ordered log pipeline, a core taken by another process", rounds, threads);
    return 0;
}
