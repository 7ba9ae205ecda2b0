#pragma once
// What a core does, told to whoever records it: the instructions it carries out and the times it waits. Every cycle of
// a thread's life is in one or the other, in the order of time.
//
// A core that runs ahead of its time (machine/window.md) may be taken back. So its steps are kept until its checkpoint
// moves up, and forgotten if it is restored; what is told is final. Waits never are ahead: whoever waits has asked
// somebody else. No log changes what is told, nor when it happens.

#include <cstdint>
#include <vector>

#include "core/block.hpp"
#include "core/cycle_account.hpp"

namespace croftsim {

class ExecutionLog {
public:
    // What a core has carried out, all of a block or its first operations.
    struct Step {
        const Block* block;
        const Op* end;        // the first operation that is not carried out; null: all are
        std::uint64_t until;  // when the next one issues, if it does not wait
        std::uint64_t sp;     // the stack pointer then
        std::uint64_t next;   // where the core goes on
    };
    // One instruction of an out-of-order core, which retires at `until`.
    struct Retired {
        std::uint64_t pc, until;
        Linkage linkage;
        std::uint64_t behind;  // the address of the next instruction in memory: where a call returns to
        std::uint64_t sp, next;
    };

    virtual ~ExecutionLog() = default;

    // `ahead`: the core may be taken back.
    void left(const Step& step, bool ahead) {
        if (ahead) return ahead_.push_back(step);
        settle();  // of an earlier run, which cannot be taken back any more
        take(step);
    }
    void settle() {
        for (const Step& step : ahead_) take(step);
        ahead_.clear();
    }
    void take_back() { ahead_.clear(); }

    virtual void retired(const Retired& instruction) = 0;
    // The instruction at pc waited.
    virtual void waited(std::uint64_t pc, Stall why, std::uint64_t from, std::uint64_t until) = 0;
    // It took so many cycles more than its block says, or fewer: a load's wait begins with the access itself.
    virtual void took(std::uint64_t pc, std::int64_t more) = 0;
    // A handler is called, as the core would have gone on at pc.
    virtual void interrupted(std::uint64_t pc, std::uint64_t sp) = 0;
    virtual void thread_started(std::uint64_t time) = 0;
    // `pc`: of the instruction that it has come to.
    virtual void thread_ended(std::uint64_t time, std::uint64_t pc) = 0;

protected:
    virtual void take(const Step& step) = 0;

private:
    std::vector<Step> ahead_;
};

}  // namespace croftsim
