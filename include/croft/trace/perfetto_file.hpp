#pragma once
// Slices and instants of threads as a file for Perfetto, as much of the format as that takes. (TracePacket,
// TrackDescriptor and TrackEvent in protos/perfetto/trace of its sources.)

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace croft::trace {

enum class event_type : std::uint8_t { begin = 1, end = 2, instant = 3 };  // as in TrackEvent

struct event {
    std::uint64_t time;  // ns
    const char* text;    // of an end: none
    event_type type;
};

class perfetto_file {
public:
    explicit perfetto_file(std::FILE& to) : to_(to) {}

    // All that is added from now on is thread number `number`'s, in the order of time.
    void begin_thread(std::size_t number) {
        track_ = number + 1;
        depth_ = 0;
        latest_ = 0;
        message thread, descriptor, packet;
        thread.put(1, process);
        thread.put(2, track_);
        thread.put(5, "thread " + std::to_string(number));
        descriptor.put(1, track_);
        descriptor.put(4, thread.bytes);
        packet.put(10, sequence);
        packet.put(60, descriptor.bytes);
        write(packet);
    }
    // An end of nothing is none.
    void add(const event& what) {
        if (what.type == event_type::end && depth_ == 0) return;
        if (what.type != event_type::instant) what.type == event_type::begin ? ++depth_ : --depth_;
        latest_ = what.time;
        message track_event, packet;
        track_event.put(9, static_cast<std::uint64_t>(what.type));
        track_event.put(11, track_);
        if (what.text) track_event.put(23, std::string_view(what.text));
        packet.put(8, what.time);
        packet.put(10, sequence);
        packet.put(11, track_event.bytes);
        write(packet);
    }
    // Its open slices end with its last event.
    void end_thread() {
        while (depth_ > 0) add({latest_, nullptr, event_type::end});
    }
    // Whether all has been written.
    bool finish() { return std::fflush(&to_) == 0 && !std::ferror(&to_); }

private:
    static constexpr std::uint64_t process = 1, sequence = 1;

    struct message {
        void varint(std::uint64_t value) {
            for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
            bytes.push_back(static_cast<char>(value));
        }
        void put(unsigned field, std::uint64_t value) {
            varint(field << 3);
            varint(value);
        }
        void put(unsigned field, std::string_view content) {
            varint(field << 3 | 2);
            varint(content.size());
            bytes += content;
        }
        std::string bytes;
    };
    void write(const message& packet) {
        message framed;
        framed.put(1, packet.bytes);  // of Trace
        std::fwrite(framed.bytes.data(), 1, framed.bytes.size(), &to_);
    }

    std::FILE& to_;
    std::uint64_t track_ = 0, latest_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace croft::trace
