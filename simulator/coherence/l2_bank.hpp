#pragma once
// A bank of the shared L2: the home of its share of the lines for L1s of every protocol (after Spandex, ISCA 2018;
// paper 002, section V.A). It knows, for each line it holds, who has a tracked copy (the sharers: MESI's readers, and
// whoever has a reservation there) and who owns which words, and it answers
//
//     read            a copy; tracked or not, or the line itself if nobody else has a copy (MESI's E)
//     own             bytes that are the requester's alone from now on
//     write_through   bytes written here
//     atomic, store_conditional   carried out here
//     write_back      bytes that their owner gives up
//
// What stands in the way goes first: owners of bytes that the request concerns are asked for them (recall), sharers of
// a line that is written are told (invalidate). Like home.hpp it handles one request for a line at a time: while it
// waits for answers, or for memory, further requests for the line wait here in the order of their arrival. Only bytes
// that an owner gives up are taken at once: the request that waits for them may be the one that waits for that owner.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/line_cache.hpp"
#include "contract/message.hpp"
#include "contract/post.hpp"

namespace croftsim {

struct BankLine : Line {
    std::uint64_t owned = 0;                            // bytes, always whole words, whose latest value an owner has
    std::array<std::uint16_t, line_bytes / 4> owner{};  // of each word of these

    std::uint64_t owned_by(std::uint32_t tile) const;
};

class L2Bank {
public:
    struct Statistics {
        std::uint64_t reads = 0, owns = 0, writes = 0, atomics = 0, write_backs = 0;  // requests served
        std::uint64_t hits = 0, misses = 0, evictions = 0;
        std::uint64_t recalls = 0, invalidations = 0;  // sent
        std::uint64_t memory_reads = 0, memory_writes = 0;
        std::uint64_t busy = 0, waited = 0;  // cycles: of the port; of requests for it
    };

    L2Bank(std::uint32_t node, const MachineDescription& machine, Post& post);

    void receive(Message* message);

    BasicLineCache<BankLine>& lines() { return lines_; }
    // Everything that decides what happens next, times left aside.
    void digest(Digest& to);
    bool idle() const { return transactions_.empty(); }
    // What the line is busy with, if it is, and how many requests wait for that to end.
    enum class Phase : std::uint8_t { fetching, recalling, invalidating, evicting };
    struct Busy {
        Phase phase;
        std::size_t waiting;
    };
    std::optional<Busy> busy_with(std::uint64_t line) {
        const Transaction* const found = find(line);
        return found ? std::optional(Busy{found->phase, found->waiting.size()}) : std::nullopt;
    }
    const Statistics& statistics() const { return statistics_; }
    // A page is gone: what is under way for its lines ends without them.
    void forget(BankLine& line);

private:
    struct Transaction {
        using Phase = L2Bank::Phase;
        std::uint64_t line;
        Phase phase;
        std::uint32_t answers_left;
        Message* current;  // whose request it is; null while evicting
        std::vector<Message*> waiting;
    };
    struct Ended {
        Transaction::Phase phase;
        Message* current;
        std::vector<Message*> waiting;
    };
    Transaction* find(std::uint64_t line);
    Ended take(Transaction& transaction);
    void come_again(const std::vector<Message*>& waiting, std::uint64_t address, std::uint64_t time);
    std::uint64_t use_port(std::uint64_t time, std::uint32_t cycles);

    void request(Message* message, std::uint64_t time);
    void serve(Message* message, BankLine& line, std::uint64_t start, bool recalled);
    void read(Message* message, BankLine& line, std::uint64_t start);
    void own(Message* message, BankLine& line, std::uint64_t start);
    void grant(Message* message, BankLine& line, std::uint64_t time);
    bool perform(Message* message, BankLine& line);
    void answer(Message* message, BankLine* line, std::uint64_t time);
    void answer_after_invalidations(Message* message, BankLine& line, std::uint64_t start);

    std::uint32_t recall_owners(BankLine& line, std::uint64_t bytes, std::uint32_t but, Recall how, std::uint64_t time);
    std::uint32_t invalidate_sharers(BankLine& line, std::uint32_t but, std::uint64_t time);
    void take_back(Message* message);
    std::uint64_t merge(BankLine& line, const Message& message, bool keeps);
    void answered(Message* message);
    void fill(Message* message);
    BankLine* make_room(std::uint64_t address, std::uint64_t time);
    void evict(BankLine& line, std::uint64_t time);
    std::uint64_t leaves(BankLine& line, std::uint64_t time) { return line.sent = std::max(line.sent, time); }

    static constexpr std::uint32_t nobody = ~std::uint32_t{0};
    const std::uint32_t node_;
    const HomeTimes& shape_;
    Post& post_;
    CoherenceCheck* const check_;
    BasicLineCache<BankLine> lines_;
    std::vector<Transaction> transactions_;  // few; in the order in which they began
    std::uint64_t port_free_ = 0;
    Statistics statistics_;
};

}  // namespace croftsim
