#include "record/timeline.hpp"

#include <algorithm>

namespace croftsim {
namespace {

// Of Trace, TracePacket and TrackEvent.
enum Field : std::uint32_t {
    packet = 1,
    packet_timestamp = 8,
    packet_sequence = 10,
    packet_track_event = 11,
    packet_sequence_flags = 13,
    event_type = 9,
    event_name = 10,
    event_track = 11,
};
enum Type : std::uint64_t { slice_begin = 1, slice_end = 2 };
constexpr std::uint64_t sequence = 1, needs_names = 2;

void put_varint(std::string& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
    to.push_back(static_cast<char>(value));
}
void put(std::string& to, Field field, std::uint64_t value) {
    put_varint(to, field << 3);
    put_varint(to, value);
}
void put(std::string& to, Field field, const std::string& message) {
    put_varint(to, field << 3 | 2);
    put_varint(to, message.size());
    to += message;
}

}  // namespace

bool Timeline::has_room(std::uint64_t time) {
    constexpr std::uint64_t longest = 128;  // bytes of a slice, more or less
    if (packets_.size() + longest <= limit_) return true;
    if (left_out_++ == 0) left_out_from_ = time;
    return false;
}

void Timeline::slice(std::uint32_t core, std::uint32_t name, std::uint64_t from, std::uint64_t until) {
    from = std::max(from, from_);
    until = std::min(until, to_);
    if (from >= until || !has_room(from)) return;
    event(core, from, name);
    event(core, until, std::nullopt);
}

// Where the time that is looked at begins and ends, so do they.
void Timeline::begin(std::uint32_t core, std::uint32_t name, std::uint64_t time) {
    event(core, std::clamp(time, from_, to_), name);
}
void Timeline::end(std::uint32_t core, std::uint64_t time) { event(core, std::clamp(time, from_, to_), std::nullopt); }

void Timeline::event(std::uint32_t core, std::uint64_t time, std::optional<std::uint32_t> name) {
    std::string track_event, whole;
    put(track_event, event_type, name ? slice_begin : slice_end);
    if (name) put(track_event, event_name, std::uint64_t{*name});
    put(track_event, event_track, std::uint64_t{core} + 1);
    put(whole, packet_timestamp, time);
    put(whole, packet_sequence, sequence);
    put(whole, packet_track_event, track_event);
    put(whole, packet_sequence_flags, needs_names);
    put(packets_, packet, whole);
}

}  // namespace croftsim
