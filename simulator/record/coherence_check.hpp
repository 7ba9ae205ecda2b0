#pragma once
// Watches a run for data that the program's own synchronisation says are out of date (`croft run --check coherence`):
//
//   stale load   a load returned another value than the latest write to that word, although that write happened before
//                the load: a chain of fences, of values read and of messages received leads from one to the other;
//   lost write   dirty words of an incoherent page were dropped before they were written back;
//   lost store   a load returned another value than its own core's latest store to those bytes, although no other core
//                has stored there since: no program can do that to itself, so it is the machine's fault.
//
// A load that merely races with a write may return either value. Loads that returned the older value are counted apart,
// and the one that did so longest after the write is kept. Where writers invalidate, that is the time of an
// invalidation. Where readers invalidate, only an acquire ends it, and a core that waits for the new value without one
// waits for ever.
//
// A load that is a guess is neither stale nor racing. The next access of its core is an atomic operation, or an lr, of
// the same address, which reads it anew. musl's atomics (`a_fetch_add`) begin with such a load, and so does every loop
// around a compare-and-swap.
//
// The check uses vector clocks (Mattern 1989), as race detectors do. A core's epoch counts its fences. A write carries
// its writer's epoch: once the writer has fenced again, it is visible to all. A core may read a word whose latest write
// is of epoch e of core c. Then it has synchronised with c's fence number e, and so knows all that c knew then. The
// same holds for a core that receives a message that c sent in epoch e. A write is known to a core when its clock for
// the writer is beyond the write's epoch.
//
// The latest write to a word is the one that its home served last; in an incoherent page, the one made last. Words are
// compared by value: a load of an older write of the same value counts as a load of the latest one. Its core may then
// be taken to know more than it does. That takes a flag that comes back to an old value while a copy of that is still
// about.
//
// While a run is checked, no memory operation takes the interpreter's fast path; cycles are the same.

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "contract/simulation.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class CoherenceCheck {
public:
    explicit CoherenceCheck(std::uint32_t tiles);

    struct Place {
        static constexpr bool is_plain = true;
        std::uint64_t pc, time;
    };

    std::uint32_t epoch(std::uint32_t core) const { return cores_[core].epoch; }

    void loaded(std::uint32_t core, std::uint64_t address, unsigned size, std::uint64_t raw, Place at);
    // An lr or an atomic operation of the word is what the core does next.
    void reads_anew(std::uint32_t core, std::uint64_t address);
    // A store that its core's own loads see from now on, and nobody else yet.
    void buffered(std::uint32_t core, std::uint64_t address, unsigned size, std::uint64_t value, Place at);
    // The bytes that were buffered for the line are on their way to the home.
    void sent(std::uint32_t core, std::uint64_t line, std::uint64_t mask);
    // The home has served it: `bytes` are the line's now. `was_sent`: sent() has been told of it.
    void served(std::uint32_t writer, std::uint32_t epoch, std::uint64_t line, std::uint64_t mask,
                const std::uint8_t* bytes, bool was_sent, Place at);
    // An atomic operation has read and written at the home.
    void synchronised(std::uint32_t core, std::uint64_t address);
    void fenced(std::uint32_t core);
    // `core` has learned what `from` knew at its fence number `epoch`.
    void learned(std::uint32_t core, std::uint32_t from, std::uint32_t epoch);

    void written_back(std::uint32_t core, std::uint64_t line);
    void dropped(std::uint32_t core, std::uint64_t line, Place at);
    // Pages begin anew.
    void forget(std::uint64_t address, std::uint64_t bytes);

    // The run is over: what may have been a guess was none.
    void finish();

    const std::vector<CoherenceReport>& reports() const { return reports_; }
    std::uint64_t count() const { return count_; }
    std::uint64_t racing() const { return racing_; }
    const CoherenceReport& longest_racing() const { return longest_racing_; }
    void serialise(Archive& archive) {
        archive.each(cores_);
        archive(pages_, reports_, count_, racing_, longest_racing_);
    }

private:
    static constexpr std::size_t words_of_page = AddressSpace::page_bytes / 4;
    static constexpr std::size_t most_reports = 200, remembered_fences = 512;
    using Clock = std::vector<std::uint32_t>;

    struct Word {
        static constexpr bool is_plain = true;
        std::uint32_t value = 0, epoch = 0;
        std::uint16_t writer = nobody;
        bool in_memory = true;  // of an incoherent page: written back since
        Place at{};
    };
    static constexpr std::uint16_t nobody = 0xffff;
    struct Page {
        std::array<Word, words_of_page> words;
        void serialise(Archive& archive) { archive(words); }
    };
    // Stores of a core to one word that nobody else sees yet: the latest value of the bytes in `mask`.
    struct Own {
        static constexpr bool is_plain = true;
        std::uint32_t value = 0, mask = 0;
        Place at{};  // of the latest
        void add(const Own& later) {
            value = (value & ~later.mask) | later.value;
            mask |= later.mask;
            at = later.at;
        }
    };
    struct Pending {
        static constexpr bool is_plain = true;
        std::uint32_t messages = 0;
        Own own{};
    };
    struct CoreState {
        std::uint32_t epoch = 0;
        Clock clock;
        std::deque<Clock> fences;  // the clock at each of the last fences; the newest is number `epoch`
        // Words of its stores that are in its buffer, and on their way in so many messages.
        std::unordered_map<std::uint64_t, Own> in_buffer;
        std::unordered_map<std::uint64_t, Pending> pending;
        std::optional<Own> own(std::uint64_t word) const {
            const auto sent = pending.find(word);
            const auto kept = in_buffer.find(word);
            if (sent == pending.end() && kept == in_buffer.end()) return std::nullopt;
            Own both = sent == pending.end() ? Own{} : sent->second.own;
            if (kept != in_buffer.end()) both.add(kept->second);
            return both;
        }
        // The reports of its latest access, a load, unless that was a guess; and the load's address.
        std::vector<CoherenceReport> stale;
        std::uint64_t stale_address = 0;
        void serialise(Archive& archive) {
            archive(epoch, fences, in_buffer, pending, stale, stale_address);
            archive.each(clock);
        }
    };

    Word* find(std::uint64_t address);
    Word& make(std::uint64_t address);
    void report(CoherenceReport report);
    void note_racing(const CoherenceReport& load);
    // The core goes on to another access.
    void settle(CoreState& core);

    std::vector<CoreState> cores_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    std::vector<CoherenceReport> reports_;
    std::uint64_t count_ = 0, racing_ = 0;
    CoherenceReport longest_racing_;
};
static_assert(is_listed<CoherenceCheck, 184>);

}  // namespace croftsim
