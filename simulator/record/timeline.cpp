#include "record/timeline.hpp"

#include <optional>

namespace croftsim {
namespace {

// The fields of Trace, TracePacket and TrackEvent.
enum Field : std::uint32_t {
    packet = 1,
    packet_timestamp = 8,
    packet_sequence = 10,
    packet_track_event = 11,
    packet_sequence_flags = 13,
    event_type = 9,
    event_name = 10,
    event_track = 11,
    event_flow = 47,
    event_flow_end = 48,
};
enum Type : std::uint64_t { slice_begin = 1, slice_end = 2, instant_event = 3 };
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

void put_fixed(std::string& to, Field field, std::uint64_t value) {
    put_varint(to, field << 3 | 1);
    for (unsigned i = 0; i < 64; i += 8) to.push_back(static_cast<char>(value >> i));
}

struct FlowEnd {
    std::uint64_t number = 0;  // 0: there is none
    bool ends = false;
};
void put_event(std::string& to, Type type, std::uint32_t core, std::optional<std::uint32_t> name, std::uint64_t time,
               FlowEnd flow = {}) {
    std::string event, whole;
    put(event, event_type, type);
    if (name) put(event, event_name, std::uint64_t{*name});
    put(event, event_track, std::uint64_t{core} + 1);
    if (flow.number) put_fixed(event, flow.ends ? event_flow_end : event_flow, flow.number);
    put(whole, packet_timestamp, time);
    put(whole, packet_sequence, sequence);
    put(whole, packet_track_event, event);
    put(whole, packet_sequence_flags, needs_names);
    put(to, packet, whole);
}

}  // namespace

bool Timeline::has_room(std::uint64_t time) {
    constexpr std::uint64_t longest = 128;  // bytes of a slice, more or less
    if (packets_.size() + longest <= limit_) return true;
    if (left_out_++ == 0) left_out_from_ = time;
    return false;
}

void Timeline::begin(std::uint32_t core, std::uint32_t name, std::uint64_t time) {
    put_event(packets_, slice_begin, core, name, time);
}
void Timeline::end(std::uint32_t core, std::uint64_t time) { put_event(packets_, slice_end, core, std::nullopt, time); }
void Timeline::instant(std::uint32_t core, std::uint32_t name, std::uint64_t time, std::uint64_t flow, bool ends) {
    put_event(packets_, instant_event, core, name, time, {flow, ends});
}

void Timeline::flow(const Instant& begin, const Instant& end, std::uint64_t number) {
    if (begin.time < from_ || end.time >= to_ || !has_room(end.time)) return;
    instant(begin.core, begin.name, begin.time, number, false);
    instant(end.core, end.name, end.time, number, true);
}

std::uint32_t Timeline::name_of(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, Trace::own + static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(text);
    return place->second;
}

Trace Timeline::take() { return {std::move(packets_), left_out_, left_out_from_, std::move(names_)}; }

}  // namespace croftsim
