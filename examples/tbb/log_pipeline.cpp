// ../log_pipeline.cpp with oneTBB.

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <string>

#include "../log_record.hpp"

// An exception that leaves a filter drops what is under way, lines before it included; so it travels as a value.
struct outcome {
    std::optional<std::string> line;
    std::exception_ptr error;
};

int main(int count, char** arguments) try {
    if (count < 3) throw std::runtime_error("usage: log_pipeline IN OUT [COUNT]");
    std::ifstream in(arguments[1]);
    std::ofstream out(arguments[2]);
    const long wanted = count > 3 ? std::atol(arguments[3]) : -1;
    long number = 0, written = 0;
    std::atomic<bool> enough{false};

    tbb::parallel_pipeline(
        4 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()),
        tbb::make_filter<void, logs::numbered_line>(tbb::filter_mode::serial_in_order,
                                                    [&](tbb::flow_control& control) {
                                                        logs::numbered_line line{++number, {}};
                                                        if (enough || !std::getline(in, line.text)) control.stop();
                                                        return line;
                                                    }) &
            tbb::make_filter<logs::numbered_line, outcome>(tbb::filter_mode::parallel,
                                                           [](const logs::numbered_line& line) {
                                                               outcome made;
                                                               try {
                                                                   const logs::record record = logs::parse(line);
                                                                   if (record.level != "DEBUG")
                                                                       made.line = logs::enrich(record);
                                                               } catch (...) {
                                                                   made.error = std::current_exception();
                                                               }
                                                               return made;
                                                           }) &
            tbb::make_filter<outcome, void>(tbb::filter_mode::serial_in_order, [&](const outcome& made) {
                if (made.error) std::rethrow_exception(made.error);
                if (!made.line || written == wanted) return;
                out << *made.line << '\n';
                if (++written == wanted) enough = true;
            }));
    std::printf("%ld lines written\n", written);
} catch (const std::exception& error) {
    std::fprintf(stderr, "log_pipeline: %s\n", error.what());
    return 1;
}
