#include "record/recorder.hpp"

#include <algorithm>

#include "record/marked_text.hpp"

namespace croftsim {

Recorder::Recorder(std::uint32_t cores, const RunOptions& options, const AddressSpace& memory)
    : memory_(memory), landmarks_(options.landmarks), followed_(options.followed) {
    if (options.profile) profiler_.emplace(cores);
    if (options.trace_limit) timeline_.emplace(options.trace_from, options.trace_to, options.trace_limit);
    if (options.lines_limit) lines_.emplace(cores, options.lines_limit);
    // Lines want the messages of the user network, too.
    if (lines_ || (timeline_ && !options.handovers.empty()))
        handovers_.emplace(
            cores, options.handovers,
            [this](std::uint64_t address, std::uint64_t time) {
                return lines_ ? lines_->tenant_at(address, time) : Handovers::Tenant{};
            },
            [this](const Handovers::Handed& what) { handed_over(what); });
    for (std::uint32_t core = 0; core < cores; ++core) logs_.push_back(std::make_unique<Log>(*this, core));
}

void Recorder::order_until(std::uint64_t now) {
    ordered_ = now;
    for (const auto& log : logs_) {
        log->hand_over();
        now = std::min(now, log->first_left());
    }
    if (handovers_) handovers_->order_until(now);  // asks for tenants
    if (lines_) lines_->order_until(now);
}

void Recorder::handed_over(const Handovers::Handed& what) {
    using By = Handovers::By;
    if (lines_ && what.by != By::task) channels_.received(what);
    if (!timeline_ || what.by == By::user_network) return;  // tracks have its ends
    // Neither the user network nor interrupts number their flows so.
    constexpr std::uint64_t through_memory = std::uint64_t{3} << 62;
    const bool is_task = what.by == By::task;
    timeline_->flow({what.from.core, is_task ? Trace::handed_over : Trace::sent, what.from.time},
                    {what.to.core, is_task ? Trace::stolen : Trace::received, what.to.time},
                    through_memory | ++arrows_);
}

Trace Recorder::trace() {
    if (!timeline_) return {};
    if (handovers_) handovers_->finish();
    return timeline_->take();
}

Lines Recorder::lines(const LineRecorder::HomeOf& home_of) {
    if (!lines_) return {};
    handovers_->finish();
    Lines result = lines_->take(home_of);
    result.channels = channels_.take();
    result.unreceived = handovers_->unreceived();
    result.calls = calls_.nodes();
    return result;
}

void Recorder::Log::operator()(const Step& step) {
    const std::int64_t cycles = divide_until(step.until);
    if (recorder_.profiler_) recorder_.profiler_->executed(core_, stack_.node(), *step.block, cycles);
    passed_ = 0;
}

void Recorder::Log::operator()(const Part& part) {
    const std::int64_t cycles = divide_until(part.until);
    if (recorder_.profiler_) recorder_.profiler_->executed(core_, stack_.node(), *part.block, part.end, cycles);
}

void Recorder::Log::operator()(const Retired& instruction) {
    if (track_) pass(instruction.pc, reached_);
    issued(instruction.pc, divide_until(instruction.until), 1);
}

void Recorder::Log::operator()(const Took& took) {
    given_ += took.more;
    issued(took.pc, took.more, 0);
}

void Recorder::Log::operator()(const Waited& told) {
    Waited wait = told;
    if (wait.why == Stall::fence) wait.address = stored_;
    const auto cycles = static_cast<std::int64_t>(wait.until - wait.from);
    waited_ += cycles;
    if (track_) track_->wait(1 + static_cast<std::uint32_t>(wait.why), wait.from, wait.until);
    wait_ = wait;
    wait_node_ = stack_.node();
    if (recorder_.profiler_) recorder_.profiler_->waited(core_, wait_node_, wait.pc, wait.why, cycles);
    if (recorder_.lines_) recorder_.lines_->waited(core_, wait, cycles);
}

void Recorder::Log::operator()(const Accessed& access) {
    if (recorder_.lines_) recorder_.lines_->accessed(core_, access);
    if (recorder_.handovers_) recorder_.handovers_->accessed(core_, access);
}

void Recorder::Log::operator()(const Returned& call) {
    const std::uint64_t bytes = call.which == Followed::malloc   ? call.first
                                : call.which == Followed::calloc ? call.first * call.second
                                                                 : call.second;
    recorder_.lines_->allocated(call.return_address, stack_.node(), call.result, bytes, reached_);
}

void Recorder::Log::operator()(const Interrupted& at) {
    if (track_) {
        track_->begin(Track::Kind::handler, Trace::handler, at.time, stack_.depth());
        passed_before_.push_back(passed_);
    }
    stack_.call(at.pc, at.sp, true);
}

void Recorder::Log::operator()(const Marked& mark) {
    if (!track_) return;
    if (mark.what == Mark::end) return track_->end_latest(Track::Kind::mark, 0, mark.time);
    const std::uint32_t name = recorder_.timeline_->name_of(marked_text(recorder_.memory_, mark.text));
    if (mark.what == Mark::begin)
        track_->begin(Track::Kind::mark, name, mark.time);
    else
        track_->instant(name, mark.time);
}

void Recorder::Log::operator()(const Flows& flow) {
    if (recorder_.lines_ && flow.what == Flow::sends) recorder_.handovers_->sent({core_, flow.time}, flow.number);
    if (recorder_.lines_ && flow.what == Flow::receives)
        recorder_.handovers_->received({core_, flow.time}, flow.number);
    const bool ends = flow.what == Flow::receives || flow.what == Flow::is_requested || flow.what == Flow::is_answered;
    if (track_) track_->instant(Trace::flows + static_cast<std::uint32_t>(flow.what), flow.time, flow.number, ends);
}

// An instruction that is held up, or in front of which a handler is called, is come to again; once is told.
void Recorder::Log::operator()(const Passed& place) {
    if (track_ && passed_ != place.pc) pass(place.pc, place.time);
    passed_ = place.pc;
}

void Recorder::Log::pass(std::uint64_t pc, std::uint64_t time) {
    for (const Landmark& here : recorder_.landmarks_.at(pc)) {
        if (recorder_.handovers_ && here.what == Landmark::stolen_task && !here.ends)
            recorder_.handovers_->stole(core_, time);
        const std::uint32_t name = Trace::landmarks + here.what;
        if (here.ends)
            track_->end_latest(Track::Kind::landmark, name, time);
        else
            track_->begin(Track::Kind::landmark, name, time, stack_.depth());
    }
}

void Recorder::Log::operator()(const ThreadStarted& thread) {
    stack_.clear();
    passed_ = 0;
    lives_ = true;
    if (track_) track_->begin(Track::Kind::thread, Trace::thread, thread.time);
    reached_ = thread.time;
    waited_ = given_ = 0;
}

void Recorder::Log::operator()(const ThreadEnded& thread) {
    if (const std::int64_t left = divide_until(thread.time)) issued(thread.pc, left, 0);
    passed_before_.clear();
    if (track_) track_->end_all(thread.time);
    lives_ = false;
}

// A block may have begun before the end and lie behind it in part, and so may a wait that is known already.
void Recorder::Log::finish(std::uint64_t now, std::uint64_t pc) {
    settle();
    hand_over();
    if (!lives_) return;
    if (wait_.until > now) {
        const auto beyond = static_cast<std::int64_t>(wait_.until - std::max(wait_.from, now));
        if (recorder_.profiler_) recorder_.profiler_->waited(core_, wait_node_, wait_.pc, wait_.why, -beyond);
        if (recorder_.lines_) recorder_.lines_->waited(core_, wait_, -beyond);
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

void Recorder::Log::operator()(const Transferred& transfer) {
    if (transfer.kind == Linkage::call) return stack_.call(transfer.behind, transfer.sp);
    if (transfer.kind == Linkage::back)
        stack_.go_back(transfer.next, transfer.sp);
    else
        stack_.jump(transfer.sp);
    if (!track_) return;
    for (std::size_t ended = track_->returned(stack_.depth(), reached_); ended > 0; --ended) {
        passed_ = passed_before_.back();
        passed_before_.pop_back();
    }
}

}  // namespace croftsim
