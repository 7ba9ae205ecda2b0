#pragma once
// The sender's half of a stream of messages over a link: how messages go into frames.
//
// A message leaves at once, in a frame of its own, unless others go with it. These are those of one call for a range,
// or, if the sender is to gather, those that follow within a time. A frame that gathers leaves at the latest
//   - when it is full, at flush(), and at the end of the stream;
//   - when its time has passed, by the next call that looks. Every progress() looks, and any call that sends, if the
//     message is the frame's first, second, fourth, eighth, or any sixteenth.
// So a sender that goes on sending keeps no message for more than sixteen behind it. A sender that stops calls flush(),
// or progress() now and then. (Reading a clock takes longer than writing a message of some bytes.)
//
// Trivially copyable messages lie side by side in a frame, to be written there. Others are encoded (codec.hpp): eight
// bytes that say how many follow, and these. They go one message after the other, over as many frames as it takes. If
// there is no room for a rest of such a message, it is kept, and goes with later calls: has_room() sees to it.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/timed.hpp>
#include <croft/mpi/codec.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi {

inline constexpr std::uint32_t mark_of_messages = 0, mark_of_end = 1, signal_of_leaving = 1;

namespace detail {

// When a frame that was begun has to leave.
class gathering {
public:
    explicit gathering(std::chrono::nanoseconds time) : time_(time) {}

    // The `count`th message of a frame was written. True if the frame is to leave.
    [[gnu::always_inline]] bool is_due(std::size_t count) {
        if (time_.count() <= 0) return true;
        if (begun_ && count % 16 != 0 && (count > 8 || (count & (count - 1)) != 0)) return false;
        return is_due();
    }
    // The same at once.
    bool is_due() {
        if (time_.count() <= 0) return true;
        if (begun_) return has_passed();
        end_ = croft::detail::deadline_after(time_);
        begun_ = true;
        return false;
    }
    bool has_passed() const { return std::chrono::steady_clock::now() >= end_; }
    void left() { begun_ = false; }

private:
    std::chrono::nanoseconds time_;
    croft::detail::deadline end_;
    bool begun_ = false;
};

}  // namespace detail

template <class Message, class Link, bool Packed = std::is_trivially_copyable_v<Message>>
class frame_writer {
    static_assert(alignof(Message) <= port::cache_line, "a frame begins a cache line");

public:
    frame_writer(Link& link, std::chrono::nanoseconds gather)
        : link_(link), gather_(gather), fit_(link.frame_bytes() / sizeof(Message)) {}

    bool has_room() { return frame_ || (frame_ = reinterpret_cast<Message*>(link_.try_acquire())); }
    // The next message, if there is room; until it was written the same one.
    Message& next() { return frame_[used_]; }
    void written() {
        if (++used_ == fit_ || gather_.is_due(used_)) leave();
    }
    [[gnu::always_inline]] void write(const Message& message) {
        std::memcpy(frame_ + used_, &message, sizeof message);
        written();
    }
    // Writes as many of a range as there is room for in this frame. If the range throws, the messages written before
    // are sent.
    template <class First, class Last>
    void write_some(First& first, Last last) {
        Message* to = frame_ + used_;
        Message* const end = frame_ + fit_;
        const auto wrote = [&](bool all) {
            used_ = static_cast<std::size_t>(to - frame_);
            if (used_ > 0 && (used_ == fit_ || (all && gather_.is_due()))) leave();
        };
        try {
            for (; to != end && first != last; ++first) *to++ = *first;
        } catch (...) {
            wrote(true);
            throw;
        }
        wrote(first == last);
    }
    // Writes what is kept for which there was no room. True if nothing is left of it.
    bool write_rest() { return true; }
    void flush() {
        if (used_ > 0) leave();
    }
    // Sends messages that have waited for others long enough.
    void progress() {
        if (used_ > 0 && gather_.has_passed()) leave();
    }
    // There is room, and nothing is left of a frame.
    void end() { link_.publish(0, mark_of_end); }

private:
    void leave() {
        link_.publish(std::exchange(used_, 0) * sizeof(Message), mark_of_messages);
        frame_ = nullptr;
        gather_.left();
    }

    Link& link_;
    detail::gathering gather_;
    std::size_t fit_, used_ = 0;  // messages of a frame
    Message* frame_ = nullptr;
};

template <class Message, class Link>
class frame_writer<Message, Link, false> {
public:
    frame_writer(Link& link, std::chrono::nanoseconds gather) : link_(link), gather_(gather) {}

    bool has_room() { return write_rest() && acquire(); }
    Message& next() { return next_; }
    void written() { write(next_); }
    void write(const Message& message) {
        encode(message);
        if (push() && frame_ && gather_.is_due(++messages_)) leave();
    }
    template <class First, class Last>
    void write_some(First& first, Last last) {
        bool all = true;
        try {
            do {
                encode(*first);
                ++messages_;
                all = push();
                ++first;
            } while (all && frame_ && first != last);
        } catch (...) {
            if (all) leave_if_due();
            throw;
        }
        if (all && first == last) leave_if_due();
    }
    bool write_rest() {
        if (rest_ == encoded_.size()) return true;
        if (!push()) return false;
        leave_if_due();
        return true;
    }
    void flush() {
        if (write_rest() && used_ > 0) leave();
    }
    void progress() {
        if (write_rest() && used_ > 0 && gather_.has_passed()) leave();
    }
    void end() { link_.publish(0, mark_of_end); }

private:
    bool acquire() { return frame_ || (frame_ = link_.try_acquire()); }
    // After all of the one before was written.
    void encode(const Message& message) {
        encoded_.resize(sizeof(std::uint64_t));
        rest_ = 0;
        try {
            codec<Message>::encode(message, encoded_);
        } catch (...) {
            encoded_.clear();
            throw;
        }
        const std::uint64_t size = encoded_.size() - sizeof size;
        std::memcpy(encoded_.data(), &size, sizeof size);
    }
    // True if nothing of it is left.
    bool push() {
        while (rest_ < encoded_.size()) {
            if (!acquire()) return false;
            const std::size_t count = std::min(encoded_.size() - rest_, link_.frame_bytes() - used_);
            std::memcpy(frame_ + used_, encoded_.data() + rest_, count);
            rest_ += count;
            used_ += count;
            if (used_ == link_.frame_bytes()) leave();
        }
        return true;
    }
    void leave_if_due() {
        if (frame_ && used_ > 0 && gather_.is_due()) leave();
    }
    void leave() {
        link_.publish(std::exchange(used_, 0), mark_of_messages);
        frame_ = nullptr;
        messages_ = 0;
        gather_.left();
    }

    Link& link_;
    detail::gathering gather_;
    Message next_{};
    std::vector<std::byte> encoded_;
    std::size_t rest_ = 0;      // what is written of it
    std::size_t used_ = 0;      // bytes of the frame
    std::size_t messages_ = 0;  // that end in it
    std::byte* frame_ = nullptr;
};

}  // namespace croft::mpi
