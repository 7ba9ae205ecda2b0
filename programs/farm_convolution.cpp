// A farm of 3 x 3 convolutions (paper 000, 7.2).
//
// With a picture: cuts it into tiles, each worker filters some, the collector pastes them into the result. The result
// depends neither on the number of workers nor on the size of the tiles nor on the machine.
// Without: a generated stream of matrices, made in the slot by the emitter, folded to a number by the collector.
//
// Prints: farm_convolution size=32 type=int workers=4 emitters=1 collectors=1 channel=ra schedule=on-demand ordered=no
//        collector=reads count=1000 service_time_ns=... service_time_cycles=... (in one line)
// common/service_time.hpp tells what is measured. For the sequential program it is the computation alone.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "common/channels.hpp"
#include "common/convolution_farm.hpp"
#include "common/generated_stream.hpp"
#include "common/options.hpp"
#include "common/picture_stream.hpp"
#include "common/service_time.hpp"
#include "common/stopwatch.hpp"

namespace {

using namespace programs;

// For --channel: not a channel but another farm.
const std::string ff_queue = "ff-queue";

struct settings {
    std::string picture, output;
    std::size_t size = 32;
    std::string type = "int";
    std::string filter = "emboss";
    std::size_t workers = 2;
    std::size_t emitters = 1, collectors = 1;
    std::size_t count = 1000;
    std::string channel = "ra";
    std::string schedule = "on-demand";
    std::size_t slots = 2;
    bool ordered = false;
    std::string collector = "reads";
    bool stable = false;
    bool sequential = false;
    bool check = false;
};

struct measured {
    double nanoseconds, cycles;
};

template <class Element>
std::unique_ptr<matrix_stream> make_stream(const settings& asked) {
    const filter<Element> by = make_filter<Element>(asked.filter);
    if (!asked.picture.empty())
        return std::make_unique<picture_stream<Element>>(asked.picture, asked.output, asked.size, by, asked.check);
    return std::make_unique<generated_stream<Element>>(asked.count, asked.size, by, asked.collector == "reads",
                                                       asked.check, asked.collectors);
}

// The first matrices find nothing in the caches, and are left out.
measured run_sequentially(matrix_stream& stream) {
    std::vector<std::byte> task(stream.bytes()), result(stream.bytes());
    const std::size_t left_out = std::min<std::size_t>(stream.count() / 4, 4);
    stopwatch watch;
    for (std::size_t number = 0; number < stream.count(); ++number) {
        if (number == left_out) watch.reset();
        stream.make(number, task.data());
        watch.start();
        stream.compute(task.data(), result.data());
        watch.stop();
        stream.take(number, result.data(), 0);
    }
    const double count = static_cast<double>(stream.count() - left_out);
    return {watch.nanoseconds() / count, watch.cycles() / count};
}

template <std::size_t Bytes>
measured run_parallel(const settings& asked, matrix_stream& stream) {
    service_time time(stream.count(), asked.workers * (2 * asked.slots + 1), asked.workers, asked.stable);
    const croft::farm_options options{
        .workers = asked.workers,
        .schedule = asked.schedule == "round-robin" ? croft::schedule::round_robin : croft::schedule::on_demand,
        .ordered = asked.ordered,
        .slots = asked.slots,
        .emitters = asked.emitters,
        .collectors = asked.collectors,
    };
    if (asked.channel == ff_queue)
        run_queues<croft::policies, matrix_item<matrix<Bytes>>>(options, stream, time);
    else
        with_distinct_channel(
            asked.channel, [&](auto policies) { run_farm<decltype(policies), matrix<Bytes>>(options, stream, time); });
    return {time.nanoseconds(), time.cycles()};
}

// In slots no larger than need be where all of a slot's lines travel.
measured run(const settings& asked, matrix_stream& stream) {
    if (asked.sequential) return run_sequentially(stream);
    constexpr auto square = [](std::size_t size) { return size * size * sizeof(std::int32_t); };
    if constexpr (croft::port::waits_on_lines) {
        if (stream.bytes() <= square(32)) return run_parallel<square(32)>(asked, stream);
        if (stream.bytes() <= square(64)) return run_parallel<square(64)>(asked, stream);
    }
    return run_parallel<square(130)>(asked, stream);
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
    line.number<std::size_t>("--emitters", asked.emitters, 0, 64, "of the farm; 0: as many as it finds right");
    line.number<std::size_t>("--collectors", asked.collectors, 1, 64, "of the farm, of a generated stream");
    line.number<std::size_t>("--count", asked.count, 1, 100'000'000, "matrices in the stream");
    std::vector<std::string> channels = distinct_channel_names();
    channels.push_back(ff_queue);
    line.choice("--channel", asked.channel, channels, "which channel; ff-queue: FastFlow's queues of pointers");
    line.choice("--schedule", asked.schedule, {"on-demand", "round-robin"}, "who gets the next matrix");
    line.number<std::size_t>("--slots", asked.slots, 1, 1024, "of each channel");
    line.choice("--collector", asked.collector, {"reads", "passes"}, "whether it reads the results of such a stream");
    line.flag("--stable", asked.stable, "end it when the service time is stable to 1%, not before 300 matrices");
    line.flag("--ordered", asked.ordered, "collect in the order of emission");
    line.flag("--sequential", asked.sequential, "the same computation in one thread");
    line.flag("--check", asked.check, "compare with a sequential computation");
    if (!line.parse(argc, argv)) return 0;
    if (!asked.output.empty() && asked.picture.empty()) throw usage_error("-o needs a picture to filter");
    asked.size = std::stoul(size);
    asked.sequential = asked.sequential || asked.workers == 0;
    if (asked.collectors > 1 && (asked.stable || asked.ordered || asked.channel == ff_queue || !asked.picture.empty()))
        throw usage_error(
            "several collectors are for a generated stream of fixed length, not ordered, by croft's farm");
    if (asked.stable && !asked.picture.empty()) throw usage_error("--stable is for a generated stream");
    if (asked.channel == ff_queue && (asked.ordered || asked.schedule != "on-demand"))
        throw usage_error("--channel ff-queue schedules on demand and keeps no order");
    const auto stream = asked.type == "int" ? make_stream<std::int32_t>(asked) : make_stream<float>(asked);
    const measured time = run(asked, *stream);
    stream->finish(asked.stable);
    std::printf(
        "farm_convolution size=%zu type=%s workers=%zu emitters=%zu collectors=%zu channel=%s schedule=%s ordered=%s "
        "collector=%s count=%zu "
        "service_time_ns=%.1f service_time_cycles=%.1f\n",
        asked.size, asked.type.c_str(), asked.sequential ? 0 : asked.workers, asked.emitters, asked.collectors,
        asked.channel.c_str(), asked.schedule.c_str(), asked.ordered ? "yes" : "no", asked.collector.c_str(),
        stream->count(), time.nanoseconds, time.cycles);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("farm_convolution", [&] { return body(argc, argv); });
}
