#include "record/recorder.hpp"

#include <algorithm>

namespace croftsim {

Recorder::Recorder(std::uint32_t cores, const RunOptions& /*options*/) : profiler_(cores) {
    for (std::uint32_t core = 0; core < cores; ++core) logs_.push_back(std::make_unique<Log>(*this, core));
}

void Recorder::Log::take(const Step& step) {
    recorder_.profiler_.executed(core_, stack_.node(), *step.block, step.end, divide_until(step.until));
    if (!step.end) transfer(step.block->linkage, step.block->next_pc, step.sp, step.next);
}

void Recorder::Log::retired(const Retired& instruction) {
    recorder_.profiler_.executed(core_, stack_.node(), instruction.pc, divide_until(instruction.until), 1);
    transfer(instruction.linkage, instruction.behind, instruction.sp, instruction.next);
}

void Recorder::Log::took(std::uint64_t pc, std::int64_t more) {
    given_ += more;
    recorder_.profiler_.executed(core_, stack_.node(), pc, more, 0);
}

void Recorder::Log::waited(std::uint64_t pc, Stall why, std::uint64_t from, std::uint64_t until) {
    settle();
    const auto cycles = static_cast<std::int64_t>(until - from);
    waited_ += cycles;
    wait_ = {pc, why, from, until, stack_.node()};
    recorder_.profiler_.waited(core_, wait_.node, pc, why, cycles);
}

void Recorder::Log::thread_started(std::uint64_t time) {
    settle();
    stack_.clear();
    lives_ = true;
    reached_ = time;
    waited_ = given_ = 0;
}

void Recorder::Log::thread_ended(std::uint64_t time, std::uint64_t pc) {
    settle();
    if (const std::int64_t left = divide_until(time)) recorder_.profiler_.executed(core_, stack_.node(), pc, left, 0);
    lives_ = false;
}

// A block may have begun before the end and lie behind it in part, and so may a wait that is known already.
void Recorder::Log::finish(std::uint64_t now, std::uint64_t pc) {
    settle();
    if (!lives_) return;
    if (wait_.until > now) {
        const auto beyond = static_cast<std::int64_t>(wait_.until - std::max(wait_.from, now));
        recorder_.profiler_.waited(core_, wait_.node, wait_.pc, wait_.why, -beyond);
        waited_ -= beyond;
    }
    thread_ended(now, pc);
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
