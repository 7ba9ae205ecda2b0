#pragma once
// The part that all private caches have, whatever their protocol: the one load, store or atomic for which the core
// waits, and its end. On it stand ddc.hpp, a tile's L1 and L2, and l1_requester.hpp, an L1 at a shared L2.
// home_engine.hpp is its like at the other end.
//
// A load may lie in two lines. It takes the bytes that are here, asks for the first line that is not, and goes on when
// that has come. A load-reserved reserves each line as it takes it, so that it does not miss a write served behind
// that.
//
// A kind of caches says three things:
//
//   here         where a load's bytes are
//   ask_for      how it asks for a line that is elsewhere
//   waited_for   the reason of a wait

#include <cstdint>

#include "base/archive.hpp"
#include "cache/line_cache.hpp"
#include "contract/asynchronous_loads.hpp"
#include "contract/post.hpp"
#include "contract/requester.hpp"
#include "core/core.hpp"

namespace croftsim {

class RequesterEngine : public Requester, public AsynchronousLoads {
public:
    bool watched() const final { return check_ != nullptr; }
    void observed(std::uint64_t address, unsigned size, std::uint64_t raw, std::uint64_t pc, std::uint64_t time) final;

    virtual void serialise(Archive& archive) { archive(pending_, reserved_at_); }

protected:
    struct Pending {
        static constexpr bool is_plain = true;
        enum class Kind : std::uint8_t { none, load, store, atomic, store_conditional };
        Kind kind = Kind::none;
        LoadType type = LoadType::i64;
        std::uint8_t rd = 0;
        Reserve reserve = Reserve::no;
        AtomicOperation operation = AtomicOperation::swap;
        bool is_unsigned = false;
        std::uint64_t address = 0, operand = 0, issued = 0;
        RegisterPair expected;                         // of a compare-and-swap
        std::uint64_t operand_high = 0, raw_high = 0;  // of one on a pair
        std::uint32_t slack = 0;  // of a load or store: nothing needs it for so long (core/issue_schedule.hpp)
        std::uint32_t done = 0;   // of a load: bytes already collected in raw; of a store: how many it writes
        std::uint64_t raw = 0;
        bool from_memory = false;
        std::uint64_t pc = 0;
    };

    RequesterEngine(const MachineDescription& machine, const CoreKind& kind, Core& core, Post& post)
        : tile_(core.id), machine_(machine), kind_(kind), core_(core), post_(post), check_(core.check) {}

    // ---- what a kind of caches says

    // The line with these bytes of one line, if the pending load may use them where they are; it has been used.
    // `time`: now; moves to when they are there.
    virtual const std::uint8_t* here(std::uint64_t address, unsigned size, std::uint64_t& time) = 0;
    virtual void ask_for(std::uint64_t address, unsigned size, std::uint64_t time) = 0;
    // The reason for which the pending load, which is over, has waited. `slept`: for a message.
    virtual Stall waited_for(bool slept) const = 0;

    // ---- the pending load or atomic

    void begin(Pending::Kind kind, LoadType type, std::uint8_t rd, std::uint64_t address);
    // Of a load at lines of the L1: a plain one's first look is known of by its core.
    static std::uint64_t further_looks(std::uint64_t address, unsigned size, Reserve how) {
        return std::uint64_t{how != Reserve::no} + (line_of(address) != line_of(address + size - 1));
    }
    void begin_load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how);
    // Goes on with the load at `time`.
    Access advance(std::uint64_t time);
    bool load_waits_for(std::uint64_t line) const {
        return pending_.kind == Pending::Kind::load && line_of(pending_.address + pending_.done) == line;
    }
    // The core waits in a load-reserved, a store-conditional or an atomic operation.
    bool synchronises() const {
        return pending_.kind == Pending::Kind::load ? pending_.reserve != Reserve::no
                                                    : pending_.kind >= Pending::Kind::atomic;
    }
    // The load takes its bytes of the line.
    void take_part(const std::uint8_t* bytes, std::uint64_t line, std::uint64_t time);
    void finish(std::uint64_t usable, Stall why);  // it is over
    // An atomic or a store-conditional that the line's home carries out, and its result.
    Message* atomic_at_home(MessageKind kind, std::uint64_t address, unsigned size, const AtomicOperands& operands);
    void finish_atomic(Message* result, std::uint32_t fill);
    // A store for which the core waits; it may lie in a line that is on its way.
    Access wait_for_store(std::uint64_t address, unsigned size, std::uint64_t value);
    void finish_store(std::uint64_t time);
    void reserve(Reserve how, std::uint64_t line, std::uint64_t time);

    // ---- what the memory does not allow

    void check_page(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what);
    void check_load(std::uint64_t address, unsigned size, Reserve how);
    void check_atomic(std::uint64_t address, unsigned size, const char* what);

    // An access's bytes, as one bit each of the line's mask.
    static std::uint64_t mask_of(std::uint64_t address, unsigned size) {
        return ((std::uint64_t{1} << size) - 1) << (address % line_bytes);
    }

    const std::uint32_t tile_;
    const MachineDescription& machine_;
    const CoreKind& kind_;
    Core& core_;
    Post& post_;
    CoherenceCheck* const check_;
    Pending pending_;
    std::uint64_t reserved_at_ = 0;  // when the reservation began
};
static_assert(is_listed<RequesterEngine, 168>);

}  // namespace croftsim
