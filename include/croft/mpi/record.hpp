#pragma once
// A pattern's processes talk to each other in records, over a link of frames. A record is a kind, the number of an
// item, and some bytes. As many as there is room for share a frame; a record that is longer than a frame goes in
// pieces.
//
// When a frame leaves. A frame for each small record would cost a message each. Waiting for it to fill up would keep
// the only record there is waiting for ever. So a frame leaves when it is full. It also leaves as soon as it is looked
// at (flush_if_due), when the one before it has left so many microseconds ago (`spacing`). So a record that comes alone
// goes at once. In a stream of them there are as many a frame as come in that time. A thread that is going to wait, or
// to work for long, calls flush() before. So a record waits for no longer than its sender works on one item.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include <croft/mpi/frame_link.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi::detail {

enum class record_kind : std::uint8_t {
    hello,    // what a process is made of, first on every link (across.hpp)
    item,     // to be worked on
    result,   // made of an item, and more will follow
    last,     // made of an item, the last
    hole,     // nothing (more) is made of an item
    failure,  // its worker threw: the bytes are what it said; its last, or a hole, follows
    dry,      // it has nothing left to do; the number: an item took it so many ns
    drop,     // what is under way is not wanted any more
    end       // no record will follow
};

struct record {
    record_kind kind;
    std::uint32_t number;
    std::span<const std::byte> content;
};

struct record_head {
    std::uint32_t number;
    std::uint32_t bytes;  // of this piece
    record_kind kind;
    bool more;  // the next record has the next piece
};

class record_writer {
public:
    static constexpr std::chrono::nanoseconds spacing{5'000};

    explicit record_writer(frame_link& link) : link_(link) {}

    // Whether a record can be put now and none before it waits for a frame.
    bool has_room() {
        if (!kept_.empty() && !put_kept()) return false;
        return open(sizeof(record_head) + 1);
    }
    // Where there is no room it is kept until there is.
    void put(record_kind kind, std::uint32_t number, std::span<const std::byte> content = {}) {
        const std::size_t bytes = sizeof(record_head) + content.size();
        if (kept_.empty() && bytes <= link_.frame_bytes() && open(bytes))
            return write({number, static_cast<std::uint32_t>(content.size()), kind, false}, content.data());
        kept_.push_back({kind, number, {content.begin(), content.end()}});
        put_kept();
    }

    // The same, and it leaves at once.
    void tell(record_kind kind, std::uint32_t number = 0, std::span<const std::byte> content = {}) {
        put(kind, number, content);
        flush();
    }

    void flush() {
        if (used_ > 0) publish();
    }
    void flush_if_due() {
        if (used_ > 0 && std::chrono::steady_clock::now() - left_ >= spacing) publish();
    }
    // Lets what is kept go, as far as there are frames.
    void progress() {
        if (!kept_.empty()) put_kept();
    }
    // Whether all that was put has been given to the link.
    bool is_empty() const { return used_ == 0 && kept_.empty(); }

private:
    struct kept_record {
        record_kind kind;
        std::uint32_t number;
        std::vector<std::byte> content;
        std::size_t gone = 0;  // bytes of it that have left
    };

    // Makes room for so many bytes in the open frame, or opens the next.
    bool open(std::size_t bytes) {
        if (frame_ && used_ + bytes > link_.frame_bytes()) publish();
        if (!frame_) frame_ = link_.try_acquire();
        return frame_ != nullptr;
    }
    void write(record_head head, const std::byte* content) {
        std::memcpy(frame_ + used_, &head, sizeof head);
        if (head.bytes > 0) std::memcpy(frame_ + used_ + sizeof head, content, head.bytes);
        used_ += sizeof head + head.bytes;
        if (used_ + sizeof head >= link_.frame_bytes()) publish();
    }
    void publish() {
        link_.publish(used_);
        frame_ = nullptr;
        used_ = 0;
        left_ = std::chrono::steady_clock::now();
    }
    // In as many pieces as it takes. False if there are no more frames.
    bool put_kept() {
        while (!kept_.empty()) {
            kept_record& first = kept_.front();
            do {
                if (!open(sizeof(record_head) + 1)) return false;
                const std::size_t left = first.content.size() - first.gone;
                const std::size_t bytes = std::min(left, link_.frame_bytes() - used_ - sizeof(record_head));
                write({first.number, static_cast<std::uint32_t>(bytes), first.kind, bytes < left},
                      first.content.data() + first.gone);
                first.gone += bytes;
            } while (first.gone < first.content.size());
            kept_.pop_front();
        }
        return true;
    }

    frame_link& link_;
    std::byte* frame_ = nullptr;
    std::size_t used_ = 0;
    std::chrono::steady_clock::time_point left_{};
    std::deque<kept_record> kept_;
};

class record_reader {
public:
    explicit record_reader(frame_link& link) : link_(link) {}

    // Gives the next record, if one has come. The old value of `to`, and its bytes, are gone with the next call.
    bool next(record& to) {
        for (;;) {
            if (!open()) return false;
            record_head head;
            std::memcpy(&head, frame_.data() + read_, sizeof head);
            const std::span<const std::byte> content(frame_.data() + read_ + sizeof head, head.bytes);
            read_ += sizeof head + head.bytes;
            if (!head.more && !in_pieces_) {
                to = {head.kind, head.number, content};
                return true;
            }
            if (!in_pieces_) whole_.clear();
            whole_.insert(whole_.end(), content.begin(), content.end());
            in_pieces_ = head.more;
            if (!in_pieces_) {
                to = {head.kind, head.number, whole_};
                return true;
            }
        }
    }
    // Nothing more is to be read: the sender may know that all was.
    void finish() {
        if (frame_.data()) link_.release();
        frame_ = {};
        link_.flush();
    }
    // Whether next() would find something, or might.
    bool may_read() { return read_ < frame_.size() || link_.has_come() || link_.progress(); }

private:
    bool open() {
        if (read_ < frame_.size()) return true;
        if (frame_.data()) {
            link_.release();
            frame_ = {};
        }
        frame_ = link_.try_receive();
        read_ = 0;
        return !frame_.empty();
    }

    frame_link& link_;
    std::span<const std::byte> frame_;
    std::size_t read_ = 0;
    std::vector<std::byte> whole_;  // the pieces so far
    bool in_pieces_ = false;
};

}  // namespace croft::mpi::detail
