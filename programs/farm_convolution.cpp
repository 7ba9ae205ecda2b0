// A farm of 3 x 3 convolutions (paper 000, 7.2).
//
// With a picture: cuts it into tiles, each worker filters some, the collector pastes them into the result. The result
// depends neither on the number of workers nor on the size of the tiles nor on the machine.
// Without: a generated stream of matrices, made in the slot by the emitter, folded to a number by the collector.
//
// Prints: farm_convolution size=32 type=int workers=4 channel=ra schedule=on-demand ordered=no count=1000
//         service_time_ns=... service_time_cycles=...     (in one line; common/service_time.hpp tells what is measured)

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <croft/pattern/farm.hpp>

#include "common/channels.hpp"
#include "common/generated_stream.hpp"
#include "common/options.hpp"
#include "common/picture_stream.hpp"
#include "common/service_time.hpp"

namespace {

using namespace programs;

struct settings {
    std::string picture, output;
    std::size_t size = 32;
    std::string type = "int";
    std::string filter = "emboss";
    std::size_t workers = 2;
    std::size_t count = 1000;
    std::string channel = "ra";
    std::string schedule = "on-demand";
    std::size_t slots = 2;
    bool ordered = false;
    bool sequential = false;
    bool check = false;
};

template <class Element>
std::unique_ptr<matrix_stream<Element>> make_stream(const settings& asked, const filter<Element>& by) {
    const filter<Element>* check = asked.check ? &by : nullptr;
    if (asked.picture.empty()) return std::make_unique<generated_stream<Element>>(asked.count, asked.size, check);
    return std::make_unique<picture_stream<Element>>(asked.picture, asked.output, asked.size, check);
}

template <class Element>
service_time run_sequentially(matrix_stream<Element>& stream, const filter<Element>& by) {
    const auto task = std::make_unique<task_matrix<Element>>();
    const auto result = std::make_unique<result_matrix<Element>>();
    service_time time(stream.count(), 1, 1);
    for (std::size_t number = 0; number < stream.count(); ++number) {
        stream.make(number, *task);
        stream.compute(by, *task, *result);
        stream.take(*result);
        time.result();
    }
    return time;
}

template <class Policies, class Element>
service_time run_farm(const settings& asked, matrix_stream<Element>& stream, const filter<Element>& by) {
    using task = task_matrix<Element>;
    using result = result_matrix<Element>;
    croft::basic_farm<Policies> farm({
        .workers = asked.workers,
        .schedule = asked.schedule == "round-robin" ? croft::schedule::round_robin : croft::schedule::on_demand,
        .ordered = asked.ordered,
        .slots = asked.slots,
    });
    service_time time(stream.count(), asked.workers * (2 * asked.slots + 1), asked.workers);
    std::size_t next = 0;
    farm.template run<task, result>(
        [&](task& slot) {
            if (next == stream.count()) return false;
            stream.make(next++, slot);
            return true;
        },
        [&stream, by](const task& in, result& out) { stream.compute(by, in, out); },
        [&](const result& made) {
            stream.take(made);
            time.result();
        });
    return time;
}

template <class Element>
void run(const settings& asked) {
    const filter<Element> by = make_filter<Element>(asked.filter);
    const auto stream = make_stream(asked, by);
    const service_time time =
        asked.sequential ? run_sequentially(*stream, by)
                         : with_channel(asked.channel, [&](auto policies) {
                               return run_farm<decltype(policies)>(asked, *stream, by);
                           });
    stream->finish();
    std::printf(
        "farm_convolution size=%zu type=%s workers=%zu channel=%s schedule=%s ordered=%s count=%zu service_time_ns=%.1f "
        "service_time_cycles=%.1f\n",
        asked.size, asked.type.c_str(), asked.sequential ? 0 : asked.workers, asked.channel.c_str(),
        asked.schedule.c_str(), asked.ordered ? "yes" : "no", stream->count(), time.nanoseconds(), time.cycles());
}

int body(int argc, char** argv) {
    settings asked;
    std::string size = std::to_string(asked.size);
    options line("farm_convolution",
                 "Filters a picture, or a generated stream of matrices, with a farm of 3 x 3 convolutions.");
    line.positional("PICTURE", asked.picture, "a PGM or PPM file; without one, a stream is generated");
    line.text("-o", "OUT", asked.output, "where the filtered picture goes");
    line.choice("--size", size, {"32", "64", "128"}, "rows and columns of a matrix or tile");
    line.choice("--type", asked.type, {"int", "float"}, "of its elements");
    line.choice("--filter", asked.filter, filter_names(), "which filter");
    line.number<std::size_t>("--workers", asked.workers, 0, 4096, "of the farm; 0 is --sequential");
    line.number<std::size_t>("--count", asked.count, 1, 100'000'000, "matrices in the stream");
    line.choice("--channel", asked.channel, channel_names(), "which channel");
    line.choice("--schedule", asked.schedule, {"on-demand", "round-robin"}, "who gets the next matrix");
    line.number<std::size_t>("--slots", asked.slots, 1, 1024, "of each channel");
    line.flag("--ordered", asked.ordered, "collect in the order of emission");
    line.flag("--sequential", asked.sequential, "the same computation in one thread");
    line.flag("--check", asked.check, "compare with a sequential computation");
    if (!line.parse(argc, argv)) return 0;
    if (!asked.output.empty() && asked.picture.empty()) throw usage_error("-o needs a picture to filter");
    asked.size = std::stoul(size);
    asked.sequential = asked.sequential || asked.workers == 0;
    if (asked.type == "int")
        run<std::int32_t>(asked);
    else
        run<float>(asked);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("farm_convolution", [&] { return body(argc, argv); });
}
