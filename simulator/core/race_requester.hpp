#pragma once
// Stands between a core that issues in order and its private caches, and tells a race detector what the core does. A
// window tells of its loads and stores when they retire (retire.cpp). The rest of such a core's operations come through
// here. They are those of instructions that the interpreter does alone, and those behind an instruction that has slept.
//
// While it is there no memory operation takes the interpreter's fast path, and none is done ahead of its exact time.
// Cycles are the same.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cache/l1_filter.hpp"
#include "cache/write_filter.hpp"
#include "contract/requester.hpp"
#include "core/core.hpp"
#include "memory/address_space.hpp"
#include "record/race_detector.hpp"

namespace croftsim {

class RaceRequester final : public Requester {
public:
    // `window`: loads and stores in it are told by the core's model.
    RaceRequester(Core& core, RaceDetector& races, bool window)
        : core_(core),
          races_(races),
          caches_(*core.requester),
          caches_acquire_(core.acquires),
          window_(window),
          no_lines_(core.fast.set_mask + 1) {
        core.requester = this;
        core.races = &races;
        core.acquires = true;
        core.fast = {no_lines_.data(), core.fast.set_mask, no_writes_.data()};
    }

    // Whether the caches want to hear of acquires; the core tells of them in any case.
    bool caches_acquire() const { return caches_acquire_; }

    Access load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve reserve) override {
        const RaceDetector::Place at = place();  // before the call, which may move the core's time
        const bool told = in_window();
        const Access result = caches_.load(type, rd, address, reserve);
        if (result == Access::retry) return result;
        if (reserve != Reserve::no)
            races_.atomic(core_.id, at, address, size_of(type), Writes::no, take_acquires());
        else if (!told)
            races_.load(core_.id, at, address, size_of(type));
        return result;
    }
    Access store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) override {
        const RaceDetector::Place at = place();
        const bool told = in_window();
        const Access result = caches_.store(address, size, value, allocate);
        if (result != Access::retry && !told) races_.store(core_.id, at, address, size);
        return result;
    }
    Access atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                  const AtomicOperands& operands) override {
        const RaceDetector::Place at = place();
        const Access result = caches_.atomic(operation, type, is_unsigned, rd, address, operands);
        if (result == Access::retry) return result;
        Writes writes = Writes::yes;
        if (operation == AtomicOperation::compare_and_swap) {
            const RegisterPair found{core_.hart.x[rd], rd < first_floating ? core_.hart.x[rd + 1u] : 0};
            if (result == Access::blocked)
                writes = Writes::undecided;  // as of a store-conditional
            else if (!is_expected(found, operands.expected, size_of(type)))
                writes = Writes::no;
        }
        races_.atomic(core_.id, at, address, size_of(type), writes, take_acquires());
        return result;
    }
    Access store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) override {
        const RaceDetector::Place at = place();
        const Access result = caches_.store_conditional(type, rd, address, value);
        if (result == Access::retry) return result;
        const bool acquires = take_acquires();
        if (result == Access::blocked)  // the caches say later whether it has stored (requester_engine.cpp)
            races_.atomic(core_.id, at, address, size_of(type), Writes::undecided, acquires);
        else if (core_.hart.x[rd] == 0)
            races_.atomic(core_.id, at, address, size_of(type), Writes::yes, acquires);
        return result;
    }
    // A fence releases, or an atomic operation with .rl is next.
    Access fence() override {
        const Access result = caches_.fence();
        // As an operation's .rl it is of no store but that operation.
        const auto ordered = fence_at(core_.pc());
        if (result == Access::done) races_.release(core_.id, ordered && ordered->later == stores);
        return result;
    }
    void release_next() override {
        if (caches_acquire_) caches_.release_next();
    }
    // A fence acquires, or an atomic operation with .aq is next. That operation acquires only the word at which it
    // looks itself: a plain load before it has not asked for any order.
    void acquire() override {
        if (caches_acquire_) caches_.acquire();
        if (const auto ordered = fence_at(core_.pc()))
            races_.acquire(core_.id, ordered->earlier == loads);
        else
            acquires_ = true;
    }
    void ask_for_program(std::uint64_t line, std::uint64_t time) override { caches_.ask_for_program(line, time); }
    Access operate(LineOperation operation, std::uint64_t address, std::uint8_t options) override {
        const Access result = caches_.operate(operation, address, options);
        // Out of a window it orders nothing: what is behind it may have been done.
        if (result == Access::retry || in_window()) return result;
        // Where programs keep caches coherent themselves, these are what orders (docs/instructions.md).
        if (operation == LineOperation::drop || operation == LineOperation::drop_all)
            races_.acquire(core_.id, false);
        else if (operation != LineOperation::allocate)
            races_.release(core_.id, false);
        return result;
    }
    void receive(Message* message) override { caches_.receive(message); }
    std::uint64_t deadline() const override { return caches_.deadline(); }
    void send_due(std::uint64_t time) override { caches_.send_due(time); }

private:
    using Writes = RaceDetector::Writes;

    // The accesses that a fence orders: devices' and memory's loads and stores (i, o, r, w).
    enum : std::uint8_t { stores = 1, loads = 2 };
    struct Ordered {
        std::uint8_t earlier, later;
    };
    std::optional<Ordered> fence_at(std::uint64_t pc) const {
        std::uint32_t bits = 0;
        core_.blocks->memory().read_dram(pc, &bits, sizeof bits);
        if ((bits & 0x707f) != 0x000f) return std::nullopt;
        return Ordered{static_cast<std::uint8_t>(bits >> 24 & 15), static_cast<std::uint8_t>(bits >> 20 & 15)};
    }
    // The interpreter, and it alone, has a place in a block: a window's store comes here when the L1 takes it.
    bool in_window() const { return window_ && !core_.op; }
    RaceDetector::Place place() const { return {core_.pc(), core_.time(), core_.hart.x[1]}; }
    bool take_acquires() { return std::exchange(acquires_, false); }

    Core& core_;
    RaceDetector& races_;
    Requester& caches_;
    const bool caches_acquire_, window_;
    bool acquires_ = false;
    std::vector<L1Filter::Fast> no_lines_;
    WriteFilter no_writes_;
};

}  // namespace croftsim
