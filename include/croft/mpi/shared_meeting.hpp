#pragma once
// How two processes of one node come to have a channel's memory in common, while neither waits for the other to make
// its end. The maker, whose end reads, makes the memory and offers it at once, by a message of MPI's. That is the last
// kind of message between the two. The other process maps the memory when the offer has come, and says so. These
// messages also carry what each has to know to ring the other.
//
//     maker                                 the other one
//     hello, offer: memory, doorbell        hello
//                                           (a hello and an offer have come) maps; answer: doorbell, or why it failed
//     (a hello and an answer have come)
//
// So the other process has all it needs to send once the maker's end is made, whatever the maker is doing. The maker
// has all it needs to receive, and acknowledge, before anything comes. Suppose the two waited for each other when they
// are made. Then a ring of processes, each of which first makes the end that it sends by, would wait for ever.
//
// step() gets on, of the owner's thread. An end that is destroyed says so at once (let_go), and leaves this behind for
// what MPI still uses (lingering.hpp).

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <croft/mpi/error.hpp>
#include <croft/mpi/hello.hpp>
#include <croft/mpi/lingering.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/request.hpp>
#include <croft/mpi/shared_memory.hpp>
#include <croft/mpi/waiter.hpp>
#include <croft/port/between_processes.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi::detail {

class shared_meeting final : public lingering {
public:
    // `mine`: what the two compare. `size`: of the memory, the same in both. The maker may write it before anything
    // else: memory() is null if there is none, and then step() says why, at both.
    shared_meeting(const processes& group, int peer, int tag, const hello& mine, bool is_maker, std::size_t size,
                   waiter& own)
        : group_(group),
          peer_(peer),
          tag_(tag),
          is_maker_(is_maker),
          size_((size + port::cache_line - 1) / port::cache_line * port::cache_line),
          fixed_(std::make_unique<fixed>()) {
        fixed_->mine = mine;
        fixed_->given.process = os::process::this_one();
        attempt([&] {
            fixed_->given.bell = own.named();
            if (!is_maker_) return;
            memory_ = shared_memory(size_ + port::cache_line);
            fixed_->given.memory = memory_.named();
        });
        receive(fixed_->theirs, hello_from_);
        receive(fixed_->taken, offer_from_);
        send(fixed_->mine, hello_to_);
        if (!is_maker_ && failed_) tell();
    }

    int peer() const { return peer_; }
    unsigned char* memory() const { return memory_.data(); }
    const os::process& process_of_peer() const { return fixed_->taken.process; }
    // Rings the peer; until the two have met, nobody.
    waiter& other() { return other_; }

    // By the maker, once: its writes there may be seen.
    void make_offer() { tell(); }
    // True once the two have met. Throws `error`, at both, if they were made differently, or have no memory in common.
    bool step() {
        if (has_met_) [[likely]]
            return true;
        if (failed_) throw error(*failed_);
        if (!greeted_) {
            if (!has_received(hello_from_)) return false;
            greeted_ = true;
            attempt([&] { check_fit(fixed_->mine, fixed_->theirs, peer_); });
            if (failed_) group_.leave_communicator();  // the peer may have sent what nobody will receive
        }
        if (failed_) throw error(*failed_);
        if (!has_received(offer_from_)) return false;
        // MPI promises nothing about what was written beside a message. A fence on either side of it does: it is sent
        // and received in this memory, by atomics.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        meet();
        if (failed_) throw error(*failed_);
        return has_met_ = true;
    }

    // Whether the peer's end is gone. Acquire: all that it did before is then visible.
    bool peer_is_gone() const { return has_met_ && gone().load(std::memory_order_acquire) != 0; }

    // ---- its end is destroyed ----

    // At once, because nobody may call the rest of this for long. A maker has offered all that the other process needs,
    // and its channel says that it has left. The other process answers, if it has not, that it is not coming.
    void let_go() {
        if (is_maker_ || failed_) return;
        if (has_met_) {
            gone().store(1, std::memory_order_release);  // release: see peer_is_gone()
            return other_.notify();
        }
        failed_.emplace(
            "croft::mpi: rank " + std::to_string(group_.rank()) + " has destroyed its end of a channel without close()",
            group_.rank());
        tell();
    }
    bool has_ended() override {
        try {
            if (has_met_ || (!failed_ && step())) return all_complete(hello_to_, offer_to_);
            if (!failed_) return false;
            // The peer's messages are received, if its hello speaks of the same.
            if (!is_complete(hello_from_)) return false;
            check_fit(fixed_->mine, fixed_->theirs, peer_);
            return all_complete(offer_from_, hello_to_, offer_to_);
        } catch (const error&) {
            for (MPI_Request* each : {&hello_from_, &offer_from_})
                if (*each != MPI_REQUEST_NULL) withdraw(*each);
            if (hello_to_ != MPI_REQUEST_NULL || offer_to_ != MPI_REQUEST_NULL) abandon();
            return true;
        }
    }
    bool has_failed() const override { return false; }
    // MPI may use it for ever.
    void abandon() override { static_cast<void>(fixed_.release()); }

private:
    struct offer {
        os::process process{};
        waiter::name bell{};
        shared_memory::name memory{};
        int failed_at = no_rank;
        char failure[252] = {};  // empty: none
    };
    // The memory that MPI sends from and receives into.
    struct fixed {
        hello mine, theirs;
        offer given, taken;
    };
    static_assert(std::is_trivially_copyable_v<offer>);

    void meet() {
        const offer& taken = fixed_->taken;
        if (taken.failure[0]) {
            failed_.emplace(taken.failure, taken.failed_at);
            if (!is_maker_) tell();  // the maker receives one answer, whatever it is
            return;
        }
        if (!is_maker_) attempt([&] { memory_ = shared_memory(taken.memory, peer_); });
        attempt([&] { other_.ring_at(taken.bell, peer_); });
        if (!is_maker_) tell();
        memory_.close();  // both have it
        // For what the owner has said before it could ring: that it has left.
        if (!failed_) other_.notify();
    }
    void tell() {
        if (failed_) {
            fixed_->given.failed_at = failed_->rank();
            std::snprintf(fixed_->given.failure, sizeof fixed_->given.failure, "%s", failed_->what());
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);  // as in step()
        send(fixed_->given, offer_to_);
    }
    template <class Action>
    void attempt(Action action) {
        if (failed_) return;
        try {
            action();
        } catch (const error& thrown) {
            failed_ = thrown;
        }
    }
    // Behind the lines of the channel, in one of its own. A maker that has just made the memory finds zeros there.
    std::atomic<std::uint32_t>& gone() const {
        return *reinterpret_cast<std::atomic<std::uint32_t>*>(memory_.data() + size_);
    }

    template <class T>
    void send(const T& what, MPI_Request& request) {
        check(MPI_Isend(&what, sizeof what, MPI_BYTE, peer_, tag_, group_.comm(), &request), "sharing memory with",
              peer_);
    }
    template <class T>
    void receive(T& what, MPI_Request& request) {
        check(MPI_Irecv(&what, sizeof what, MPI_BYTE, peer_, tag_, group_.comm(), &request), "sharing memory with",
              peer_);
    }
    // All of them get on, whichever is complete.
    template <class... Requests>
    bool all_complete(Requests&... requests) {
        bool all = true;
        ((all &= is_complete(requests)), ...);
        return all;
    }
    bool is_complete(MPI_Request& request) { return detail::is_complete(request, "sharing memory with", peer_); }
    bool has_received(MPI_Request& request) {
        return detail::is_complete(request, MPI_STATUS_IGNORE, refused_, "sharing memory with", peer_);
    }

    const processes& group_;
    int peer_, tag_;
    bool is_maker_, greeted_ = false, has_met_ = false;
    std::size_t size_;
    std::optional<error> failed_;
    int refused_ = MPI_SUCCESS;  // what MPI said of a receive
    shared_memory memory_;
    waiter other_;
    std::unique_ptr<fixed> fixed_;
    MPI_Request hello_to_ = MPI_REQUEST_NULL, hello_from_ = MPI_REQUEST_NULL;
    MPI_Request offer_to_ = MPI_REQUEST_NULL, offer_from_ = MPI_REQUEST_NULL;
};

}  // namespace croft::mpi::detail
