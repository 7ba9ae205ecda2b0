#pragma once
// An in-order core: the interpreter runs its blocks, whose cycles were counted when they were decoded
// (issue_schedule.hpp). It may run ahead of what is final, and be taken back to its checkpoint.

#include "core/core.hpp"
#include "core/core_model.hpp"

namespace croftsim {

class InOrder : public CoreModel {
public:
    explicit InOrder(Core& core) : core_(core) {}

    std::uint64_t next() const override { return core_.time(); }
    void run(std::uint64_t safe, std::uint64_t stop) override;
    bool is_beyond(std::uint64_t time) override {
        return core_.state == CoreState::runs && core_.time() > time && core_.runs_ahead;
    }
    void go_back(std::uint64_t time) override;
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
