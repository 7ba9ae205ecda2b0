#pragma once
// A link between two processes that carries frames, blocks of bytes, both ways: over MPI's messages, whatever brings
// these. First in, first out; nothing is lost or duplicated. A frame lands in a slot of its reader's: for each slot a
// receive is posted before the sender may send into it, so no frame waits in MPI's own memory to be copied.
//
// Each side has K slots; the other one knows how many are free by counts of frames done with (credit.hpp), which ride
// in front of every frame. Where nothing goes that way a word goes by itself: a frame of nothing but its count.
//
//     if (std::byte* frame = link.try_acquire()) { ...; link.publish(bytes); }
//     if (auto frame = link.try_receive(); frame.data()) { ...; link.release(); }
//
// Nothing waits here, and nothing happens by itself: MPI gets on when it is called, and these calls do that. Who waits
// calls progress() now and then. One thread a side.
//
// Which receive gets which frame. MPI matches messages of one sender and one tag with receives in the order in which
// these were posted, so the next one to complete is always the one posted first of those that have not. A slot whose
// frame is still read keeps no other waiting: others are posted before it is again. A count is heard when its frame
// has come, not when that one is read: or two sides that are full of each other's frames, neither reading before it
// has sent, would wait for counts that lie behind these.
//
// Words of their own take no credit, so they may come while all K slots are full: most_words more receives are posted,
// and each word's is posted again at once.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include <croft/mpi/credit.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi {

struct frame_options {
    std::size_t bytes = 8'192;  // of a frame
    std::uint32_t slots = 16;   // K, on either side
};

class frame_link {
    struct head {
        std::uint32_t done;      // see credit.hpp
        std::uint32_t is_frame;  // or a word by itself
    };

public:
    // Made by both processes, in the same order as other links of theirs, or with a tag that they agree on. Throws
    // `error`.
    frame_link(const processes& group, int peer, int tag, frame_options options = {})
        : comm_(group.comm()),
          peer_(peer),
          tag_(tag),
          bytes_(options.bytes),
          slots_(options.slots),
          window_(options.slots),
          count_(options.slots),
          receives_(options.slots + credit_count::most_words(options.slots)),
          sends_(options.slots) {
        const std::size_t stride = (sizeof(head) + bytes_ + port::cache_line - 1) / port::cache_line * port::cache_line;
        memory_.resize((receives_.size() + sends_.size()) * stride / sizeof(line));
        std::byte* at = memory_.data()->bytes;
        for (slot& each : sends_) each.memory = std::exchange(at, at + stride);
        for (slot& each : receives_) {
            each.memory = std::exchange(at, at + stride);
            detail::check(MPI_Recv_init(each.memory, static_cast<int>(sizeof(head) + bytes_), MPI_BYTE, peer_, tag_,
                                        comm_, &each.request),
                          "preparing to receive from", peer_);
            post(each);
        }
    }
    // Both sides have received all that was sent; or not, and then it is lost.
    ~frame_link() {
        for (slot* each : posted_) {
            MPI_Cancel(&each->request);
            MPI_Wait(&each->request, MPI_STATUS_IGNORE);
        }
        for (slot& each : receives_)
            if (each.request != MPI_REQUEST_NULL) MPI_Request_free(&each.request);
        for (slot& each : sends_)
            if (each.request != MPI_REQUEST_NULL) MPI_Request_free(&each.request);
        if (word_request_ != MPI_REQUEST_NULL) MPI_Request_free(&word_request_);
    }
    frame_link(const frame_link&) = delete;
    frame_link& operator=(const frame_link&) = delete;

    int peer() const { return peer_; }
    std::size_t frame_bytes() const { return bytes_; }

    // All of these throw `error`, which names the peer, if MPI refuses, or the peer has gone.

    // A frame to be written, the same one until publish(); null if there is no room now.
    std::byte* try_acquire() {
        if (!window_.has_room()) {
            progress();
            if (!window_.has_room()) return nullptr;
        }
        slot& next = sends_[window_.sent() % slots_];
        // The peer has received what was in it, so this does not wait for anybody.
        if (next.request != MPI_REQUEST_NULL) finish(next.request, "sending to");
        return next.memory + sizeof(head);
    }
    // Of the frame last acquired so many bytes are to be sent.
    void publish(std::size_t bytes) {
        slot& next = sends_[window_.sent() % slots_];
        const head mine{count_.tell(), 1};
        std::memcpy(next.memory, &mine, sizeof mine);
        window_.sent_one();
        detail::check(
            MPI_Isend(next.memory, static_cast<int>(sizeof(head) + bytes), MPI_BYTE, peer_, tag_, comm_, &next.request),
            "sending to", peer_);
    }
    // Frames that were sent and are not known to have been read.
    std::uint32_t in_flight() const { return window_.in_flight(); }

    // The oldest frame that has come and was not released; no data if there is none.
    std::span<std::byte> try_receive() {
        if (come_.empty()) {
            progress();
            if (come_.empty()) return {};
        }
        return come_.front().content;
    }
    void release() {
        post(*come_.front().in);
        come_.pop_front();
        count_.done_with_one();
        if (count_.is_due()) send_word();
    }
    // Tells the peer of all that was released, if it has not been told: before a wait.
    void flush() {
        if (count_.is_untold()) send_word();
    }

    // Lets MPI get on, and takes note of what has come. True if something has.
    bool progress() {
        bool any = false;
        while (!posted_.empty()) {
            int complete = 0;
            MPI_Status status;
            slot& next = *posted_.front();
            detail::check(MPI_Test(&next.request, &complete, &status), "receiving from", peer_);
            if (!complete) break;
            posted_.pop_front();
            take(next, status);
            any = true;
        }
        return any;
    }
    bool has_come() const { return !come_.empty(); }

    // Whether all that was sent has left: its memory is not read any more.
    bool all_sent() {
        for (slot& each : sends_)
            if (!is_complete(each.request)) return false;
        return is_complete(word_request_);
    }

private:
    struct alignas(port::cache_line) line {
        std::byte bytes[port::cache_line];
    };
    struct slot {
        std::byte* memory = nullptr;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    struct arrival {
        slot* in;
        std::span<std::byte> content;
    };

    void post(slot& one) {
        detail::check(MPI_Start(&one.request), "posting a receive from", peer_);
        posted_.push_back(&one);
    }
    void take(slot& from, const MPI_Status& status) {
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        head told;
        std::memcpy(&told, from.memory, sizeof told);
        window_.hear(told.done);
        if (told.is_frame)
            come_.push_back({&from, {from.memory + sizeof(head), static_cast<std::size_t>(bytes) - sizeof(head)}});
        else
            post(from);
    }
    void send_word() {
        finish(word_request_, "acknowledging to");
        word_ = {count_.tell(), 0};
        detail::check(MPI_Isend(&word_, sizeof word_, MPI_BYTE, peer_, tag_, comm_, &word_request_), "acknowledging to",
                      peer_);
    }
    void finish(MPI_Request& request, const char* doing) {
        detail::check(MPI_Wait(&request, MPI_STATUS_IGNORE), doing, peer_);
    }
    bool is_complete(MPI_Request& request) {
        int complete = 0;
        detail::check(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), "sending to", peer_);
        return complete != 0;
    }

    MPI_Comm comm_;
    int peer_, tag_;
    std::size_t bytes_;
    std::uint32_t slots_;
    credit_window window_;
    credit_count count_;
    std::vector<line> memory_;
    std::vector<slot> receives_, sends_;
    std::deque<slot*> posted_;  // in that order
    std::deque<arrival> come_;  // frames not released
    head word_{};
    MPI_Request word_request_ = MPI_REQUEST_NULL;
};

}  // namespace croft::mpi
