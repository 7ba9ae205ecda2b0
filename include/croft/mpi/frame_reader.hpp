#pragma once
// The receiver's half of a stream of messages over a link: frame_writer.hpp says how they lie in frames.
//
// Trivially copyable messages are read in the frame, which is released when all of it were. Others are decoded into one
// object, which the reader keeps, together with what that owns; those that came in pieces are put together before.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/mpi/codec.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_writer.hpp>

namespace croft::mpi {

template <class Message, class Link, bool Packed = std::is_trivially_copyable_v<Message>>
class frame_reader {
public:
    explicit frame_reader(Link& link) : link_(link) {}

    // Whether there is a message, or the end.
    bool look() { return at_ != end_ || ended_ || open(); }
    // It has looked, and found the end.
    bool ended() const { return ended_; }
    // It has looked: those that lie side by side, one or more; none at the end.
    std::span<Message> front() { return {at_, end_}; }
    // So many of them are done with.
    void pass(std::size_t count) {
        at_ += count;
        if (at_ != end_) return;
        at_ = end_ = nullptr;
        link_.release();
    }
    // Whether the message behind the next pass(1) is in another frame.
    bool at_last_of_frame() const { return end_ - at_ == 1; }

private:
    [[gnu::noinline]] bool open() {
        for (;;) {
            const std::span<std::byte> frame = link_.try_receive();
            if (!frame.data()) return false;
            if (link_.mark() == mark_of_end) return ended_ = true;
            if (!frame.empty()) {
                at_ = std::launder(reinterpret_cast<Message*>(frame.data()));
                end_ = at_ + frame.size() / sizeof(Message);
                return true;
            }
            link_.release();
        }
    }

    Link& link_;
    Message* at_ = nullptr;
    Message* end_ = nullptr;
    bool ended_ = false;
};

template <class Message, class Link>
class frame_reader<Message, Link, false> {
public:
    explicit frame_reader(Link& link) : link_(link) {}

    bool look() { return whole_ || ended_ || open(); }
    bool ended() const { return ended_; }
    std::span<Message> front() { return {&message_, whole_ ? 1u : 0u}; }
    void pass(std::size_t) { whole_ = false; }
    bool at_last_of_frame() const { return frame_.empty(); }

private:
    bool open() {
        for (;;) {
            if (frame_.empty()) {
                frame_ = link_.try_receive();
                if (!frame_.data()) return false;
                if (link_.mark() == mark_of_end) return ended_ = true;
            }
            whole_ = frame_.size() > 0 && take();
            if (frame_.empty()) link_.release();
            if (whole_) return true;
        }
    }
    // Takes the frame's part of the next message. True if that is all of it.
    bool take() {
        if (pieces_.empty() && frame_.size() >= sizeof(std::uint64_t)) {
            const std::uint64_t size = size_in(frame_);
            if (size <= frame_.size() - sizeof size) {
                const auto bytes = frame_.subspan(sizeof size, size);
                frame_ = frame_.subspan(sizeof size + size);
                decode(bytes);
                return true;
            }
        }
        add_up_to(sizeof(std::uint64_t));
        if (pieces_.size() < sizeof(std::uint64_t)) return false;
        const std::size_t whole = sizeof(std::uint64_t) + size_in(pieces_);
        pieces_.reserve(whole);
        add_up_to(whole);
        if (pieces_.size() < whole) return false;
        decode(std::span(pieces_).subspan(sizeof(std::uint64_t)));
        pieces_.clear();
        return true;
    }
    void add_up_to(std::size_t size) {
        if (pieces_.size() >= size) return;
        const auto piece = frame_.first(std::min(size - pieces_.size(), frame_.size()));
        pieces_.insert(pieces_.end(), piece.begin(), piece.end());
        frame_ = frame_.subspan(piece.size());
    }
    static std::size_t size_in(std::span<const std::byte> bytes) {
        std::uint64_t size;
        std::memcpy(&size, bytes.data(), sizeof size);
        return size;
    }
    void decode(std::span<const std::byte> bytes) {
        try {
            codec<Message>::decode(bytes, message_);
        } catch (...) {
            const std::string why = detail::what_of(std::current_exception());
            pieces_.clear();
            if (frame_.empty()) link_.release();
            const int from = link_.peer();
            throw error("croft::mpi: a message from rank " + std::to_string(from) + " cannot be decoded: " + why, from);
        }
    }

    Link& link_;
    Message message_{};
    bool whole_ = false, ended_ = false;
    std::span<std::byte> frame_;     // what was not looked at of the frame that is held; empty: none is
    std::vector<std::byte> pieces_;  // of a message that goes on
};

}  // namespace croft::mpi
