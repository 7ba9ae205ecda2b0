#pragma once
// A link like frame_link.hpp's, with its calls, over one-sided communication. Frames are put into slots in the reader's
// memory, an MPI window that the two share. It is there to compare. Where MPI carries puts by messages of its own, as
// most do within a node, it is slower than messages that carry the same.
//
// What says that a frame is there? MPI 3.1 has no put with a notification, and orders nothing between two puts. So a
// frame is put, and the flush waits until it is in the reader's memory. Then the number of frames so far replaces a
// word there, by an accumulate, which MPI makes atomic. Counts of frames done with come back the same way, in the same
// word as the signal. A count that is overwritten before anybody has looked is like one that was lost: the later one
// says all that it said (credit.hpp). The reader looks at the words in its own memory. In MPI's unified model of
// memory, that memory shows what was put (MPI 3.1, 11.4 and 11.7). Other models are refused.
//
// Where MPI carries puts by messages, the flush makes publish() wait until the peer calls MPI the next time. So this
// link does wait, unlike its sibling.
//
// Made by both processes at the same time: creating a window waits for the other side.

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <croft/mpi/credit.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/hello.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi {

class put_link {
    struct head {
        std::uint32_t bytes;
        std::uint32_t mark;
    };

public:
    static constexpr std::uint32_t transport = 1;

    // Waits for the peer. Throws `error`.
    put_link(const processes& group, int peer, int tag, frame_options options = {})
        : peer_(peer),
          bytes_(options.bytes),
          slots_(options.slots),
          stride_(lead + (options.bytes + lead - 1) / lead * lead),
          window_(options.slots),
          count_(options.slots) {
        const detail::hello mine{transport, options.way, bytes_, options.element, slots_, 0};
        detail::hello theirs;
        detail::check(MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, peer, tag, &theirs, sizeof theirs, MPI_BYTE, peer, tag,
                                   group.comm(), MPI_STATUS_IGNORE),
                      "agreeing with", peer_);
        if (theirs.transport != mine.transport) group.leave_communicator();  // it sends on
        detail::check_fit(mine, theirs, peer_);
        make_pair(group, peer, tag);
        const std::size_t slots = options.way == direction::out ? 0 : slots_;
        const std::size_t size = words_size + (slots + (options.way == direction::in ? 0 : 1)) * stride_;
        std::byte* base = nullptr;
        detail::check(MPI_Win_allocate(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, pair_, &base, &shared_),
                      "making a window with", peer_);
        MPI_Win_set_errhandler(shared_, MPI_ERRORS_RETURN);
        int* model = nullptr;
        int known = 0;
        MPI_Win_get_attr(shared_, MPI_WIN_MODEL, &model, &known);
        std::memset(base, 0, words_size);
        memory_ = base;
        outgoing_ = base + words_size + slots * stride_ + lead - sizeof(head);
        detail::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, shared_), "opening a window with", peer_);
        MPI_Win_sync(shared_);
        detail::check(MPI_Barrier(pair_), "making a window with", peer_);
        if (!known || *model != MPI_WIN_UNIFIED) {
            free();
            throw error("croft::mpi: this MPI's windows are not of the unified memory model, which puts need", peer_);
        }
    }
    // Waits for the peer to do the same.
    ~put_link() { free(); }
    put_link(const put_link&) = delete;
    put_link& operator=(const put_link&) = delete;

    int peer() const { return peer_; }
    std::size_t frame_bytes() const { return bytes_; }

    std::byte* try_acquire() {
        if (!window_.has_room()) {
            progress();
            if (!window_.has_room()) return nullptr;
        }
        return outgoing_ + sizeof(head);
    }
    void publish(std::size_t bytes, std::uint32_t mark = 0) {
        const head mine{static_cast<std::uint32_t>(bytes), mark};
        std::memcpy(outgoing_, &mine, sizeof mine);
        const std::size_t to = words_size + next_out_ * stride_ + lead - sizeof(head);
        const int size = static_cast<int>(sizeof(head) + bytes);
        detail::check(MPI_Put(outgoing_, size, MPI_BYTE, other_, static_cast<MPI_Aint>(to), size, MPI_BYTE, shared_),
                      "putting to", peer_);
        detail::check(MPI_Win_flush(other_, shared_), "putting to", peer_);
        window_.sent_one();
        next_out_ = next_out_ + 1 < slots_ ? next_out_ + 1 : 0;
        replace(published_at, window_.sent());
    }
    std::uint32_t in_flight() const { return window_.in_flight(); }

    std::span<std::byte> try_receive() {
        if (!has_come()) {
            progress();
            if (!has_come()) return {};
        }
        std::byte* const from = next_slot();
        head told;
        std::memcpy(&told, from, sizeof told);
        return {from + sizeof(head), told.bytes};
    }
    std::uint32_t mark() const {
        head told;
        std::memcpy(&told, next_slot(), sizeof told);
        return told.mark;
    }
    void release() {
        ++taken_;
        next_in_ = next_in_ + 1 < slots_ ? next_in_ + 1 : 0;
        count_.done_with_one();
        if (count_.is_due()) tell();
    }
    void flush() {
        if (count_.is_untold()) tell();
    }

    void signal(std::uint32_t mark) {
        signal_ = mark;
        tell();
    }
    std::uint32_t signalled() const { return signalled_; }

    // Never: a process that destroys its side waits for the other.
    bool peer_has_gone() const { return false; }

    bool progress() {
        // Lets MPI get on, where it carries puts itself; then makes seen what they have put.
        int any = 0;
        detail::check(MPI_Iprobe(other_, 0, pair_, &any, MPI_STATUS_IGNORE), "receiving from", peer_);
        detail::check(MPI_Win_sync(shared_), "receiving from", peer_);
        const std::uint64_t told = look(told_at);
        bool news = window_.hear(static_cast<std::uint32_t>(told));
        if (told >> 32) signalled_ = static_cast<std::uint32_t>(told >> 32);
        const auto published = static_cast<std::uint32_t>(look(published_at));
        news |= published != published_;
        published_ = published;
        return news;
    }
    bool has_come() const { return published_ != taken_; }
    bool all_sent() { return true; }

private:
    static constexpr std::size_t lead = port::cache_line;
    // Two words, in lines of their own, before the slots.
    static constexpr std::size_t published_at = 0, told_at = lead, words_size = 2 * lead;

    // A communicator of the two. By them alone: others need not come.
    void make_pair(const processes& group, int peer, int tag) {
        MPI_Group all, both;
        MPI_Comm_group(group.comm(), &all);
        const int ranks[] = {std::min(group.rank(), peer), std::max(group.rank(), peer)};
        MPI_Group_incl(all, 2, ranks, &both);
        const int code = MPI_Comm_create_group(group.comm(), both, tag, &pair_);
        MPI_Group_free(&both);
        MPI_Group_free(&all);
        detail::check(code, "making a communicator with", peer_);
        MPI_Comm_set_errhandler(pair_, MPI_ERRORS_RETURN);
        other_ = group.rank() < peer ? 1 : 0;
    }
    void free() {
        MPI_Win_unlock_all(shared_);
        MPI_Win_free(&shared_);
        MPI_Comm_free(&pair_);
    }
    std::byte* next_slot() const { return memory_ + words_size + next_in_ * stride_ + lead - sizeof(head); }
    std::uint64_t look(std::size_t at) const {
        auto& word = *reinterpret_cast<std::uint64_t*>(memory_ + at);
        return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_acquire);
    }
    void tell() { replace(told_at, static_cast<std::uint64_t>(signal_) << 32 | count_.tell()); }
    void replace(std::size_t at, std::uint64_t value) {
        detail::check(MPI_Accumulate(&value, 1, MPI_UINT64_T, other_, static_cast<MPI_Aint>(at), 1, MPI_UINT64_T,
                                     MPI_REPLACE, shared_),
                      "telling", peer_);
        detail::check(MPI_Win_flush(other_, shared_), "telling", peer_);
    }

    int peer_, other_ = 0;
    std::size_t bytes_;
    std::uint32_t slots_;
    std::size_t stride_;
    credit_window window_;
    credit_count count_;
    std::uint32_t next_out_ = 0, next_in_ = 0;  // slots
    std::uint32_t published_ = 0, taken_ = 0;   // of the frames that come
    std::uint32_t signal_ = 0, signalled_ = 0;
    MPI_Comm pair_ = MPI_COMM_NULL;
    MPI_Win shared_ = MPI_WIN_NULL;
    std::byte* memory_ = nullptr;
    std::byte* outgoing_ = nullptr;  // the one frame that is written: a flush is behind it before the next
};

}  // namespace croft::mpi
