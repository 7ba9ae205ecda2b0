#pragma once
// A cache behind the L1s, at any level: a core's own L2, the L2 of a cluster, a bank of the cache that all share. (The
// bank is that of Spandex, ISCA 2018, and of paper 002, section V.A.) It has two faces. To its *children* it is the
// home of every line. They are L1s of any protocol, or caches of the level before it. Its *parent* is a cache of the
// level behind it, or memory. There it is a requester like MESI's L1s: it asks for a copy, or for the line as its own
// before anything is written.
//
//     I  not here     S  a copy     E  exclusive: nobody has it but its children     M  exclusive, and dirty
//     O  dirty, and not exclusive: others have copies (where the parent lets the owner of a dirty line stay, mesi.hpp)
//     F  a copy that this cache gives to the next reader: of those that have one, it has read the line last (MESIF)
//
// A line that comes from memory is exclusive. For each line here the cache knows its children's sharers, which have a
// tracked copy: MESI's readers, levels, and cores that have a reservation there. It also knows which child owns which
// words. It answers
//
//     read            a copy; tracked or not, or the line itself if no other child has a copy (MESI's E)
//     own             bytes that are the child's alone from now on
//     write_through   bytes written here
//     atomic, store_conditional   carried out here
//     write_back      bytes that their owner gives up
//
// Whatever is in the way goes first. The cache asks its parent for the right that the request needs. It recalls the
// bytes from their owners, and invalidates the sharers of a line that is written. Meanwhile further requests for the
// line wait (home_engine.hpp). Only bytes that an owner gives up are taken at once, because the request that waits for
// them may wait for that owner.
//
// The parent's demands, an invalidation or a recall, go down before they are answered: whoever has what is demanded
// gives it up first. A demand waits for nothing but children. It waits while they are asked about the line, or while
// the line has come and looks for its place. It does not wait while the line waits for the parent. Children answer
// without waiting for their parent. So every demand is answered, and no two caches wait for each other.
//
// If a line comes and its set is full, it makes one other line leave, once. If owners or sharers of the other line have
// to be waited for, the new line waits in the other's transaction. At its end the new line gets the place, before
// anybody who waits for the line that has left. Children that are neither owners nor sharers keep what they have: they
// drop it themselves when they acquire.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "cache/line_cache.hpp"
#include "coherence/home_engine.hpp"
#include "coherence/word_owners.hpp"

namespace croftsim {

// A *snoop filter* is such a cache without bytes. It knows who has the lines. Whoever needs a line gets it from its
// owner, or, if there is none, from memory, on the way through the filter. Under MESIF the child that has read the line
// last is asked before memory is. It may have dropped its copy silently, so that memory is asked after all.

struct alignas(AnyLine::host_bytes) LevelLine : AnyLine, OwnedWords {
    bool exclusive = false;
    bool shown = false;   // owners have shown what they own, and cannot have changed it since: the bytes here are good
    bool here = false;    // the bytes are here; a filter has them only while it serves a request
    bool pushed = false;  // its owner has got it unasked, and may have dropped it
    std::uint32_t gives = 0;  // MESIF's F, if it is a sharer: the child that has read the line last

    bool is_owned_above() const { return exclusive || dirty; }
};

class CacheLevel final : public HomeEngine {
public:
    struct Place {
        std::size_t caches;                         // among which lines go round; a power of two
        std::uint32_t children;                     // every child's node is below that
        const HomeTimes* parent;                    // of the level behind it; null: memory
        const std::vector<ProtocolTraits>& traits;  // of each child's node
    };
    struct Counts {  // beside its statistics
        static constexpr bool is_plain = true;
        std::uint64_t owns = 0, write_backs = 0;        // requests served
        std::uint64_t hits = 0, misses = 0;             // requests that needed nothing of the parent, or something
        std::uint64_t evictions = 0, written_back = 0;  // lines that another took the place of; dirty ones among them
        std::uint64_t recalls = 0;                      // sent
        std::uint64_t invalidated = 0;                  // lines that the parent has taken away
        std::uint64_t by_owners = 0;                    // requests that an owner has answered
        std::uint64_t pushed = 0, pushes_refused = 0;   // lines passed on to a child unasked; come unasked, and dropped
    };

    CacheLevel(std::uint32_t node, const LevelDescription& level, const Place& place, Post& post,
               CoherenceCheck* check = nullptr);

    void receive(Message* message);

    BasicLineCache<LevelLine>& lines() { return lines_; }
    const WordOwners& owners() const { return owners_; }
    // Whether the bytes here are everybody's latest, but for what its children own.
    bool has_latest(const LevelLine& line) const { return line.is_owned_above() && line.here; }
    bool is_filter() const { return is_filter_; }
    bool has_owners_answer() const { return owners_answer_; }
    void forget(LevelLine& line);
    // Everything that decides what happens next, times left aside.
    void digest(Digest& to);
    const Counts& counts() const { return counts_; }
    void serialise(Archive& archive) {
        HomeEngine::serialise(archive);
        archive(port_, lines_, owners_, failed_, kept_, counts_);
        lines_.for_each([&](LevelLine& line) {
            if (!owners_.has(line)) Archive::damaged();
        });
    }

private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    void begin(Message* request, std::uint64_t start) override;
    void ask_for(const Message& request, std::uint64_t time) override;
    bool install(Message& request, Message& arrival) override;
    void installed(Message* request, std::uint64_t time) override;
    void answered(Message* answer) override;
    void demand(Message* demand, std::uint64_t time) override;

    // ---- children
    void serve(Message* message, LevelLine& line, std::uint64_t start);
    void carry_out(Message* message, LevelLine& line, std::uint64_t start, bool is_new);
    // Where an owner answers the requester itself (owners_answer.hpp)
    bool may_answer_itself(const Message& request, LevelLine& line);
    void owner_answers(const Message& request, LevelLine& line, std::uint64_t time);
    void read(Message* message, LevelLine& line, std::uint64_t time);
    void has_copy(const Message& request, LevelLine& line, std::uint64_t time);
    void owns(LevelLine& line, std::uint64_t bytes, std::uint32_t child);
    void grant(Message* message, LevelLine& line, std::uint64_t time);
    void answer_after_invalidations(Message* message, LevelLine& line, std::uint64_t start);
    bool keeps_copy(const Message& request, LevelLine& line);
    bool has_bytes_for(const Message& request, LevelLine& line);
    // Home-forwarding (home_forwarding.cpp)
    void push_on(LevelLine& line, const Message& forward, std::uint64_t time);
    void take_pushed(Message* message);
    void acknowledge(Message* message, LevelLine& line, std::uint64_t time);
    bool ask_giver(Message* message, LevelLine& line, std::uint64_t time);
    void pass_through(LevelLine& line, std::uint64_t time);
    void take_back(Message* message);
    std::uint64_t merge(LevelLine& line, const Message& message, std::uint64_t bytes);
    std::uint32_t recall_owners(LevelLine& line, std::uint64_t bytes, std::uint32_t but, Recall how, std::uint64_t time,
                                std::uint32_t answer_to = nobody);
    std::uint32_t invalidate_sharers(LevelLine& line, std::uint32_t but, std::uint64_t time);
    SharerSet sharers(const LevelLine& line) { return lines_.sharers(line); }
    std::uint64_t leaves(LevelLine& line, std::uint64_t time) { return line.sent = std::max(line.sent, time); }

    // ---- the parent
    void send_up(Message* message, std::uint64_t time);
    void obey(Message* demand, LevelLine* line, std::uint64_t time);
    bool needs_exclusive(const Message& request) const;
    bool insists(std::uint32_t child) const;
    void conditional_ended(std::uint32_t child, bool stored);
    void keep(std::uint64_t line, std::uint64_t time);
    std::uint64_t kept_until(std::uint64_t line) const;

    // ---- room
    LevelLine* make_room(Message& arrival);
    void evict(LevelLine& line, std::uint64_t time);

    const std::uint32_t store_;  // cycles until a store whose line is here is done
    const bool asks_level_;      // and not memory
    const bool is_filter_;
    const bool owners_answer_;
    const bool memory_first_;                    // before a reader, where a filter keeps no bytes
    const std::vector<ProtocolTraits>& traits_;  // of children
    const std::uint32_t fill_, drop_;            // the parent's; 0 for memory
    const bool tells_;                           // it of a clean line that leaves
    const std::uint32_t resume_, write_;
    Port port_;
    BasicLineCache<LevelLine> lines_;
    WordOwners owners_;
    // A parent may take a line away. So here are the children whose latest store-conditional has failed, and the lines
    // that stay here for a load-reserved behind it.
    struct Kept {
        static constexpr bool is_plain = true;
        std::uint64_t line, until;
    };
    std::vector<std::uint32_t> failed_;
    std::vector<Kept> kept_;
    Counts counts_;
};
static_assert(is_listed<CacheLevel, 488>);

}  // namespace croftsim
