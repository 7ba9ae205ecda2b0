#pragma once
// The part that every home has, whatever its directory knows. There are two kinds: a tile whose L2 has lines homed
// there (home.hpp), and a cache behind the L1s at any level (cache_level.hpp).
//
// A home handles one request for a line at a time. While the line comes from memory, or others are asked about it, the
// line has a *transaction*. Further requests for the line wait there in the order of their arrival. When the
// transaction is over they begin anew in that order. So the order in which a home serves a line's requests is the
// line's coherence order. A request keeps the home's port for some cycles, and those behind it wait for the port.
//
// A kind of home says four things:
//
//   begin      how it serves a request that nothing keeps waiting
//   install    where it puts a line that has come
//   installed  how the request that waited for the line goes on
//   answered   how it uses the answers of others
//   demand     how it obeys its own home, if it has one

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.hpp"
#include "cache/line_cache.hpp"
#include "cache/port.hpp"
#include "contract/description.hpp"
#include "contract/message.hpp"
#include "contract/post.hpp"
#include "contract/unexpected.hpp"

namespace croftsim {

class CoherenceCheck;

class HomeEngine {
public:
    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t reads = 0, writes = 0, atomics = 0;  // requests served
        std::uint64_t memory_reads = 0, memory_writes = 0;
        std::uint64_t invalidations = 0;  // sent
        std::uint64_t busy = 0;           // cycles for which requests kept the port
        std::uint64_t waited = 0;         // cycles requests waited for the port
    };
    // The reason for which a line is busy.
    enum class Phase : std::uint8_t { filling, recalling, invalidating, evicting, obeying };
    struct Busy {
        Phase phase;
        std::size_t waiting;  // requests
    };

    // A request, answer or line arrives at message->time. Takes the message over.
    void receive(Message* message);

    std::optional<Busy> busy_with(std::uint64_t line) const;
    bool idle() const { return transactions_.empty(); }
    // Whether it is busy with a line inside.
    template <class Inside>
    bool is_busy(Inside inside) const {
        return std::ranges::any_of(transactions_, [&](const Transaction& one) { return inside(one.line); });
    }
    // Lines that have come and wait for their places, with what brought them, and answers that wait for memory.
    template <class Visit>
    void for_each_waiting_line(Visit visit) {
        for (Transaction& one : transactions_)
            if (one.current && (one.phase == Phase::evicting || one.current->kind == MessageKind::data))
                visit(*one.current);
    }
    const Statistics& statistics() const { return statistics_; }
    void serialise(Archive& archive) { archive(statistics_, transactions_); }  // whose port it is keeps that

protected:
    struct Transaction {
        std::uint64_t line;
        Phase phase;
        std::uint32_t answers_left;
        Message* current;  // whose request it is; while evicting, what is to have the line's place, or null; while
                           // obeying, the demand
        std::vector<Message*> waiting;
        bool came = false;          // of one that fills: the line is here, and looks for its place
        bool by_owner = false;      // an owner has answered the request, or will have
        Message* demand = nullptr;  // of the home's own home, which comes before those that wait
        void serialise(Archive& archive) {
            archive(line, phase, answers_left, current, waiting, came, by_owner, demand);
        }
    };

    // `port` outlives it. `check`: null unless the run is checked.
    HomeEngine(std::uint32_t node, const HomeTimes& times, Port& port, Post& post, CoherenceCheck* check)
        : node_(node), times_(times), post_(post), check_(check), port_(port) {}
    ~HomeEngine() = default;
    HomeEngine(const HomeEngine&) = delete;
    HomeEngine& operator=(const HomeEngine&) = delete;

    // ---- what a kind of home says

    // The request has the port from `start` on, and its line has no transaction.
    virtual void begin(Message* request, std::uint64_t start) = 0;
    // Gives the line that the request needs a place; `arrival` says that it is here. False if there is no room now:
    // then `arrival` comes again, at the end of the eviction that has begun for it, or by retry().
    virtual bool install(Message& request, Message& arrival) = 0;
    // The line has its place, and the request goes on.
    virtual void installed(Message* request, std::uint64_t time) = 0;
    // A sharer or an owner answers, for the line's transaction. Ends with take_answer().
    virtual void answered(Message* answer) = 0;
    // Asks whoever has the line that the request needs; if that is not memory, it answers as memory does.
    virtual void ask_for(const Message& request, std::uint64_t time);
    // The home's own home demands the line. A line has no two demands at a time.
    virtual void demand(Message* demand, std::uint64_t /*time*/) { unexpected(*demand); }

    // ---- transactions

    void request(Message* message, std::uint64_t time);
    Transaction* find(std::uint64_t line);
    void open(std::uint64_t line, Phase phase, std::uint32_t answers, Message* current) {
        transactions_.push_back({line, phase, answers, current, {}});
    }
    // Opens a transaction that ends when the line has come.
    void begin_fill(Message* request, std::uint64_t time);
    // The same, without memory: it tries to install the line until there is room.
    void wait_for_room(Message* request, std::uint64_t time);
    // A line from memory is here, or an alarm says that it is time to look for room again. If there is room, the
    // transaction that waits for the line goes on.
    void fill(Message* arrival);
    // Nothing is left in the set that could leave: soon something is.
    void retry(Message& arrival, std::uint64_t time) {
        arrival.kind = MessageKind::alarm;
        post_.send_self(node_, &arrival, time + times_.occupancy + 1);
    }
    // The transaction that the answer is for.
    Transaction& awaiting(const Message& answer);
    // Releases the answer. If it was the last one the transaction is over, and the line has to go_on() behind it.
    std::optional<Transaction> take_answer(Message* answer);
    // The demand, and then those that have waited, come again, behind whatever the line is busy with now.
    void go_on(const Transaction& ended, std::uint64_t time) {
        if (ended.demand) demand(ended.demand, time);
        for (Message* one : ended.waiting) request(one, time);
    }
    void digest_transactions(Digest& to) const;

    // ---- the line, and others

    std::uint64_t use_port(std::uint64_t time, std::uint32_t cycles);
    // Carries a write-through, an atomic or a store-conditional out on the bytes here, and makes the message its
    // answer. `permitted`: whether a store-conditional may store. Whether it wrote.
    bool perform(Message& request, AnyLine& line, bool permitted, std::uint64_t time);
    void answer(Message* message, std::uint64_t time);
    void invalidate(std::uint32_t sharer, std::uint64_t line, std::uint64_t time);
    // DRAM has the bytes at once, so that a read right behind finds them; the message stands for the time. `awaited`:
    // its acknowledgement comes back.
    void write_to_memory(const AnyLine& line, std::uint64_t time, bool awaited = false);

    const std::uint32_t node_;
    const HomeTimes times_;
    Post& post_;
    CoherenceCheck* const check_;
    Statistics statistics_;

private:
    Transaction end(Transaction& transaction);

    Port& port_;
    std::vector<Transaction> transactions_;  // few; in the order in which they began
};
static_assert(is_listed<HomeEngine, 160>);

}  // namespace croftsim
