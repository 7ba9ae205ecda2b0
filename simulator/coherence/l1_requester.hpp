#pragma once
// An L1 of a machine with a shared cache, whatever its protocol. It has loads that hit or ask the home, stores, the
// arrival of lines, and the home's recalls and invalidations. (requester_engine.hpp has the part that all private
// caches have.) All of it follows from the masks of a line (cache/private_l1.hpp). A protocol is the rest:
//
//     mesi.hpp     writers invalidate, owners write back, by the line      (paper 002, table I);
//                  under MOESI an owner that others read need not write back
//     denovo.hpp   readers invalidate, owners write back, by the word; denovo_line.hpp: by the line
//     gpu_wt.cpp   readers invalidate, every store is written through
//     gpu_wb.cpp   readers invalidate, words stay dirty until a flush;
//                  gpu_wb_fetch.cpp: in lines that are here as a whole
//
// The first two ask for ownership and work in their L1 (owning_l1.hpp); the others leave atomics to the home
// (gpu_l1.hpp).
//
// This is coherent, as far as it is meant to be, for two reasons. A home serves a line's requests one after another
// (cache_level.hpp), and messages between two nodes do not overtake each other. So whatever the home does to the line
// later follows its answer, and never overtakes it. An L1 may give bytes up unasked (write_back, write_through). Then
// it has told the home before it answers a recall that crossed that message.

#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "cache/private_l1.hpp"
#include "cache/write_filter.hpp"
#include "coherence/prefetcher.hpp"
#include "coherence/requester_engine.hpp"

namespace croftsim {

struct L1Statistics {
    static constexpr bool is_plain = true;
    std::uint64_t looks = 0;                                            // that CoreModel::looks() leaves to it
    std::uint64_t load_misses = 0;                                      // of all looks
    std::uint64_t store_misses = 0;                                     // and of atomics
    std::uint64_t evictions = 0, write_backs = 0;                       // lines; those with bytes to write
    std::uint64_t invalidated = 0;                                      // copies that another core's write took away
    std::uint64_t acquire_invalidated = 0, invalidate_invalidated = 0;  // lines: by acquires; by croft.drop
    std::uint64_t release_flushed = 0, flush_flushed = 0;               // lines: by releases; by croft.clean
    std::uint64_t acquires = 0, invalidates = 0, flushes = 0;           // operations
    std::uint64_t prefetches = 0, prefetches_used = 0;                  // lines
};

class L1Requester : public RequesterEngine {
public:
    // `home`: the times of those that it asks.
    L1Requester(const MachineDescription& machine, const CoreKind& kind, const HomeTimes& home, Core& core, Post& post);

    Access load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve reserve) final;
    Access store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) final;
    bool load_ahead(LoadType type, std::uint8_t rd, std::uint64_t address) final;
    bool store_ahead(std::uint64_t address, unsigned size, std::uint64_t value) final;
    Access operate(LineOperation operation, std::uint64_t address, std::uint8_t options) final;
    void acquire() final;
    Access fence() final;
    void ask_for_program(std::uint64_t line, std::uint64_t time) final;
    void receive(Message* message) final;
    std::uint64_t deadline() const override { return never; }
    void send_due(std::uint64_t) override {}

    Found look(std::uint64_t address, unsigned size, std::uint8_t* to) final;
    bool stores_under_way() const override { return false; }
    bool awaits(std::uint64_t line) const final { return awaits_store(line); }
    void ask(std::uint64_t line, std::uint64_t time) final;

    bool disturbs_core(const Message& message);
    const L1Statistics& statistics() const { return statistics_; }
    void serialise(Archive& archive) override {
        RequesterEngine::serialise(archive);
        archive(l1, statistics_, prefetches_);
        if (prefetcher_) archive(*prefetcher_);
        writable.serialise(archive, [this](std::uint64_t line) {
            L1Line* const found = l1.find(line);
            if (!found) Archive::damaged();
            return found->addend();
        });
    }
    // Everything that decides what happens next, times left aside.
    virtual void digest(Digest& to);
    // Bytes that are newer here than anybody can know go home. An owner's are not: whoever wants them finds them.
    template <class Inside>
    void flush(Inside inside, std::uint64_t time) {
        l1.for_each([&](L1Line& line) {
            if (inside(line.address)) flush_line(line, time);
        });
    }
    // Pages are about to change: what has been collected leaves.
    virtual void send_collected(std::uint64_t /*time*/) {}
    // Pages are gone.
    template <class Inside>
    void forget(Inside inside) {
        l1.for_each([&](L1Line& line) {
            if (inside(line.address)) drop(line);
        });
    }

    PrivateL1 l1;
    WriteFilter writable;

protected:
    // ---- what a protocol decides ----

    // Whether a load of these bytes may use them where they are.
    virtual bool may_read(const L1Line& line, std::uint64_t mask, Reserve reserve) const = 0;
    // The request of a load that may not, at that time. The kind, the mask and what it is to become.
    virtual Message* request_for(std::uint64_t line, std::uint64_t mask, Reserve reserve, std::uint64_t time) = 0;
    // Whether so many stores may begin, if that is known beforehand.
    virtual bool has_room(unsigned /*stores*/) const { return true; }
    // A store within one line that does not stay here, or whose line is not here; done or retry.
    virtual Access store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                               std::uint64_t value) = 0;
    // Whether such a store changes this L1 alone; then what becomes dirty with it, and what the check has to hear.
    virtual bool stays_here(const L1Line& /*line*/, std::uint64_t /*mask*/) const { return false; }
    virtual void stored_here(const L1Line& /*line*/, std::uint64_t /*mask*/, CoherenceCheck& /*check*/) {}
    virtual std::uint64_t dirtied(std::uint64_t mask) const { return mask; }
    // Stores to the line are on their way that a load would have to see.
    virtual bool awaits_store(std::uint64_t /*line*/) const { return false; }
    // A store that is not to bring the line, of which a protocol may make something else: then what has become of it.
    virtual std::optional<Access> store_around(std::uint64_t /*line*/, std::uint64_t /*mask*/, unsigned /*offset*/,
                                               unsigned /*size*/, std::uint64_t /*value*/) {
        return std::nullopt;
    }
    virtual std::optional<Access> forward(std::uint64_t /*line*/, std::uint8_t /*options*/) { return std::nullopt; }
    // Whether stores to the line that have not brought it are on their way. Others of that line have to wait for them.
    virtual bool is_collected(std::uint64_t /*line*/) const { return false; }
    // The line's bytes in such a store, if all of these are among them.
    virtual const std::uint8_t* awaiting(std::uint64_t /*line*/, std::uint64_t /*mask*/) const { return nullptr; }
    // The line is about to lose its place.
    virtual void leave(L1Line& line, std::uint64_t time) = 0;
    // Stores that are not visible to all begin to be so; whether all are. Counts lines in `flushed`.
    virtual bool flush(std::uint64_t time, std::uint64_t& flushed) = 0;
    // One line's part of that.
    virtual void flush_line(L1Line& line, std::uint64_t time) = 0;
    // Whether readers invalidate; if not, acquires have nothing to do.
    virtual bool readers_invalidate() const = 0;
    // The line has arrived, as far as the message says, and has been installed.
    virtual void arrived(const Message& message, L1Line& line) = 0;
    virtual void acknowledged(std::uint64_t /*line*/, std::uint64_t /*time*/) {}
    // Whether the core may store to the whole line by itself.
    virtual bool may_write_all(const L1Line& line) const { return line.dirty == whole_line; }
    // Whether an owner that is downgraded stays a sharer.
    virtual bool tracked_when_downgraded() const { return false; }

    // ---- what protocols use ----

    void send(Message* message, std::uint64_t time);  // to the line's home
    Access sleep(CoreState state);
    // Whether an access that is no plain load has to wait for the line, which is on its way without it.
    bool awaits_prefetch(std::uint64_t line) { return !prefetches_.empty() && prefetch_of(line); }
    // A core that waits for a store may try again; a fence, once all are done.
    void wake_stores(std::uint64_t time, bool all_done);
    L1Line& install(std::uint64_t line, std::uint64_t time);
    void changed(L1Line& line);  // its masks did: the fast paths follow
    void drop(L1Line& line);
    void keep_only(L1Line& line, std::uint64_t mask);  // of its bytes; a line without any is dropped
    // A store that stays here.
    void store_in(L1Line& line, std::uint64_t mask, unsigned offset, unsigned size, std::uint64_t value);
    bool apply_pending(L1Line& line);
    // Ahead of time: the line, if it is here, for an access that the checkpoint has room for. It becomes the most
    // recently used one. The words that a write of an aligned operand in it may change are noted.
    L1Line* ahead_in(std::uint64_t address, unsigned size, std::uint8_t permission);
    // It becomes the most recently used of its set. The fast path may not store to the one before any more, because it
    // moves nothing up. Replacement has to be the same whichever path an access takes.
    void touch(L1Line& line);
    void touch_ahead(L1Line& line);
    void note_write(L1Line& line, std::uint64_t address);

    const HomeTimes home_;
    L1Statistics statistics_;

private:
    const std::uint8_t* here(std::uint64_t address, unsigned size, std::uint64_t& time) final;
    void ask_for(std::uint64_t address, unsigned size, std::uint64_t time) final;
    Stall waited_for(bool slept) const final;
    struct Prefetch {
        static constexpr bool is_plain = true;
        std::uint64_t line;
        bool joined = false;    // a load waits for it
        bool outdated = false;  // an acquire has come since
    };
    // l1_prefetch.cpp
    Prefetch* prefetch_of(std::uint64_t line);
    bool joins_prefetch(std::uint64_t line, std::uint64_t time);
    void prefetch_behind(std::uint64_t line, std::uint64_t time);
    std::optional<Prefetch> end_prefetch(std::uint64_t line);
    bool access_waits_for(std::uint64_t line) const;
    bool takes_awaited_place(std::uint64_t line);
    void outdate_prefetches();
    void use_prefetched(L1Line& line);
    Access store_part(std::uint64_t line, unsigned offset, unsigned size, std::uint64_t value);
    void note(const void* word);
    void keep(L1Line& line, Reserve how, std::uint64_t time) {
        if (how != Reserve::no) line.kept_until = time + machine_.shared->reservation_hold;
    }
    void data(Message* message);
    void take_pushed(Message* message);
    void program_data(Message* message);
    std::uint64_t kept_until(std::uint64_t line);
    bool may_be_acquiring() const;
    void recall(Message* message);
    void invalidate(Message* message);
    void self_invalidate(std::uint64_t& lines);

    std::unique_ptr<Prefetcher> prefetcher_;  // null: none
    std::vector<Prefetch> prefetches_;        // under way
    std::uint64_t heard_ = 0;                 // when the message has come that is received now
    std::vector<L1Filter::Fast> no_lines_;
    WriteFilter no_writes_;
};
static_assert(is_listed<L1Requester, 8664>);

}  // namespace croftsim
