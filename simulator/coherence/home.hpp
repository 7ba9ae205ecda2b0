#pragma once
// The home side of the coherence protocol: a tile's L2 serves the lines homed there and keeps their directory.
//
// A home handles one request for a line at a time. While a line is being fetched from memory, or its sharers are being
// invalidated, it has a transaction, and further requests for it wait there in the order of their arrival. So the
// order in which a home serves a line's requests is the line's coherence order.

#include <cstdint>
#include <deque>
#include <list>

#include "coherence/private_caches.hpp"
#include "contract/message.hpp"
#include "contract/post.hpp"

namespace croftsim {

class Home {
public:
    struct Statistics {
        std::uint64_t reads = 0, writes = 0, atomics = 0;  // requests served
        std::uint64_t memory_reads = 0, memory_writes = 0;
        std::uint64_t invalidations = 0;  // sent
        std::uint64_t busy = 0;           // cycles for which requests kept the port
        std::uint64_t waited = 0;         // cycles requests waited for the port
    };

    Home(std::uint32_t tile, const MachineDescription& machine, PrivateCaches& caches, Core& core, Post& post)
        : tile_(tile), shape_(*machine.home), caches_(caches), core_(core), post_(post), check_(post.watcher()) {}

    // A request, acknowledgement or line arrives at message->time. Takes the message over.
    void receive(Message* message);

    // A free line for `address`, whose previous content has been dealt with; null if the whole set is busy. `own`: the
    // core's own access asks for it, so its fences wait until the old content has reached memory.
    Line* make_room(std::uint64_t address, std::uint64_t time, bool own);

    // This tile's copy of a line homed here goes to memory, and the core's fences wait for it.
    void write_back(Line& line, std::uint64_t time, bool awaited);
    // Brings all of a line into this tile's L1.
    void bring_into_l1(Line& line);
    // A line of this home that nobody has fetched, of undefined contents; null if there is no room now.
    Line* allocate(std::uint64_t address, std::uint64_t time, bool own);
    bool has_transaction(std::uint64_t line) { return find(line) != nullptr; }

    // Whether receiving the message takes something away that the core may use by itself: so what the core has done
    // since the message's time has to be done again, behind it.
    bool disturbs_core(const Message& message) {
        switch (message.kind) {
            case MessageKind::read:
                return message.requester != tile_ && caches_.writable.permits(message.line);
            case MessageKind::write_through:
                return message.into_l1 || caches_.uses(message.line) || (message.no_fetch && uses_victim(message.line));
            case MessageKind::atomic:
            case MessageKind::store_conditional:
                return caches_.uses(message.line);
            case MessageKind::leave:
                return message.into_l1;
            case MessageKind::memory_data:
            case MessageKind::write_data:
                return uses_victim(message.line);
            case MessageKind::invalidate:
                return caches_.uses(message.line);
            case MessageKind::invalidate_ack:
                return caches_.uses(message.line);  // others may have waited behind it
            default:
                return false;
        }
    }

    bool handles(MessageKind kind) const {
        return kind <= MessageKind::leave || kind == MessageKind::invalidate_ack || kind == MessageKind::memory_data;
    }
    bool idle() const { return transactions_.empty(); }
    const Statistics& statistics() const { return statistics_; }

private:
    struct Transaction {
        enum class Phase : std::uint8_t { fetching, invalidating, evicting };
        std::uint64_t line;
        Phase phase;
        std::uint32_t acks_left;
        Message* current;  // whose answer waits; null while evicting
        std::deque<Message*> waiting;
    };

    Transaction* find(std::uint64_t line);
    bool uses_victim(std::uint64_t line) {
        const Line* victim = caches_.l2.victim(line);
        return victim && victim->address != Line::nothing && caches_.uses(victim->address);
    }
    void request(Message* message, std::uint64_t time);
    void serve(Message* message, Line& line, std::uint64_t start);
    void read(Message* message, Line& line, std::uint64_t start);
    void follow_hints(const Message& message, Line& line, std::uint64_t time);
    void write_bytes(Line& line, Message& message);
    bool apply_atomic(Line& line, Message& message);
    // Answers now, or after every other sharer has acknowledged its invalidation.
    void answer_after_invalidations(Message* message, Line& line, std::uint64_t start);
    std::uint64_t finish_write(Message* message, Line& line, std::uint64_t time);
    void invalidate_sharers(const SharerSet& sharers, std::uint64_t line, std::uint64_t time);
    void answer(Message* message, std::uint64_t time);
    void fill(Message* message);
    void acknowledge(Message* message);
    void finish(std::uint64_t line, std::uint64_t time);

    std::uint32_t tile_;
    HomeDescription shape_;
    PrivateCaches& caches_;
    Core& core_;
    Post& post_;
    CoherenceCheck* const check_;
    std::list<Transaction> transactions_;
    Statistics statistics_;
};

}  // namespace croftsim
