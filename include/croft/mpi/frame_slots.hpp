#pragma once
// The memory of one side of a link of messages, and MPI's requests for it. There are slots to receive into and slots to
// send from. Each slot to receive into has a receive that is posted: one persistent request, started again whenever its
// frame was read. frame_link.hpp says what they are for. They are by themselves because they outlive it, until its peer
// has said its last word (lingering.hpp).

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <croft/mpi/error.hpp>
#include <croft/mpi/hello.hpp>
#include <croft/mpi/lingering.hpp>
#include <croft/mpi/request.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi::detail {

// In front of every message of a link.
struct frame_head {
    std::uint32_t done;  // see credit.hpp
    std::uint32_t what;  // twice the mark; and one more for a frame, or nothing for a word by itself

    bool is_frame() const { return what & 1; }
    std::uint32_t mark() const { return what >> 1; }
};
// The mark of the last word.
inline constexpr std::uint32_t mark_of_last = 0x7fff'ffff;

struct frame_slot {
    std::byte* memory = nullptr;             // a head, and what the frame carries, which begins a cache line
    MPI_Request request = MPI_REQUEST_NULL;  // to receive: a persistent one, of the slot's own
    std::size_t bytes = 0;                   // of the frame in it

    std::byte* content() const { return memory + sizeof(frame_head); }
    frame_head head() const {
        frame_head found;
        std::memcpy(&found, memory, sizeof found);
        return found;
    }
};

// Slots in the order of their receives, of which no more than all can be in it.
class slot_queue {
public:
    explicit slot_queue(std::size_t most) : slots_(most) {}
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    frame_slot& front() const { return *slots_[first_]; }
    void push(frame_slot& one) {
        slots_[wrapped(first_ + count_)] = &one;
        ++count_;
    }
    frame_slot& pop() {
        frame_slot& one = *slots_[first_];
        first_ = wrapped(first_ + 1);
        --count_;
        return one;
    }

private:
    std::size_t wrapped(std::size_t i) const { return i < slots_.size() ? i : i - slots_.size(); }

    std::vector<frame_slot*> slots_;
    std::size_t first_ = 0, count_ = 0;
};

class frame_slots {
public:
    // `in`, `out`: how many bytes a message can carry behind its head. Posts all receives, behind one for a hello. MPI
    // refuses where the peer is lost, for example; then the look for the hello tells. Some receives may be posted by
    // then, and their memory has to stay.
    frame_slots(MPI_Comm comm, int peer, int tag, std::size_t receives, std::size_t in, std::size_t sends,
                std::size_t out, const hello& mine)
        : comm_(comm),
          peer_(peer),
          tag_(tag),
          in_bytes_(static_cast<int>(sizeof(frame_head) + in)),
          receives_(receives),
          sends_(sends),
          posted_(receives),
          fixed_(std::make_unique<fixed>()) {
        fixed_->mine = mine;
        // The head ends the line before.
        memory_ = std::make_unique_for_overwrite<line[]>(receives * lines_of(in) + sends * lines_of(out));
        std::byte* at = memory_[0].bytes + sizeof(line) - sizeof(frame_head);
        for (frame_slot& each : sends_) each.memory = std::exchange(at, at + lines_of(out) * sizeof(line));
        for (frame_slot& each : receives_) each.memory = std::exchange(at, at + lines_of(in) * sizeof(line));
        try {
            begin();
        } catch (const error& why) {
            failed_ = why.code();
        }
    }

    int peer() const { return peer_; }
    const hello& mine() const { return fixed_->mine; }
    const hello& theirs() const { return fixed_->theirs; }

    bool has_left(std::uint32_t i) { return sends_[i].request == MPI_REQUEST_NULL || is_complete(sends_[i].request); }
    // The slot to send from next, when its last frame has left. That one was received, or there is no room for this.
    frame_slot& to_send(std::uint32_t i) {
        frame_slot& next = sends_[i];
        if (next.request != MPI_REQUEST_NULL) finish(next.request, "sending to");
        return next;
    }
    void send(std::uint32_t i, frame_head head, std::size_t bytes) {
        frame_slot& from = sends_[i];
        std::memcpy(from.memory, &head, sizeof head);
        send(from.memory, sizeof head + bytes, from.request);
    }
    void send_word(frame_head head) {
        finish(word_request_, "acknowledging to");
        fixed_->word = head;
        send(&fixed_->word, sizeof head, word_request_);
    }

    // If one of these throws, it throws the same again (request.hpp).

    // Whether the peer's hello has come.
    bool has_greeted() { return greeted_ || (greeted_ = has_received(hello_from_, MPI_STATUS_IGNORE)); }
    // The slot of the message that has come next, to be posted again; null if none has come. After the hello.
    frame_slot* take_next() {
        MPI_Status status;
        frame_slot& next = posted_.front();
        if (!has_received(next.request, &status)) return nullptr;
        posted_.pop();
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        next.bytes = static_cast<std::size_t>(bytes) - sizeof(frame_head);
        return &next;
    }
    void post(frame_slot& one) {
        check(MPI_Start(&one.request), "posting a receive from", peer_);
        posted_.push(one);
    }

    // Somebody else looks for messages to several of these (arrivals.hpp). It looks for this request, which is none
    // while something was given and not taken. It gives a message with what MPI has said of it, and the request as MPI
    // has left it.
    void look_together() { looks_together_ = true; }
    void look_alone() { looks_together_ = false; }
    MPI_Request awaited() { return was_given_ || failed_ != MPI_SUCCESS ? MPI_REQUEST_NULL : next_to_come(); }
    void give(MPI_Request request, const MPI_Status& status, int code) {
        next_to_come() = request;
        failed_ = code;
        was_given_ = code == MPI_SUCCESS;
        given_ = status;
    }

    // Whether all that was sent has left: its memory is not read any more.
    bool all_sent() {
        bool all = is_complete(hello_to_);
        all &= is_complete(word_request_);
        for (frame_slot& each : sends_) all &= is_complete(each.request);
        return all;
    }
    // Receives nothing more.
    void withdraw() {
        if (!greeted_) detail::withdraw(hello_from_);
        while (!posted_.empty()) detail::withdraw(posted_.pop().request);
        for (frame_slot& each : receives_) MPI_Request_free(&each.request);  // all are inactive
    }
    // MPI may use the memory for ever.
    void abandon() {
        static_cast<void>(memory_.release());
        static_cast<void>(fixed_.release());
    }

private:
    struct alignas(port::cache_line) line {
        std::byte bytes[port::cache_line];
    };
    // The memory that MPI sends from and receives into beside frames.
    struct fixed {
        hello mine, theirs;
        frame_head word;
    };
    static std::size_t lines_of(std::size_t bytes) { return 1 + (bytes + sizeof(line) - 1) / sizeof(line); }

    void begin() {
        check(MPI_Irecv(&fixed_->theirs, sizeof(hello), MPI_BYTE, peer_, tag_, comm_, &hello_from_),
              "preparing to receive from", peer_);
        for (frame_slot& each : receives_) {
            check(MPI_Recv_init(each.memory, in_bytes_, MPI_BYTE, peer_, tag_, comm_, &each.request),
                  "preparing to receive from", peer_);
            post(each);
        }
        check(MPI_Isend(&fixed_->mine, sizeof(hello), MPI_BYTE, peer_, tag_, comm_, &hello_to_), "sending to", peer_);
    }
    void send(const void* from, std::size_t bytes, MPI_Request& request) {
        check(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, peer_, tag_, comm_, &request), "sending to", peer_);
    }
    MPI_Request& next_to_come() { return greeted_ ? posted_.front().request : hello_from_; }
    // `request` is the next to come.
    bool has_received(MPI_Request& request, MPI_Status* status) {
        if (std::exchange(was_given_, false)) {
            if (status != MPI_STATUS_IGNORE) *status = given_;
            return true;
        }
        if (!looks_together_) return detail::is_complete(request, status, failed_, "receiving from", peer_);
        check(failed_, "receiving from", peer_);
        return false;
    }
    void finish(MPI_Request& request, const char* doing) { check(MPI_Wait(&request, MPI_STATUS_IGNORE), doing, peer_); }
    bool is_complete(MPI_Request& request) { return detail::is_complete(request, "sending to", peer_); }

    MPI_Comm comm_;
    int peer_, tag_, in_bytes_;
    bool greeted_ = false, looks_together_ = false, was_given_ = false;
    MPI_Status given_;
    std::vector<frame_slot> receives_, sends_;
    slot_queue posted_;
    int failed_ = MPI_SUCCESS;  // what MPI said of a receive
    std::unique_ptr<line[]> memory_;
    std::unique_ptr<fixed> fixed_;
    MPI_Request word_request_ = MPI_REQUEST_NULL, hello_to_ = MPI_REQUEST_NULL, hello_from_ = MPI_REQUEST_NULL;
};

// Receives up to the peer's last word.
class lingering_slots final : public lingering {
public:
    lingering_slots(frame_slots&& slots, bool last_has_come)
        : slots_(std::move(slots)), last_has_come_(last_has_come) {}

    bool has_ended() override {
        if (failed_) return false;
        try {
            while (!last_has_come_ && slots_.has_greeted()) {
                // A link of another transport says nothing that could be received here.
                if (slots_.theirs().transport != slots_.mine().transport) last_has_come_ = true;
                if (last_has_come_) break;
                frame_slot* const next = slots_.take_next();
                if (!next) break;
                last_has_come_ = !next->head().is_frame() && next->head().mark() == mark_of_last;
                slots_.post(*next);
            }
            if (!last_has_come_ || !slots_.all_sent()) return false;
            slots_.withdraw();
            return true;
        } catch (const error&) {
            failed_ = true;
            return false;
        }
    }
    bool has_failed() const override { return failed_; }
    void abandon() override { slots_.abandon(); }

private:
    frame_slots slots_;
    bool last_has_come_, failed_ = false;
};

}  // namespace croft::mpi::detail
