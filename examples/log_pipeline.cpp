// Reads a web server's log, leaves out lines for debugging, puts a pseudonym in each user's place, and writes the lines
// in their order.
//
//     log_pipeline IN OUT [COUNT]
//
// A line that is none ends it with an error, which names the line: what precedes it has been written by then. COUNT
// ends it early: once so many lines are written nothing more is read, however long IN is.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <string>

#include "log_record.hpp"

int main(int count, char** arguments) try {
    if (count < 3) throw std::runtime_error("usage: log_pipeline IN OUT [COUNT]");
    std::ifstream in(arguments[1]);
    std::ofstream out(arguments[2]);
    const long wanted = count > 3 ? std::atol(arguments[3]) : -1;
    long number = 0, written = 0;
    croft::stopper early;

    croft::run(
        // In place: a line is read into the slot that it travels in, whose memory is there from earlier lines.
        [&](logs::numbered_line& line) {
            line.number = ++number;
            return static_cast<bool>(std::getline(in, line.text));
        },
        // A worker for each core. Nothing stands for a line that is left out.
        croft::farm(
            [](const logs::numbered_line& line) -> std::optional<std::string> {
                const logs::record record = logs::parse(line);
                if (record.level == "DEBUG") return std::nullopt;
                return logs::enrich(record);
            },
            {.ordered = true}),
        // A sink is called by one thread, so it needs no lock. Some lines may yet be on their way when it wants no
        // more.
        [&](const std::string& line) {
            if (written == wanted) return;
            out << line << '\n';
            if (++written == wanted) early.stop(croft::stop_mode::drop);
        },
        {.stops = &early});
    std::printf("%ld lines written\n", written);
} catch (const std::exception& error) {
    std::fprintf(stderr, "log_pipeline: %s\n", error.what());
    return 1;
}
