#pragma once
// A link between two processes that carries frames, blocks of bytes, both ways or one, over MPI's messages, whatever
// brings these. First in, first out; nothing is lost or duplicated. A frame lands in a slot of its reader's. For each
// slot a receive is posted before the sender may send into it, so no frame waits in MPI's own memory to be copied.
//
// Each side has K slots. The other side knows how many are free by counts of frames done with (credit.hpp), which ride
// in front of every frame. Where nothing goes that way a word goes by itself: a frame of nothing but its count.
//
//     if (std::byte* frame = link.try_acquire()) link.publish(write(frame));
//     if (auto frame = link.try_receive(); frame.data()) read(frame), link.release();
//
// Nothing waits here, and nothing happens by itself: MPI gets on when it is called, and these calls do that. A thread
// that waits calls progress() now and then. One thread a side.
//
// Which receive gets which frame. MPI matches messages of one sender and one tag with receives in the order in which
// these were posted. So the next one to complete is always the one posted first of those that have not. A slot whose
// frame is still read keeps no other waiting: others are posted before it is again. A count is heard when its frame has
// come, not when that frame is read. Otherwise two sides that are full of each other's frames would wait for counts
// that lie behind these, neither reading before it has sent.
//
// Words of their own take no credit, so they may come while all K slots are full. So most_words more receives are
// posted, and each word's is posted again at once; and one more for the signal. If more are under way, of words said
// early (flush()), MPI keeps these eight bytes until a receive is posted again. That is slower, and nothing else.
//
// The first message of each side says what it has been made as (hello.hpp), and the first receive is for it. So options
// that differ are told at the first call that looks, on both sides, before anything else is looked at.
//
// Siblings: put_link.hpp (the same, but its frames are put into the reader's memory).

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <croft/mpi/credit.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_slots.hpp>
#include <croft/mpi/hello.hpp>
#include <croft/mpi/processes.hpp>

namespace croft::mpi {

// A frame's bytes, unless told otherwise: somewhat below 8 KiB, up to where MPICH's UCX sends a message in one piece. A
// message of 8,128 bytes goes in two. For 8,192 the receiver has to ask the sender for it, and the sender has to get on
// meanwhile. Items of 640 KB that two processes divide then took 2.9 ms and more instead of 1.7. Open MPI does not
// mind.
inline constexpr std::size_t usual_frame_bytes = 8'000;

struct frame_options {
    std::size_t bytes = usual_frame_bytes;
    std::uint32_t slots = 16;  // K, on either side
    direction way = direction::both;
    std::uint64_t element = 0;  // what both sides say that a message takes, in bytes; it is only compared
};

class frame_link {
public:
    static constexpr std::uint32_t transport = 0;

    // Both processes make it, in the same order as other links of theirs, or with a tag that they agree on. Destroy it
    // before the group. Throws `error`.
    frame_link(const processes& group, int peer, int tag, frame_options options = {})
        : group_(group),
          slot_count_(options.slots),
          bytes_(options.bytes),
          window_(options.slots),
          count_(options.slots),
          slots_(group.comm(), peer, tag, receives_of(options), options.way == direction::out ? 0 : options.bytes,
                 options.way == direction::in ? 0 : options.slots, options.bytes,
                 {transport, options.way, options.bytes, options.element, options.slots, 0}),
          come_(receives_of(options)),
          read_(receives_of(options)) {}
    // Frames that were sent arrive; those that have not been received are lost. Waits for nobody: lingering.hpp.
    ~frame_link() {
        try {
            slots_.send_word({0, detail::mark_of_last << 1});
            group_.keep(std::make_unique<detail::lingering_slots>(std::move(slots_), has_gone_));
        } catch (...) {
            slots_.abandon();
            group_.leave_communicator();
        }
    }
    frame_link(const frame_link&) = delete;
    frame_link& operator=(const frame_link&) = delete;

    int peer() const { return slots_.peer(); }
    std::size_t frame_bytes() const { return bytes_; }

    // All of these throw `error`, which names the peer, if MPI refuses, or the peer has gone, or its side of the link
    // is made otherwise.

    // A frame to be written, the same one until publish(); null if there is no room now. It begins a cache line.
    std::byte* try_acquire() {
        while (!window_.has_room())
            if (!take_next()) return nullptr;
        // One that has left already is the nearest: its lines are in this core's cache. Else the one used longest ago.
        if (!slots_.has_left(next_)) next_ = next_ + 1 < slot_count_ ? next_ + 1 : 0;
        return slots_.to_send(next_).content();
    }
    // Sends so many bytes of the frame last acquired, with a mark that the reader finds: less than 2^31 - 1.
    void publish(std::size_t bytes, std::uint32_t mark = 0) {
        slots_.send(next_, {count_.tell(), mark << 1 | 1}, bytes);
        window_.sent_one();
    }
    // Frames that were sent and are not known to have been read.
    std::uint32_t in_flight() const { return window_.in_flight(); }

    // The oldest frame that has come and was not released; no data if there is none.
    std::span<std::byte> try_receive() {
        while (come_.empty())
            if (!take_next()) return {};
        return {come_.front().content(), come_.front().bytes};
    }
    // Its mark.
    std::uint32_t mark() const { return come_.front().head().mark(); }
    void release() {
        read_.push(come_.pop());
        if (count_.is_due(static_cast<std::uint32_t>(read_.size()))) post_all();
    }
    // Tells the peer of all that was released, if it has not been told: before a wait of the peer's for just that. For
    // room it need not: it is told in time.
    void flush() {
        post_all();
        if (count_.is_untold()) slots_.send_word({count_.tell(), 0});
    }

    // Past all frames, even if there is no room: once in the life of a link. A mark that is not 0, and as above.
    void signal(std::uint32_t mark) { slots_.send_word({count_.tell(), mark << 1}); }
    // The peer's, or 0. It is heard when the link looks.
    std::uint32_t signalled() const { return signalled_; }

    // Whether the peer has destroyed its side, behind all that has come.
    bool peer_has_gone() const { return has_gone_; }

    // Lets MPI get on, and takes note of what has come. True if something has.
    bool progress() {
        bool any = false;
        while (take_next()) any = true;
        return any;
    }
    bool has_come() const { return !come_.empty(); }
    // For whoever looks for several (arrivals.hpp).
    detail::frame_slots& slots() { return slots_; }

    // Whether all that was sent has left: its memory is not read any more.
    bool all_sent() { return slots_.all_sent(); }

private:
    // One for each slot that a peer may send into, and for its words, and its signal.
    static std::size_t receives_of(const frame_options& options) {
        return std::size_t{options.way == direction::out ? 0 : options.slots} +
               (options.way == direction::in ? 0 : credit_count::most_words(options.slots)) + 1;
    }

    // Takes note of the message that has come next. False if none has.
    bool take_next() {
        if (!greeted_ && !greet()) return false;
        detail::frame_slot* const next = slots_.take_next();
        if (!next) {
            if (!read_.empty()) post_one();
            return false;
        }
        const detail::frame_head told = next->head();
        window_.hear(told.done);
        if (told.is_frame()) {
            come_.push(*next);
            return true;
        }
        if (told.mark() == detail::mark_of_last)
            has_gone_ = true;
        else if (told.mark())
            signalled_ = told.mark();
        slots_.post(*next);
        return true;
    }
    // A slot is done with when its receive is posted again, and then the peer is told so. There is time for that while
    // nothing comes; at the latest when a word is owed for it. (So it is not between a message and the answer to it.)
    void post_one() {
        slots_.post(read_.pop());
        count_.done_with_one();
        if (count_.is_due()) slots_.send_word({count_.tell(), 0});
    }
    void post_all() {
        while (!read_.empty()) post_one();
    }
    [[gnu::noinline]] bool greet() {
        if (!slots_.has_greeted()) return false;
        detail::check_fit(slots_.mine(), slots_.theirs(), peer());
        return greeted_ = true;
    }

    const processes& group_;
    std::uint32_t slot_count_, next_ = 0;  // to be written
    std::size_t bytes_;
    bool greeted_ = false, has_gone_ = false;
    std::uint32_t signalled_ = 0;
    credit_window window_;
    credit_count count_;
    detail::frame_slots slots_;
    detail::slot_queue come_;  // frames not released
    detail::slot_queue read_;  // released, and not posted again
};

}  // namespace croft::mpi
