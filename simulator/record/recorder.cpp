#include "record/recorder.hpp"

#include <algorithm>

namespace croftsim {

Recorder::Recorder(std::uint32_t cores, const RunOptions& /*options*/) : profiler_(cores) {
    for (std::uint32_t core = 0; core < cores; ++core) logs_.push_back(std::make_unique<Log>(*this, core));
}

void Recorder::Log::operator()(const Step& step) {
    recorder_.profiler_.executed(core_, stack_.node(), *step.block, step.end, divide_until(step.until));
    if (!step.end) transfer(step.block->linkage, step.block->next_pc, step.sp, step.next);
}

void Recorder::Log::operator()(const Retired& instruction) {
    recorder_.profiler_.executed(core_, stack_.node(), instruction.pc, divide_until(instruction.until), 1);
    transfer(instruction.linkage, instruction.pc + instruction.length, instruction.sp, instruction.next);
}

void Recorder::Log::operator()(const Took& took) {
    given_ += took.more;
    recorder_.profiler_.executed(core_, stack_.node(), took.pc, took.more, 0);
}

void Recorder::Log::operator()(const Waited& wait) {
    const auto cycles = static_cast<std::int64_t>(wait.until - wait.from);
    waited_ += cycles;
    wait_ = wait;
    wait_node_ = stack_.node();
    recorder_.profiler_.waited(core_, wait_node_, wait.pc, wait.why, cycles);
}

void Recorder::Log::operator()(const ThreadStarted& thread) {
    stack_.clear();
    lives_ = true;
    reached_ = thread.time;
    waited_ = given_ = 0;
}

void Recorder::Log::operator()(const ThreadEnded& thread) {
    if (const std::int64_t left = divide_until(thread.time))
        recorder_.profiler_.executed(core_, stack_.node(), thread.pc, left, 0);
    lives_ = false;
}

// A block may have begun before the end and lie behind it in part, and so may a wait that is known already.
void Recorder::Log::finish(std::uint64_t now, std::uint64_t pc) {
    settle();
    hand_over();
    if (!lives_) return;
    if (wait_.until > now) {
        const auto beyond = static_cast<std::int64_t>(wait_.until - std::max(wait_.from, now));
        recorder_.profiler_.waited(core_, wait_node_, wait_.pc, wait_.why, -beyond);
        waited_ -= beyond;
    }
    (*this)(ThreadEnded{now, pc});
}

std::int64_t Recorder::Log::divide_until(std::uint64_t time) {
    const std::int64_t cycles = static_cast<std::int64_t>(time - reached_) - waited_ - given_;
    reached_ = time;
    waited_ = given_ = 0;
    return cycles;
}

void Recorder::Log::transfer(Linkage kind, std::uint64_t behind, std::uint64_t sp, std::uint64_t next) {
    switch (kind) {
        case Linkage::none:
            return;
        case Linkage::call:
            return stack_.call(behind, sp);
        case Linkage::back:
            return stack_.go_back(next, sp);
        case Linkage::jump:
            return stack_.jump(sp);
    }
}

}  // namespace croftsim
