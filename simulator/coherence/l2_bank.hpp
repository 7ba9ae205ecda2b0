#pragma once
// A bank of the shared L2 (Spandex, ISCA 2018; paper 002, section V.A). It is the home of its share of the lines, for
// L1s of every protocol. For each line here it knows the sharers, which have a tracked copy: MESI's readers, and cores
// that have a reservation there. It also knows who owns which words. It answers
//
//     read            a copy; tracked or not, or the line itself if nobody else has a copy (MESI's E)
//     own             bytes that are the requester's alone from now on
//     write_through   bytes written here
//     atomic, store_conditional   carried out here
//     write_back      bytes that their owner gives up
//
// Whatever is in the way goes first. The bank recalls the bytes that the request needs from their owners, and
// invalidates the sharers of a line that is written. Meanwhile further requests for the line wait (home_engine.hpp).
// Only bytes that an owner gives up are taken at once, because the request that waits for them may wait for that owner.
//
// If a line comes and its set is full, it makes one other line leave, once. If owners or sharers of the other line have
// to be waited for, the new line waits in the other's transaction. At its end the new line gets the place, before
// anybody who waits for the line that has left. So no two wait for each other: owners and sharers answer without
// waiting for a bank.

#include <cstdint>

#include "base/archive.hpp"
#include "cache/line_cache.hpp"
#include "coherence/home_engine.hpp"
#include "coherence/word_owners.hpp"

namespace croftsim {

struct alignas(AnyLine::host_bytes) BankLine : AnyLine, OwnedWords {};

class L2Bank final : public HomeEngine {
public:
    struct Counts {  // beside its statistics
        static constexpr bool is_plain = true;
        std::uint64_t owns = 0, write_backs = 0;  // requests served
        std::uint64_t hits = 0, misses = 0, evictions = 0;
        std::uint64_t recalls = 0;  // sent
    };

    L2Bank(std::uint32_t node, const MachineDescription& machine, Post& post, CoherenceCheck* check = nullptr);

    // As any home; and bytes that an owner gives up.
    void receive(Message* message) {
        message->kind == MessageKind::write_back ? take_back(message) : HomeEngine::receive(message);
    }

    BasicLineCache<BankLine>& lines() { return lines_; }
    const WordOwners& owners() const { return owners_; }
    // Everything that decides what happens next, times left aside.
    void digest(Digest& to);
    const Counts& counts() const { return counts_; }
    void serialise(Archive& archive) {
        HomeEngine::serialise(archive);
        archive(port_, lines_, owners_, counts_);
        lines_.for_each([&](BankLine& line) {
            if (!owners_.has(line)) Archive::damaged();
        });
    }
    // A line that nobody keeps or waits for goes.
    void forget(BankLine& line);

private:
    void begin(Message* request, std::uint64_t start) override;
    bool install(Message& request, Message& arrival) override;
    void installed(Message* request, std::uint64_t time) override;
    void answered(Message* answer) override;

    SharerSet sharers(const BankLine& line) { return lines_.sharers(line); }
    void serve(Message* message, BankLine& line, std::uint64_t start, bool recalled);
    void read(Message* message, BankLine& line, std::uint64_t start);
    void own(Message* message, BankLine& line, std::uint64_t start);
    void grant(Message* message, BankLine& line, std::uint64_t time);
    void answer_after_invalidations(Message* message, BankLine& line, std::uint64_t start);

    std::uint32_t recall_owners(BankLine& line, std::uint64_t bytes, std::uint32_t but, Recall how, std::uint64_t time);
    std::uint32_t invalidate_sharers(BankLine& line, std::uint32_t but, std::uint64_t time);
    void take_back(Message* message);
    std::uint64_t merge(BankLine& line, const Message& message, bool keeps);
    BankLine* make_room(Message& arrival);
    void evict(BankLine& line, std::uint64_t time);
    std::uint64_t leaves(BankLine& line, std::uint64_t time) { return line.sent = std::max(line.sent, time); }

    static constexpr std::uint32_t nobody = ~std::uint32_t{0};
    Port port_;
    BasicLineCache<BankLine> lines_;
    WordOwners owners_;
    Counts counts_;
};
static_assert(is_listed<L2Bank, 352>);

}  // namespace croftsim
