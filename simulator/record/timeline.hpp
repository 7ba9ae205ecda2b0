#pragma once
// When each core had a thread, what it waited for and when, and when handlers of interrupts ran: slices of time on a
// track for each core (`croft run --trace`). They are written as they come, in Perfetto's format (TracePacket and
// TrackEvent in protos/perfetto/trace of its sources), whose few fields that a slice takes are encoded here: by a
// library it would take longer than the run. What gives tracks and slices their names is put in front
// (python/croft/trace.py).
//
// A tick is a cycle, so that durations add up to the statistics.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/simulation.hpp"

namespace croftsim {

class Timeline {
public:
    // Of the time from `from` to before `to`; `limit`: bytes.
    Timeline(std::uint64_t from, std::uint64_t to, std::uint64_t limit) : from_(from), to_(to), limit_(limit) {}

    // `name`: by its number (trace_names()). Slices of a track lie within or behind each other.
    void slice(std::uint32_t core, std::uint32_t name, std::uint64_t from, std::uint64_t until);
    // One whose end is to come.
    void begin(std::uint32_t core, std::uint32_t name, std::uint64_t time);
    void end(std::uint32_t core, std::uint64_t time);

    Trace take() { return {std::move(packets_), left_out_, left_out_from_}; }

private:
    bool has_room(std::uint64_t time);
    void event(std::uint32_t core, std::uint64_t time, std::optional<std::uint32_t> name);

    const std::uint64_t from_, to_, limit_;
    std::string packets_;
    std::uint64_t left_out_ = 0, left_out_from_ = 0;
};

}  // namespace croftsim
