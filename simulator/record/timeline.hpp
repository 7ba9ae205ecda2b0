#pragma once
// Slices of time and instants on a track for each core (`croft run --trace`); record/track.hpp says which. They are
// written as they come, in Perfetto's format (TracePacket and TrackEvent in protos/perfetto/trace of its sources).
// Their few fields are encoded here, because with a library it would take longer than the run.
// python/croft/results/trace_file.py puts the names of tracks and slices in front.
//
// A tick is a cycle, so that durations add up to the statistics.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/simulation.hpp"

namespace croftsim {

class Timeline {
public:
    // It has the time from `from` to before `to`; `limit`: bytes.
    Timeline(std::uint64_t from, std::uint64_t to, std::uint64_t limit) : from_(from), to_(to), limit_(limit) {}

    std::uint64_t from() const { return from_; }
    std::uint64_t to() const { return to_; }
    // Whether a slice that begins at `time`, or an instant, may be written. If not, it is counted as left out.
    bool has_room(std::uint64_t time);

    // `name`: by its number (Trace::Name). The events of a core come in the order of time.
    void begin(std::uint32_t core, std::uint32_t name, std::uint64_t time);
    void end(std::uint32_t core, std::uint64_t time);
    // `flow`: one that begins or ends there; 0: none.
    void instant(std::uint32_t core, std::uint32_t name, std::uint64_t time, std::uint64_t flow = 0, bool ends = false);

    // Two instants with an arrow between them, in whatever order with others of their cores. Nothing, if one of them
    // lies outside of the time that is looked at.
    struct Instant {
        std::uint32_t core, name;
        std::uint64_t time;
    };
    void flow(const Instant& begin, const Instant& end, std::uint64_t number);

    // The number of a name that is the program's own.
    std::uint32_t name_of(const std::string& text);

    Trace take();

private:
    const std::uint64_t from_, to_, limit_;
    std::string packets_;
    std::uint64_t left_out_ = 0, left_out_from_ = 0;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> names_;
};

}  // namespace croftsim
