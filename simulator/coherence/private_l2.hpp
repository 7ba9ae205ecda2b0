#pragma once
// A second level of private caches: an L2 of one tile, between its L1 and the banks that all share. To the L1 it is the
// home of every line (home_engine.hpp). It is also the post by which the L1 reaches that home, so an L1 need not know
// that it has no bank before it. To the banks it is like MESI's L1s (mesi.hpp). It asks for a copy, or for the line as
// its own before anything is written. Banks tell it when others write, and it gives up the lines that they recall.
//
//     I  not here     S  here     E  owned     M  owned and dirty
//
// The L1 owns nothing (gpu_wt, gpu_wb). Its stores come here, its atomics are carried out here, and its readers drop
// their copies by themselves when they acquire. So a bank never has to wait for the L1. This cache answers a bank at
// once, also while the line waits here for that bank. Nor are lines here ever kept from leaving. The L1 need not have
// the lines that are here, and need not be told that they go. It is told one thing: the loss of a line in which it has
// a reservation (`watched`). That message goes the way of the line with which the reservation began, and cannot
// overtake it.

#include "base/archive.hpp"
#include "coherence/home_engine.hpp"

namespace croftsim {

struct alignas(AnyLine::host_bytes) PrivateLine : AnyLine {
    bool owned = false;            // all of it: nobody else has a copy
    bool watched = false;          // the L1 has a reservation there
    std::uint64_t kept_until = 0;  // for the sake of that
};

class PrivateL2 final : public HomeEngine, public Post {
public:
    struct Counts {  // beside its statistics
        static constexpr bool is_plain = true;
        std::uint64_t hits = 0, misses = 0;            // requests that needed nothing of a bank, or something
        std::uint64_t evictions = 0, write_backs = 0;  // lines; dirty ones among them
        std::uint64_t invalidated = 0;                 // lines that another core's write took away
    };

    PrivateL2(const MachineDescription& machine, const CoreKind& kind, std::uint32_t tile, Post& post,
              CoherenceCheck* check = nullptr);

    // The times that its L1 has to know.
    const HomeTimes& times() const { return times_; }
    // A request of the L1, or something from a bank, arrives at message->time. Takes the message over.
    void receive(Message* message);
    // Whether a message that arrives at the tile is for the L1.
    bool is_for_l1(const Message& message) const;
    const Counts& counts() const { return counts_; }
    void serialise(Archive& archive) {
        HomeEngine::serialise(archive);
        archive(port_, lines_, insists_, counts_);
    }
    PrivateLine* find(std::uint64_t line) { return lines_.find(line); }
    template <class Visit>
    void for_each(Visit visit) {
        lines_.for_each(visit);
    }
    void forget(PrivateLine& line);
    // Everything that decides what happens next, times left aside.
    void digest(Digest& to);

    // ---- the L1's post
    void send(std::uint32_t source, Message* message, std::uint64_t time) override;
    void expect_send(std::uint32_t source, std::uint64_t time) override { post_.expect_send(source, time); }
    void send_self(std::uint32_t node, Message* message, std::uint64_t time) override {
        post_.send_self(node, message, time);
    }
    MessagePool& pool() override { return post_.pool(); }
    AddressSpace& memory() override { return post_.memory(); }
    std::uint32_t home_of(std::uint64_t, std::uint32_t tile) const override { return tile; }
    std::uint32_t controller_of(std::uint64_t line) const override { return post_.controller_of(line); }

private:
    // ---- the home
    void begin(Message* request, std::uint64_t start) override;
    bool install(Message& request, Message& arrival) override;
    void installed(Message* request, std::uint64_t time) override;
    void answered(Message* answer) override;
    void ask_for(const Message& request, std::uint64_t time) override;
    void serve(Message* request, PrivateLine& line, std::uint64_t time, bool is_new);
    PrivateLine& make_room(std::uint64_t address, std::uint64_t time);
    void lose(PrivateLine& line, std::uint64_t time);

    // ---- the requester
    void send_to_bank(Message* message, std::uint64_t time);
    void invalidate(Message* message);
    void recall(Message* message);

    // Whether it takes the line as its own: to write it, or for a load-reserved behind a store-conditional that has
    // failed. The reason and the promise are those of mesi.hpp and l1_messages.cpp.
    bool takes(const Message& request) const {
        return request.kind != MessageKind::read || (request.tracked && insists_);
    }

    const std::uint32_t store_, fill_, drop_;  // cycles
    Port port_;
    BasicLineCache<PrivateLine> lines_;
    bool insists_ = false;
    Counts counts_;
};
static_assert(is_listed<PrivateL2, 328>);

}  // namespace croftsim
