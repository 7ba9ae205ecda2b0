#pragma once
// The operations that a core asks of its private caches, whatever protocol they follow. One protocol is one file that
// implements this (ddc.hpp; l1_requester.hpp with mesi, denovo, denovo_line, gpu_wt, gpu_wb, gpu_wb_fetch).
//
// The interpreter calls these only if its fast path (cache/l1_filter.hpp) does not do the operation, and only at times
// before core.safe. Before a call, core.op and core.cycle name the operation.

#include <cstdint>

#include "base/time.hpp"
#include "contract/access.hpp"
#include "contract/message.hpp"
#include "isa/atomic_operation.hpp"

namespace croftsim {

enum class Reserve : std::uint8_t { no, start, add };  // lr starts a reservation set, croft.watch adds to it

// A core's demands about a line beside loading and storing. docs/instructions.md says what each means.
enum class LineOperation : std::uint8_t { drop, clean, flush, allocate, forward, drop_all, clean_all };

// Of LineOperation::forward, added.
struct Forward {
    enum : std::uint8_t { into_l1 = 1, update_memory = 2, synchronous = 4 };
};

class Requester {
public:
    virtual ~Requester() = default;

    virtual Access load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve reserve) = 0;
    // `allocate`: whether the line may be brought into the own caches.
    virtual Access store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) = 0;
    // The same by a core that is ahead of its exact time (machine/window.md). It is done only if it concerns nobody
    // else. Every word of the host that changes is noted in the core's checkpoint. Else nothing has happened.
    virtual bool load_ahead(LoadType /*type*/, std::uint8_t /*rd*/, std::uint64_t /*address*/) { return false; }
    virtual bool store_ahead(std::uint64_t /*address*/, unsigned /*size*/, std::uint64_t /*value*/) { return false; }
    virtual bool fence_ahead() { return false; }
    virtual bool atomic_ahead(AtomicOperation /*operation*/, LoadType /*type*/, bool /*is_unsigned*/,
                              std::uint8_t /*rd*/, std::uint64_t /*address*/, const AtomicOperands& /*operands*/) {
        return false;
    }
    virtual Access atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd,
                          std::uint64_t address, const AtomicOperands& operands) = 0;
    virtual Access store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) = 0;
    // Done once every earlier store of this core is visible to all.
    virtual Access fence() = 0;
    // The next store is the one that a release is for (the fence before it orders earlier accesses before stores only).
    virtual void release_next() {}
    // Later loads return nothing that is older than now.
    virtual void acquire() {}
    // The core wants to execute what is in the line, and waits until it has come.
    virtual void ask_for_program(std::uint64_t /*line*/, std::uint64_t /*time*/) {}
    virtual Access operate(LineOperation operation, std::uint64_t address, std::uint8_t options) = 0;

    // A message to this tile's caches arrives, at message->time. Takes the message over.
    virtual void receive(Message* message) = 0;

    // The store buffer sends what it holds at deadline() if nothing sends it earlier; send_due() does what was due by
    // `time`. `never` if it holds nothing.
    virtual std::uint64_t deadline() const = 0;
    virtual void send_due(std::uint64_t time) = 0;
};

}  // namespace croftsim
