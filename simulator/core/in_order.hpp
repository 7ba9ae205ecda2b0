#pragma once
// An in-order core: the interpreter runs its blocks, whose cycles were counted when they were decoded
// (issue_schedule.hpp). It may run ahead of what is final, and be taken back to its checkpoint.

#include "core/core.hpp"
#include "core/core_model.hpp"
#include "core/interpreter.hpp"

namespace croftsim {

class InOrder : public CoreModel {
public:
    explicit InOrder(Core& core) : core_(core) {}

    std::uint64_t next() const override { return core_.time(); }
    void run(std::uint64_t safe, std::uint64_t stop) override {
        core_.safe = safe;
        core_.stop = stop;
        core_.runs_ahead = safe < stop;
        if (core_.log) core_.log->settle();
        if (core_.runs_ahead) core_.take_checkpoint();
        try {
            interpret(core_);
        } catch (const GuestFault&) {
            if (!core_.runs_ahead) throw;
            core_.checkpoint.restore(core_);  // perhaps it never comes to that
            run(safe, safe);
        }
    }
    bool is_beyond(std::uint64_t time) override {
        return core_.state == CoreState::runs && core_.time() > time && core_.runs_ahead;
    }
    // To the checkpoint, and from there to just that time: everything it does on the way it did before, so nobody
    // notices.
    void go_back(std::uint64_t time) override {
        core_.checkpoint.restore(core_);
        core_.safe = core_.stop = time;
        // The core may have stopped at `time` or behind it, by register arithmetic. Then it stands there when the
        // message comes, and an interrupt cuts in. From there the interpreter would go on to the end of the next block.
        if (core_.time() < time || core_.checkpoint.in_passing()) interpret(core_);
        core_.take_checkpoint();  // what came before the message must not be done again behind it
    }
    void program_arrived(std::uint64_t, std::uint64_t, std::uint64_t usable) override {
        if (core_.state == CoreState::waits_fetch) core_.wake(usable, Stall::fetch);
    }

    std::uint64_t looks() const override { return core_.loads_begun(); }
    void has_looked() override { ++core_.statistics.loads; }
    void serialise(Archive&) override {}  // all of it is the core's

protected:
    Core& core_;
};
static_assert(is_listed<InOrder, 16>);

}  // namespace croftsim
