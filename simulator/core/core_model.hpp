#pragma once
// How a core carries out its thread's instructions in time: in order (in_order.hpp) or out of order (out_of_order.hpp).
// The machine says how far time reaches, and the L1 tells of lines. core.hpp has the state that every model shares.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "contract/statistic_rows.hpp"
#include "core/cycle_account.hpp"

namespace croftsim {

struct Block;

class CoreModel {
public:
    virtual ~CoreModel() = default;

    // ---- the machine ----

    // When a core that runs acts next, if nothing reaches it.
    virtual std::uint64_t next() const = 0;
    // Carries out everything before `safe`, which is final. If the core can be taken back, it also does work that
    // concerns nobody else before `stop` (machine/window.md). GuestFault: the program has done what it must not, at
    // core.time().
    virtual void run(std::uint64_t safe, std::uint64_t stop) = 0;
    // A message arrives. Whether the core has done anything behind that time, which the message may not allow; then it
    // can go back to it.
    virtual bool is_beyond(std::uint64_t time) = 0;
    virtual void go_back(std::uint64_t /*time*/) {}
    // An interrupt is due, or not: nothing more is begun. Whether that changes next().
    virtual bool drain(bool /*due*/) { return false; }
    // Whether an interrupt may cut in at `time`, which is next(): nothing is in flight.
    virtual bool stands(std::uint64_t /*time*/) { return true; }

    // ---- the core's L1 ----

    // Whether loads look there in the order of the program, and when they issue.
    virtual bool looks_in_order() const { return true; }
    // A line has come. `usable`: when loads that waited for it have their values.
    virtual void line_arrived(std::uint64_t /*line*/, const std::uint8_t* /*bytes*/, std::uint64_t /*time*/,
                              std::uint64_t /*usable*/, bool /*from_memory*/) {}
    // A line has been taken away, or will not be told of other cores' writes any more.
    virtual void line_lost(std::uint64_t /*line*/, std::uint64_t /*time*/) {}
    virtual void lines_lost(std::span<const std::uint64_t> /*lines*/, std::uint64_t /*time*/) {}
    // A line of the program has come, for instructions from `usable` on.
    virtual void program_arrived(std::uint64_t line, std::uint64_t time, std::uint64_t usable) = 0;
    // A store that was on its way is done.
    virtual void store_done(std::uint64_t /*time*/) {}

    // ---- whoever counts ----

    // How often its loads have looked for a line of the L1. The L1 itself counts further looks: those of a
    // load-reserved, and those at a load's second line.
    virtual std::uint64_t looks() const = 0;
    // A load that no instruction has made: the machine warms the L1.
    virtual void has_looked() = 0;
    // A wait that is not over is booked up to now.
    virtual void book_wait(std::uint64_t /*now*/) {}
    // The reason for which a core that runs waits, as far as that is known before the wait is over.
    virtual std::optional<Stall> waits_for() const { return std::nullopt; }
    // A block that it will ask about, beside the core's.
    virtual const Block* block() const { return nullptr; }
    virtual void statistics(std::uint32_t /*core*/, const StatisticRow& /*row*/) const {}
    virtual void serialise(Archive& archive) = 0;
};

}  // namespace croftsim
