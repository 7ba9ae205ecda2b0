#pragma once
// Records a run, if somebody wants to know more of it than its statistics: the work of every core, by a log for each
// (record/execution_log.hpp). No recording changes a cycle.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "contract/simulation.hpp"
#include "memory/address_space.hpp"
#include "record/call_stack.hpp"
#include "record/channel_counts.hpp"
#include "record/execution_log.hpp"
#include "record/handovers.hpp"
#include "record/landmarks.hpp"
#include "record/lines.hpp"
#include "record/profiler.hpp"
#include "record/timeline.hpp"
#include "record/track.hpp"

namespace croftsim {

class Recorder {
public:
    Recorder(std::uint32_t cores, const RunOptions& options, const AddressSpace& memory);

    static bool is_wanted(const RunOptions& options) {
        return options.profile || options.trace_limit || options.lines_limit;
    }

    // For runs that want them; null: none.
    const Landmarks* landmarks() const { return timeline_ && !landmarks_.none() ? &landmarks_ : nullptr; }
    ExecutionLog& log_of(std::uint32_t core) { return *logs_[core]; }
    // A message has been sent; to be told in the order of time.
    void sent(const Message& message, std::uint32_t hops) {
        if (lines_) lines_->sent(message, hops);
    }
    // Whether it is time for order_until().
    bool is_due(std::uint64_t now) const {
        return (lines_ || handovers_) && (now >= ordered_ + stretch || (lines_ && lines_->has_many()));
    }
    // The machine has come to `now`: no core will tell of what it does before, but for what it has told already. Logs
    // of cores that are not ahead of their time are all settled.
    void order_until(std::uint64_t now);
    // The run ends at `now`, with the core at pc.
    void finish(std::uint32_t core, std::uint64_t now, std::uint64_t pc) { logs_[core]->finish(now, pc); }
    Profile profile() { return profiler_ ? Profile{calls_.nodes(), profiler_->rows()} : Profile{}; }
    Trace trace();
    Lines lines(const LineRecorder::HomeOf& home_of);

private:
    static constexpr std::uint64_t stretch = 8192;  // cycles
    void handed_over(const Handovers::Handed& what);
    // Divides a core's time between what it carries out and what it waits for, and knows in which calls.
    class Log final : public ExecutionLog {
    public:
        Log(Recorder& recorder, std::uint32_t core) : recorder_(recorder), core_(core), stack_(recorder.calls_) {
            if (recorder.timeline_) track_.emplace(*recorder.timeline_, core);
            if (recorder.lines_ || recorder.handovers_) follow_accesses();
            if (recorder.lines_) follow(recorder.followed_);
        }

        void finish(std::uint64_t now, std::uint64_t pc);

        void operator()(const Step& step);
        void operator()(const Part& part);
        void operator()(const Retired& instruction);
        void operator()(const Transferred& transfer);
        void operator()(const Waited& wait);
        void operator()(const Accessed& access);
        void operator()(const Returned& call);
        void operator()(const Took& took);
        void operator()(const Marked& mark);
        void operator()(const Flows& flow);
        void operator()(const Passed& place);
        void operator()(const Interrupted& at);
        void operator()(const ThreadStarted& thread);
        void operator()(const ThreadEnded& thread);

    private:
        void take(const Events& events, Events::Place end) override { events.for_each(end, *this); }
        // The cycles up to `time` that are not divided yet; they are, from now on.
        std::int64_t divide_until(std::uint64_t time);
        void pass(std::uint64_t pc, std::uint64_t time);
        void issued(std::uint64_t pc, std::int64_t cycles, std::uint64_t times) {
            if (recorder_.profiler_) recorder_.profiler_->executed(core_, stack_.node(), pc, cycles, times);
        }

        Recorder& recorder_;
        const std::uint32_t core_;
        CallStack stack_;
        std::optional<Track> track_;
        bool lives_ = false;         // it has a thread
        std::uint64_t stored_ = 0;   // the latest address: what a fence waits for
        std::uint64_t reached_ = 0;  // up to where its time is divided
        std::int64_t waited_ = 0;    // since then
        std::int64_t given_ = 0;     // of the rest, to instructions that took more or less than their block says
        Waited wait_{};              // the latest
        std::uint32_t wait_node_ = 0;
        std::uint64_t passed_ = 0;                  // the latest landmark, until control has left the block
        std::vector<std::uint64_t> passed_before_;  // the handlers that are under way
    };

    const AddressSpace& memory_;
    const Landmarks landmarks_;
    const std::vector<Followed> followed_;
    std::uint64_t ordered_ = 0;  // when the cores' logs were last put in order
    CallTree calls_;
    std::optional<Profiler> profiler_;
    std::optional<Timeline> timeline_;
    std::optional<LineRecorder> lines_;
    ChannelCounts channels_;              // of the lines
    std::optional<Handovers> handovers_;  // of the timeline and of channels
    std::uint64_t arrows_ = 0;
    std::vector<std::unique_ptr<Log>> logs_;
};

}  // namespace croftsim
