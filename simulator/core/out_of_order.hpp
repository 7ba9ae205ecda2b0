#pragma once
// An out-of-order core (paper 002, table II): a window of instructions, on timestamps.
//
// Instructions are dispatched in the program's order along the predicted path. If the registers that an instruction
// reads have known values, it gets its issue cycle, its completion and its value when it is dispatched. No cycle of the
// window is ever scanned. Loads, the addresses of stores and the stores themselves are events at the time at which they
// happen. Whatever depends on a load without a value waits in the window, and the value wakes it. If that is a branch,
// it is predicted, and everything behind it is undone if it was mispredicted. A branch whose outcome is known when it
// is dispatched needs no wrong path. Fetching goes on where it leads, at the time at which it would after a
// misprediction if it was one.
//
// An instruction retires, and its result becomes the hart's, as soon as its result and all older ones are known. Its
// retirement has a time, for which other instructions wait. They get its entry in the reorder buffer or in the
// load/store queue, or the physical register that its result replaces. (A store's entry is free once the L1 has taken
// it.) Each has a key that says how long behind that time it can be taken again (`entry_reuse` and so on). An entry
// among those that have not issued (`issue_queue`) is free in the cycle of the issue.
//
// Behind a misprediction the reorder buffer may take time to be undone (`squash`). Until it is, nothing is dispatched,
// and nothing retires. A branch without a wrong path has behind it the instructions that would have been dispatched
// until its outcome was there.
//
// The L1 may take so many loads and stores a cycle only (`l1_accesses`), loads first. A load beyond them issues again,
// two cycles later at the earliest; a store tries again in the next.
//
// A load or store whose line is on its way may block the port of the L1 (`same_line`). Then no other goes to the L1,
// not even one that hits, until the L1 has been answered anything, or a block of the program. Then they issue again. A
// value that a store in flight forwards needs no port.
//
// Memory order. A load takes its value from the youngest older store to its bytes. Older stores whose address is not
// known yet are taken not to match. If one turns out to match, the load is undone with everything behind it, and waits
// for addresses from then on. A load that has a value before an older load has one is undone if its line is taken away
// meanwhile. So loads return values as if they were done in order. Stores are handed to the L1 in order, behind their
// retirement, so none comes before an older load. But if the L1 has to ask for their lines, they become visible to
// others in any order, and after younger loads have read. Whatever orders more than that (fences, atomics) is serial.
// Where the L1 keeps stores in order, too, a fence has something to do only if it orders stores before loads. Others
// pass the window there as instructions that compute nothing.
// In a perturbed run loads are not in order, either (may_keep, load_reordering.hpp).
//
// Serial instructions (all that are not arithmetic, control transfers, loads and stores) wait until the window is empty
// and its stores are taken. Then the in-order interpreter does that instruction. So does an instruction that faults,
// when it has become the oldest. An interrupt waits for the window likewise, and cuts in between.
//
// Exactness. Every event has a time, none before the time of its cause, and only those before core.safe happen:
// anything unknown arrives later. So nothing is ever taken back for the machine's sake. No cycle depends on how far the
// window between two exchanges reaches (machine/window.md).

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "core/branch_predictor.hpp"
#include "core/core.hpp"
#include "core/core_model.hpp"
#include "core/decoded_code.hpp"
#include "core/event_line.hpp"
#include "core/execute.hpp"
#include "core/issue_queue.hpp"
#include "core/issue_slots.hpp"
#include "core/load_reordering.hpp"
#include "core/load_store_queue.hpp"
#include "core/reorder_buffer.hpp"
#include "core/schedule_memory.hpp"
#include "core/trial.hpp"

namespace croftsim {

class AsynchronousLoads;

class OutOfOrder final : public CoreModel {
public:
    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t branches = 0, mispredictions = 0;  // retired; predicted wrongly among them
        std::uint64_t squashed = 0;                      // instructions undone
        std::uint64_t forwarded = 0;                     // loads that got their value from a store in flight
        std::uint64_t looks = 0;       // of loads at lines of the L1 that were there, or were asked for then
        std::uint64_t merged = 0;      // at lines that had been asked for
        std::uint64_t violations = 0;  // loads undone, with all behind them, for a store or a lost line
        std::uint64_t serial = 0;      // instructions done alone
    };

    // `remembers`: what the window has done before need not be done again (schedule_memory.hpp); nothing changes but
    // how soon.
    // `reorders`: the seed by which loads overtake others; 0: none does.
    OutOfOrder(const CoreKind& kind, Core& core, DecodedCode& code, bool remembers, std::uint64_t reorders);

    std::uint64_t next() const override;
    // Everything before `safe`, or one serial instruction: there is no checkpoint.
    void run(std::uint64_t safe, std::uint64_t stop) override;
    bool is_beyond(std::uint64_t time) override {
        now_ = time > now_ ? time : now_;
        return false;
    }
    bool drain(bool due) override;
    bool stands(std::uint64_t time) override;
    bool looks_in_order() const override { return false; }
    void line_arrived(std::uint64_t line, const std::uint8_t* bytes, std::uint64_t time, std::uint64_t usable,
                      bool from_memory) override;
    void line_lost(std::uint64_t line, std::uint64_t time) override;
    void lines_lost(std::span<const std::uint64_t> lines, std::uint64_t time) override {
        for (const std::uint64_t line : lines) line_lost(line, time);
    }
    void program_arrived(std::uint64_t line, std::uint64_t time, std::uint64_t usable) override;
    void store_done(std::uint64_t time) override;
    // The reason that has kept the oldest instruction so far from retiring.
    void book_wait(std::uint64_t now) override;
    std::optional<Stall> waits_for() const override;
    const Block* block() const override { return alone_; }
    std::uint64_t looks() const override;
    void has_looked() override { ++statistics_.looks; }
    void statistics(std::uint32_t core, const StatisticRow& row) const override;
    // Without what is remembered: who is read remembers anew, which changes nothing but how soon.
    void serialise(Archive& archive) override;

private:
    // Why nothing is dispatched. `queue`: until one issues, which may be known, and not have come.
    enum class Halt : std::uint8_t { none, full, queue, serial, target, fetch };
    struct Arrival {
        std::uint64_t line, usable;
        const std::uint8_t* bytes;
    };
    using Wait = MemoryOperation::Wait;

    // ---- out_of_order.cpp: the order of events
    void begin(std::uint64_t pc, std::uint64_t time);
    void begin_serial(std::uint64_t time);
    // The interpreter has the core, for the block or before any.
    void give_core(Block* block, std::uint64_t time) {
        serial_ = true;
        alone_ = core_.block = block;
        core_.op = block ? block->ops.data() : nullptr;
        core_.cycle = time;
        core_.hart.pc = fetch_pc_;
    }
    bool empty() const { return head_ == tail_ && queue_.empty(); }
    // When the next instruction is, as far as is known.
    std::uint64_t next_dispatch() const {
        if (core_.drains) return never;
        if (halt_ == Halt::none) return dispatch_time_;
        return halt_ == Halt::queue ? std::max(dispatch_time_, issue_queue_.room()) : never;
    }
    std::uint64_t boundary() const;
    bool serial_may_begin() const;
    std::uint64_t next_event() const { return std::min(commit_, events_.next()); }
    void act();

    // ---- dispatch.cpp: fetching, renaming, and results
    void dispatch();
    bool fetched(const Decoded& instruction);
    void delay(Stall why);
    bool is_roomy();
    bool make_room(const Decoded& instruction);
    void place(const Decoded& instruction);
    bool place_computed(const Decoded& instruction);
    void place_transfer_alone(const Decoded& instruction);
    void retire_at_once(const Decoded& instruction, const Computed& computed, std::uint64_t issues,
                        std::uint64_t ready);
    InFlight& enter(const Decoded& instruction);
    // It is known when it issues.
    void leave_queue(InFlight& entry, std::uint64_t issues) {
        if (!entry.queued) return;
        entry.queued = false;
        issue_queue_.issues(entry.sequence, issues);
    }
    // Fetching goes on there, and nothing has been dispatched at `time`.
    void fetch_from(std::uint64_t pc, std::uint64_t time) {
        fetch_pc_ = pc;
        dispatch_time_ = time;
        dispatched_ = 0;
        delayed_from_ = never;
        halt_ = Halt::none;
        roomy_ = 0;
    }
    // Nothing is dispatched before.
    void hold_dispatch_until(std::uint64_t time) {
        if (time <= dispatch_time_) return;
        dispatch_time_ = time;
        dispatched_ = 0;
    }
    void fetch_behind(const Decoded& instruction) {
        fetch_pc_ += instruction.length;
        if (++dispatched_ < shape_.fetch_width) return;
        dispatched_ = 0;
        ++dispatch_time_;
    }
    // When one that computes does.
    std::uint64_t issue(const Decoded& instruction, std::uint64_t earliest) {
        if (!instruction.keeps_unit) return slots_.take(instruction.unit, earliest);
        return slots_.take_and_keep(instruction.unit, earliest, instruction.latency, now_);
    }
    std::uint8_t rounding_of(const Decoded& instruction) const {
        return instruction.rounding == 7 ? core_.hart.frm : instruction.rounding;
    }
    std::uint64_t predict(const Decoded& instruction, std::uint64_t pc, BranchPredictor::Prediction& made);
    void fetch_along(const Decoded& instruction, std::uint64_t predicted);
    void place_memory(InFlight& entry);
    void start(std::uint64_t sequence);
    void resolve(std::uint64_t sequence);
    void know(std::uint64_t sequence, std::uint64_t value, std::uint64_t ready);
    void deliver(std::int16_t waiter, std::uint64_t value, std::uint64_t ready);
    void deliver_address(InFlight& store, std::uint64_t base, std::uint64_t ready);
    void start_woken() {
        if (!startable_.empty()) start_each_woken();
    }
    void start_each_woken();

    // ---- retire.cpp: in order, or not at all
    void retire();
    void commit_result(const InFlight& entry, std::uint64_t time);
    // The register's value is the hart's, and what it replaces is free.
    void commit_register(std::uint8_t rd, std::uint64_t value, std::uint64_t ready, std::uint64_t time) {
        if (rd == no_register) return;
        hart_register(rd) = value;
        ready_[rd] = ready;
        File& file = files_[file_of(rd)];
        file.freed[file.retired++ & files_mask_] = time + shape_.register_reuse - 1;
    }
    void learn(const InFlight& entry);
    bool is_indirect(const Decoded& instruction) const {
        return instruction.handling == Handling::jump_register && predictor_.predicts_indirect() &&
               !(instruction.returns && predictor_.has_stack());
    }
    void learn_from(const Decoded& instruction, std::uint64_t pc, const BranchPredictor::Prediction& prediction,
                    bool taken, std::uint64_t target, bool mispredicted) {
        if (instruction.handling == Handling::branch) predictor_.learn_branch(pc, prediction, taken);
        if (taken) predictor_.learn_target(pc, target);
        if (mispredicted && is_indirect(instruction)) predictor_.learn_indirect(pc, prediction, target);
    }
    // It went otherwise than predicted.
    void correct(const Decoded& instruction, const BranchPredictor::Prediction& prediction, bool taken,
                 std::uint64_t target) {
        if (instruction.handling == Handling::branch) predictor_.correct(prediction, taken);
        if (is_indirect(instruction)) predictor_.correct_path(prediction, target);
    }
    void book(const InFlight& entry, std::uint64_t time);
    void book_delay(std::uint64_t from, std::uint64_t to, Stall why, std::uint64_t pc);
    void tell_of_fence(std::uint8_t ordered);
    void log(const Decoded& instruction, std::uint64_t pc, std::uint64_t target, std::uint64_t time);
    void log_access(const MemoryOperation& operation, std::uint64_t time);
    // When the oldest instruction retires, if its result is there at `ready`: shape_.width retire in a cycle.
    std::uint64_t retirement(std::uint64_t ready) const {
        const std::uint64_t time = ready > last_retired_          ? ready
                                   : retired_then_ < shape_.width ? last_retired_
                                                                  : last_retired_ + 1;
        return time >= walked_from_ && time < walked_until_ ? walked_until_ : time;
    }
    void redirect(InFlight& entry, const Computed& computed, std::uint64_t done);
    void squash(std::uint64_t first, std::uint64_t pc, std::uint64_t time, std::uint64_t since);
    std::uint64_t walk(std::uint64_t first, std::uint64_t time, std::uint64_t since);
    RegisterValue latest(const RegisterValue& value, std::uint8_t number) const;
    void unhalt();

    // ---- memory_operations.cpp
    void load(std::uint64_t place, std::uint64_t time, const Arrival* arrival);
    void finish_load(MemoryOperation& operation, std::uint64_t place, std::uint64_t time, std::uint64_t usable);
    bool forward(MemoryOperation& operation, std::uint64_t place, std::uint64_t time);
    bool copy(MemoryOperation& operation, std::uint64_t time, const Arrival* arrival);
    void have_address(std::uint64_t place, std::uint64_t time);
    void have_data(InFlight& entry, std::uint64_t value, std::uint64_t ready);
    void complete_store(std::uint64_t place);
    void find_violation(std::uint64_t place, std::uint64_t time);
    void wait(MemoryOperation& operation, Wait reason);
    bool may_keep(std::uint64_t place) const;
    void retry(Wait reason, std::uint64_t time) {
        if (reasons_ >> static_cast<unsigned>(reason) & 1) retry_waiting(reason, time);
    }
    void retry_waiting(Wait reason, std::uint64_t time);
    // Whether its line is this core's alone, and dirty already; then where its bytes are.
    bool is_writable(std::uint64_t address, unsigned size) const {
        const auto& fast = core_.fast.writes[(address / line_bytes) % WriteFilter::entries];
        return (address & (~std::uint64_t{line_bytes - 1} | (size - 1u))) == fast.line;
    }
    bool is_writable(const MemoryOperation& store) const { return is_writable(store.address, store.size); }
    std::uint8_t* line_to_write(std::uint64_t address) const {
        const auto& fast = core_.fast.writes[(address / line_bytes) % WriteFilter::entries];
        return reinterpret_cast<std::uint8_t*>(address + fast.addend);
    }
    void schedule_commit();
    void commit(std::uint64_t time);
    void retry_commit(std::uint64_t time) {
        if (std::exchange(commit_waits_, false)) commit_ = time;
    }
    bool must_wait(std::uint64_t pc, std::uint64_t time);

    // ---- l1_port.cpp
    bool goes_to_l1(MemoryOperation& operation, std::uint64_t place, std::uint64_t time);
    // Whether the L1 takes one more in that cycle, which is the latest; then it has.
    bool is_taken(std::uint64_t time) const {
        return shape_.l1_accesses != 0 && port_time_ == time && port_uses_ >= shape_.l1_accesses;
    }
    void take_port(std::uint64_t time) {
        if (port_time_ != time) port_uses_ = 0;
        port_time_ = time;
        ++port_uses_;
    }
    void issue_again(MemoryOperation& operation, std::uint64_t place, std::uint64_t earliest);
    bool blocks_port(std::uint64_t address, unsigned size);
    // Whoever waits issues again.
    void unblock_port(std::uint64_t time) {
        if (!std::exchange(port_blocked_, false)) return;
        retry(Wait::port, time);
        retry_commit(time);
    }
    bool is_asked_for(std::uint64_t address, unsigned size) const;

    // ---- remembered.cpp, playing.cpp: what it has done before
    bool is_quiet() const;
    void remember();
    void write_state(std::vector<std::uint32_t>& key) const;
    void read_state(const std::vector<std::uint32_t>& key, std::uint64_t now);
    const Segment* play(ScheduleState& state, std::uint64_t at, bool& cut);
    void take_over(const Segment& segment, std::uint64_t at);
    ScheduleNode* choose(ScheduleNode& node, std::uint64_t at);
    bool play_step(const ScheduleStep& step, std::uint64_t at);
    struct Transfer {
        Computed computed;
        std::uint64_t predicted;
        bool early;
        BranchPredictor::Prediction prediction;
        bool is_that_of(const ScheduleStep& step) const {
            if (predicted != step.predicted || early != step.early) return false;
            return !step.executed || (computed.taken == step.taken && (!step.taken || computed.target == step.target));
        }
    };
    Transfer outcome_of(const ScheduleStep& step);
    void play_transfer(const ScheduleStep& step, const Transfer& transfer);
    std::uint64_t value_of(std::uint8_t number) const {
        const Hart& hart = core_.hart;
        return number < first_floating ? hart.x[number] : number == no_register ? 0 : hart.f[number - first_floating];
    }
    bool write_waiting();
    void unwrite_waiting();
    bool play_load(const ScheduleStep& step, std::uint64_t address, std::uint64_t at, std::uint64_t& value);
    bool play_look(const ScheduleStep& step, const ScheduleStep::Looked& looked, std::uint16_t source,
                   std::uint64_t address, std::uint64_t at);
    void play_redirect(const ScheduleStep& step);
    void play_result(std::uint8_t rd, std::uint64_t value) {
        if (rd == no_register) return;
        trial_.write(hart_register(rd), value);
    }
    void begin_segment(ScheduleState& state);
    void end_segment(ScheduleState& state);
    // What happens that no segment can hold: it depends on others.
    void forget_segment() { noted_.reset(); }
    // Sums to which instructions add by themselves.
    std::array<std::uint64_t*, Segment::counters> counters() {
        CoreStatistics& counts = core_.statistics;
        return {&counts.instructions,        &counts.loads,         &counts.stores,         &statistics_.branches,
                &statistics_.mispredictions, &statistics_.squashed, &statistics_.forwarded, &statistics_.looks,
                &core_.fetches.looks};
    }
    void note_instruction(const Decoded& instruction);
    void note_look(const MemoryOperation& load, std::uint64_t place, std::uint64_t time);
    void note_time(std::uint64_t time) {
        if (noted_ && time > noted_at_ + noted_->latest) noted_->latest = static_cast<std::uint32_t>(time - noted_at_);
    }
    ScheduleStep& noted_step(std::uint64_t sequence) { return steps_[step_of_[sequence & entries_mask_].step]; }
    ScheduleStep& note_step(ScheduleStep::Kind kind) {
        steps_.emplace_back().kind = kind;
        return steps_.back();
    }

    InFlight& entry_of(std::uint64_t sequence) { return entries_[sequence & entries_mask_]; }
    // In the list of those who wait for the same value.
    std::int16_t& older_than(std::int16_t waiter) {
        return entries_[static_cast<std::size_t>(waiter / 4)].older[static_cast<std::size_t>(waiter % 4)];
    }
    std::uint64_t& hart_register(std::uint8_t rd) const {
        return rd < first_floating ? core_.hart.x[rd] : core_.hart.f[rd - first_floating];
    }
    // The register has that value, on the path that is fetched.
    void rename(std::uint8_t rd, const RegisterValue& value) {
        if (rd == no_register) return;
        registers_[rd] = value;
        ++files_[file_of(rd)].written;
    }
    static std::size_t file_of(std::uint8_t rd) { return rd >= first_floating ? 1 : 0; }

    const OutOfOrderDescription shape_;
    const std::uint64_t hit_;  // cycles from a load's issue to its result
    Core& core_;
    DecodedCode& code_;
    AsynchronousLoads& loads_;
    const bool watched_, remembers_;
    const bool fetches_;  // from an L1 instruction cache
    LoadReordering reordering_;
    BranchPredictor predictor_;
    IssueSlots slots_;
    IssueQueue issue_queue_;
    Statistics statistics_;

    // Whether the window has the core, or the interpreter, for one instruction or before the first.
    bool serial_ = true;
    const Block* alone_ = nullptr;  // what the interpreter was given
    std::uint32_t begun_ = 0;       // core.begun as of the last time

    std::uint64_t fetch_pc_ = 0;
    std::uint64_t dispatch_time_ = 0;  // of the next instruction, if there is room
    std::uint32_t dispatched_ = 0;     // in that cycle
    std::uint64_t delayed_from_ = never;
    Stall delayed_by_ = Stall::store_buffer;
    Halt halt_ = Halt::none;
    std::uint64_t fetch_line_ = InstructionL1::nothing;  // the last one looked up there
    std::uint64_t awaited_line_ = 0;                     // what a halt is for
    std::vector<std::uint64_t> fetching_;                // asked for

    std::uint64_t entries_mask_;
    std::vector<InFlight> entries_;
    std::uint64_t head_ = 0, tail_ = 0;  // sequence numbers
    std::uint64_t age_ = 0;
    std::uint32_t roomy_ = 0;              // that many instructions, whatever they are, find an entry and a register
    std::vector<std::uint64_t> retired_;   // in which cycle each last had its entry, by sequence number
    struct File {                          // one of the two: results in flight hold registers
        std::vector<std::uint64_t> freed;  // in which cycle each was last not free
        std::uint64_t written = 0, retired = 0;
        void serialise(Archive& archive) {
            archive.each(freed);
            archive(written, retired);
        }
    };
    std::uint32_t renamed_;  // registers beyond the program's
    std::uint64_t files_mask_;
    std::array<File, 2> files_;
    std::array<RegisterValue, register_count> registers_{};
    std::array<std::uint64_t, register_count> ready_{};  // of the hart's values
    struct Startable {
        static constexpr bool is_plain = true;
        std::uint64_t sequence, age;
    };
    std::vector<Startable> startable_;
    std::uint64_t last_retired_ = 0;
    std::uint32_t retired_then_ = 0;  // in that cycle
    // When the reorder buffer is walked. Nothing is dispatched before the end, so no quiet point lies before it.
    std::uint64_t walked_from_ = 0, walked_until_ = 0;

    LoadStoreQueue queue_;
    EventLine events_;              // loads, and stores' addresses
    std::uint32_t reasons_ = 0;     // bits: for which some load may wait
    std::uint64_t commit_ = never;  // the next attempt to hand a store to the L1
    // Stores that the L1 has taken and not done: the fast path may not be what a load must see.
    bool under_way_ = false;
    bool commit_waits_ = false;        // for a line, or for room in the L1
    const bool blocks_;                // nothing goes there behind an access to a line that is on its way
    bool port_blocked_ = false;        // and now it does not
    std::uint64_t port_time_ = never;  // the latest cycle in which something went there, and how much
    std::uint32_t port_uses_ = 0;
    std::uint64_t last_committed_ = 0;
    std::vector<std::uint64_t> asked_for_;  // lines
    std::array<bool, 1024> waits_{};        // by pc: loads that wait for older stores' addresses
    std::uint64_t waits_since_ = 0;

    static constexpr std::uint64_t far_ = 200;  // cycles to the horizon from which on segments are played
    ScheduleMemory memory_;
    std::uint64_t generation_ = 0;  // of the program's code that it is of
    std::vector<std::uint32_t> key_;
    std::vector<ScheduleStep> steps_;  // of the segment that is noted
    std::unique_ptr<Segment> noted_;   // since noted_at_, in noted_from_; null: what happens is not to be remembered
    ScheduleState* noted_from_ = nullptr;
    std::uint64_t noted_at_ = 0;
    std::uint16_t numbers_ = 0;                               // of its instructions
    std::array<std::uint64_t, Segment::counters> counted_{};  // when it began
    struct Noted {
        std::uint32_t step;
        std::uint16_t number;
    };
    std::vector<Noted> step_of_;  // by sequence number
    Trial trial_;
    std::vector<WaitingStore> waiting_, waits_next_;  // stores; while segments are played
    std::uint64_t now_ = 0;
};
static_assert(is_listed<OutOfOrder, 4928>);

}  // namespace croftsim
