#pragma once
// Finds data races of the program (`croft run --check races`): two accesses to the same bytes by two cores that no
// synchronisation orders. At least one of them writes, and at least one is not atomic.
//
// Accesses are ordered by happens-before, with vector clocks in the manner of FastTrack (Flanagan and Freund 2009).
// Each core has a clock, which moves on whenever it releases something. It also knows of every other core how far that
// core's work is known to it. It learns by RVWMO's own means, so programs need not be compiled for it:
//
//   release   a fence that orders earlier accesses before later stores, or the .rl of an atomic operation. The store
//             right behind it, and all behind it to locations of synchronisation, carry what the core knew then;
//   acquire   a fence that orders earlier loads before later accesses, or the .aq of an atomic operation. From then on
//             the core knows what the locations knew at which its loads before it have looked;
//   the rest  where programs keep caches coherent: dropped copies (acquire), and lines written back or forwarded
//             (release). Also messages of the user network, user-level interrupts, the start of a thread, and a wake by
//             the kernel on behalf of another thread.
//
// Some functions of a C library should release, and do not. If they alone order two accesses, that is reported as
// theirs (race_knowledge.hpp).
//
// A location's knowledge only grows: a load may learn more than its own store carried. That never invents a race; it
// may hide one behind two releases of the same flag.
//
// AMOs, lr and sc are atomic. C++'s atomics become plain loads and stores for the most part, and three kinds of these
// are atomic, too. The first two are a store right behind `fence rw,w` and a load right before `fence r,rw` (the RISC-V
// ABI's mapping of release and acquire). The third are those of instructions that debug information places in the
// headers of atomics (RaceSite). A relaxed atomic of code without debug information is taken for plain. An operation on
// a word may mean one byte in it, so it races with no plain access that is narrower.
//
// Memory: for each 8 bytes it keeps every access that no later one has replaced. An access replaces those behind which
// it is ordered and which could race only with what it races with, too. So no race is missed for want of room.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "contract/simulation.hpp"
#include "record/race_knowledge.hpp"

namespace croftsim {

class RaceDetector {
public:
    // `sites`: in ascending order, and none within another.
    RaceDetector(std::uint32_t cores, const std::vector<RaceSite>& sites);

    // Of an access: the instruction, when it is done, and what register ra holds, which in the C library's functions is
    // where they are called.
    struct Place {
        std::uint64_t pc, time, return_address;
    };
    // In each core's program order, when they take effect. A load does when it begins, because its value is there
    // before the core's next access; a store no later than anybody may see it.
    void load(std::uint32_t core, Place at, std::uint64_t address, unsigned size);
    void store(std::uint32_t core, Place at, std::uint64_t address, unsigned size);
    // An AMO, an lr (which does not write) or an sc that does not fail, or of which decided() says whether it does.
    // `acquires`: what it looks at is known from then on.
    enum class Writes : std::uint8_t { no, yes, undecided };
    void atomic(std::uint32_t core, Place at, std::uint64_t address, unsigned size, Writes writes, bool acquires);
    // Whether the core's latest access has stored, if that is an sc or an amocas: before the core does anything else.
    // Until then others learn from it, because it may have stored. `loaded`: it is an access in any case, as an amocas
    // is.
    void decided(std::uint32_t core, bool stored, bool loaded);
    // `of_store`: the fence is of the kind that only a release store has; `of_load`: that only an acquire load has.
    void release(std::uint32_t core, bool of_store);
    void acquire(std::uint32_t core, bool of_load);

    // A message leaves: its number, with which received() knows what the sender knew.
    std::uint32_t sent(std::uint32_t core);
    void received(std::uint32_t core, std::uint32_t from, std::uint32_t number);
    // Everything that `from` has done until now comes before everything that `core` does next.
    void ordered(std::uint32_t core, std::uint32_t from);
    // The kernel stores on behalf of the core's thread.
    void kernel_stored(std::uint32_t core, std::uint64_t address, unsigned size);
    // A call of futex wakes whoever waits at this word, or moves them there; the core waits there, or has waited.
    void futex_releases(std::uint32_t core, std::uint64_t address);
    void futex_acquires(std::uint32_t core, std::uint64_t address);
    // Whole pages, in which whatever is there begins anew, or a device has had it.
    void forget(std::uint64_t address, std::uint64_t bytes);

    // Those of the program, and behind them one for each operation of the C library that has to release and does not.
    std::vector<RaceReport> reports() const;
    std::uint64_t count() const { return count_; }  // of the program

private:
    using Knowledge = RaceKnowledge;
    static constexpr std::size_t most_reports = 200, remembered_messages = 1024, page_bytes = 4096;
    enum Kind : std::uint8_t {
        read = 0,
        write = 1,
        atomic_read = 2,
        atomic_write = 3,
        of_word = 4,  // and one of the latter two: an operation on a word, of which it may mean one byte
    };

    // An access that later ones may race with.
    struct Entry {
        Place at;
        std::uint32_t clock;    // the core's own, then
        std::uint32_t version;  // of its location, if it is an atomic write
        std::uint16_t core;
        std::uint8_t bytes;  // a mask
        Kind kind;
    };
    struct Granule {  // 8 bytes
        std::array<Entry, 3> first;
        std::uint32_t count = 0;
        std::unique_ptr<std::vector<Entry>> more;
        Entry& at(std::uint32_t i) { return i < first.size() ? first[i] : (*more)[i - first.size()]; }
    };
    // A location of synchronisation: what is known to who looks at it, and how often it has been written. It is a word,
    // because the processor has no atomic operations on bytes. Those of a std::atomic<bool> are lr.w and sc.w of the
    // word that it is in, while its loads and stores are of the byte. Other bytes of the word share its knowledge.
    static constexpr std::uint64_t word_of(std::uint64_t address) { return address & ~std::uint64_t{3}; }
    struct Location {
        Knowledge clock;
        std::uint32_t version = 0;
        std::map<std::uint32_t, Knowledge> undecided;  // by the cores whose store-conditionals may fail

        void tell(Knowledge& to) const;
    };
    struct Page {
        std::array<Granule, page_bytes / 8> granules;
        std::array<std::unique_ptr<Location>, page_bytes / 4> locations;
    };
    struct Latest {  // a core's latest load, until its next access says whether it acquired
        bool pending = false, is_atomic = false, writes = false, acquires = false, undecided = false;
        Place at{};
        std::uint64_t address = 0;
        unsigned size = 0;
        std::uint32_t version = 0;
    };
    struct CoreState {
        Knowledge knows;     // of each core; of itself: its own clock
        Knowledge released;  // what it knew at its latest release
        Knowledge seen;      // what its loads have looked at since its latest acquire
        bool has_seen = false;
        bool releases = false, stores_release = false;  // behind a release; and one that only a release store has
        Latest latest;
        std::unordered_map<std::uint64_t, std::uint32_t> looked_at;  // the version of a word that it has read
        std::uint32_t messages = 0;
        std::deque<Knowledge> sent;  // what it knew at its latest messages; the newest is number `messages`
    };

    RaceSite::Kind site_of(std::uint64_t pc) const {
        const std::uint64_t index = (pc - sites_begin_) / 2;
        return index < sites_.size() ? sites_[index] : RaceSite::Kind::plain;
    }
    static bool is_library(RaceSite::Kind site) {
        return site == RaceSite::Kind::library || site == RaceSite::Kind::releasing;
    }
    void settle(CoreState& self, std::uint32_t core, bool is_acquire);
    void access(std::uint32_t core, Place at, std::uint64_t address, unsigned size, Kind kind,
                std::uint32_t version = 0);
    void access_granule(std::uint32_t core, std::uint64_t address, const Entry& entry);
    // An atomic write is ordered before whatever its reader does with the same bytes: coherence sees to it.
    bool orders(const CoreState& self, std::uint32_t core, const Entry& before, std::uint64_t granule) const {
        if (before.core == core || before.clock <= self.knows.of(before.core)) return true;
        if ((before.kind & atomic_write) != atomic_write) return false;
        const auto looked = self.looked_at.find(word_of(granule + static_cast<unsigned>(__builtin_ctz(before.bytes))));
        return looked != self.looked_at.end() && looked->second >= before.version;
    }
    // An operation on a word is no access of the narrower object beside the one that it is of.
    static bool meets(const Entry& one, const Entry& other) {
        return (one.bytes & other.bytes) && !((one.kind & of_word) && is_narrower(other, one)) &&
               !((other.kind & of_word) && is_narrower(one, other));
    }
    static bool is_narrower(const Entry& entry, const Entry& word) {
        return !(entry.kind & atomic_read) && __builtin_popcount(entry.bytes) < __builtin_popcount(word.bytes);
    }
    void report(const Entry& first, const Entry& second, std::uint64_t address, std::uint64_t ordered_by);
    std::uint32_t publish(std::uint64_t address, const Knowledge& clock);  // its version now
    Location* location(std::uint64_t address) { return place_of(address).get(); }
    std::unique_ptr<Location>& place_of(std::uint64_t address) {
        return page_of(address).locations[address % page_bytes / 4];
    }
    Page& page_of(std::uint64_t address) {
        const std::uint64_t number = address / page_bytes;
        Recent& recent = recent_[number % recent_.size()];
        if (recent.number != number) recent = {number, &page_numbered(number)};
        return *recent.page;
    }
    Page& page_numbered(std::uint64_t number);

    std::uint64_t sites_begin_ = 0;
    std::vector<RaceSite::Kind> sites_;  // of each halfword of the program from there on
    const Knowledge nothing_;
    std::vector<CoreState> cores_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    struct Recent {
        std::uint64_t number = ~std::uint64_t{0};
        Page* page = nullptr;
    };
    std::array<Recent, 256> recent_;
    std::unordered_map<std::uint64_t, Knowledge> futexes_;  // by the address of the word
    std::vector<RaceReport> own_;
    std::map<std::array<std::uint64_t, 3>, std::size_t> known_;  // a pair of places and kinds -> its report
    std::map<std::uint64_t, RaceReport> claimed_;  // by the operation that has to release: the first pair, and how many
    std::uint64_t count_ = 0;
};

}  // namespace croftsim
