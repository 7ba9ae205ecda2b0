#include "core/out_of_order.hpp"

#include <algorithm>
#include <bit>

#include "contract/asynchronous_loads.hpp"
#include "core/interpreter.hpp"

namespace croftsim {

OutOfOrder::OutOfOrder(const CoreKind& kind, Core& core, DecodedCode& code, bool remembers, std::uint64_t reorders)
    : shape_(*kind.out_of_order),
      hit_(kind.core.cost[static_cast<std::size_t>(Cost::load)] + kind.l1d.hit - 1),
      core_(core),
      code_(code),
      loads_(*core.loads),
      watched_(loads_.watched()),
      remembers_(remembers && !watched_ && reorders == 0),
      fetches_(kind.l1i.has_value()),
      reordering_(reorders),
      predictor_(shape_),
      slots_(shape_),
      issue_queue_(shape_.issue_queue),
      entries_mask_(std::bit_ceil(shape_.reorder_buffer) - 1),
      entries_(entries_mask_ + 1),
      retired_(entries_mask_ + 1),
      renamed_(shape_.registers - 32),
      files_mask_(std::bit_ceil(renamed_) - 1),
      queue_(shape_),
      blocks_(shape_.same_line == OutOfOrderDescription::SameLine::blocks),
      step_of_(entries_mask_ + 1),
      trial_(ScheduleMemory::longest, shape_.load_store_queue ? shape_.load_store_queue : shape_.store_queue) {
    for (File& file : files_) file.freed.resize(files_mask_ + 1);
}

// ---- time ----

std::uint64_t OutOfOrder::next() const {
    if (serial_ || begun_ != core_.begun) return core_.time();
    const std::uint64_t event = next_event();
    if (const std::uint64_t dispatch_at = next_dispatch(); dispatch_at != never) return std::min(event, dispatch_at);
    if (empty() && (core_.drains || serial_may_begin())) return std::min(event, boundary());
    return event;
}

// When the window, which is empty, may be left.
std::uint64_t OutOfOrder::boundary() const {
    return std::max({dispatch_time_, last_retired_ + 1, last_committed_ + 1, now_});
}

// A line that was asked for on a path that was left is still on its way: the instruction must not ask for it again.
bool OutOfOrder::serial_may_begin() const {
    if (halt_ != Halt::serial) return false;
    if (asked_for_.empty()) return true;
    const Decoded& instruction = code_.at(fetch_pc_);
    const std::int64_t offset = is_access(instruction.handling) ? instruction.imm : 0;
    const std::uint8_t base = instruction.sources[0];
    const std::uint64_t at = base < first_floating ? core_.hart.x[base] : 0;
    return !is_asked_for(at + static_cast<std::uint64_t>(offset), 8);
}

void OutOfOrder::run(std::uint64_t safe, std::uint64_t /*stop*/) {
    core_.safe = core_.stop = safe;
    core_.runs_ahead = false;
    if (core_.log) core_.log->settle();
    if (begun_ != core_.begun) {
        begun_ = core_.begun;
        serial_ = true;
        alone_ = nullptr;
    }
    const bool nothing_is_begun = !core_.op || core_.block != alone_;
    if (serial_ && nothing_is_begun) begin(core_.pc(), core_.time());
    while (!serial_) {
        const std::uint64_t event = next_event(), dispatch_at = next_dispatch();
        if (std::min(event, dispatch_at) < core_.safe) {
            if (event <= dispatch_at) {
                act();
                continue;
            }
            if (halt_ == Halt::queue) {
                halt_ = Halt::none;
                hold_dispatch_until(dispatch_at);
            }
            // Segments are played whole: with others close behind, hardly any would fit.
            if (core_.safe - dispatch_time_ < far_) {
                forget_segment();
            } else if (remembers_ && is_quiet()) {
                remember();
                if (dispatch_time_ >= core_.safe) continue;
            }
            dispatch();
        } else if (!core_.drains && empty() && serial_may_begin() && boundary() < core_.safe) {
            begin_serial(boundary());
        } else {
            core_.hart.pc = head_ == tail_ ? fetch_pc_ : entry_of(head_).pc;
            return;
        }
    }
    // One instruction: at the next block's beginning it has reached `stop`.
    core_.stop = std::min(core_.safe, core_.time() + 1);
    const std::uint64_t loads = core_.statistics.loads;
    interpret(core_);
    statistics_.looks += core_.statistics.loads - loads;
}

void OutOfOrder::begin(std::uint64_t pc, std::uint64_t time) {
    serial_ = false;
    // A load right behind the instruction that was to be done alone may have been done with it.
    if (core_.op && core_.op != core_.block->ops.data()) {
        CoreStatistics& counts = core_.statistics;
        const std::uint64_t before = counts.loads;
        core_.blocks->count_up_to(*core_.block, core_.op, counts.instructions, counts.loads, counts.stores);
        statistics_.looks += counts.loads - before;
        if (core_.log) core_.log->tell(ExecutionLog::Part{core_.block, core_.op, time});
    }
    core_.op = nullptr;
    core_.block = nullptr;
    core_.fetches.leave(0);
    for (std::uint8_t i = 1; i < first_floating; ++i) registers_[i] = {core_.hart.x[i], time, 0};
    for (std::uint8_t i = 0; i < 32; ++i) registers_[first_floating + i] = {core_.hart.f[i], time, 0};
    ready_.fill(time);
    fetch_from(pc, time);
    fetch_line_ = InstructionL1::nothing;  // fence.i may have dropped it
    forget_segment();
    core_.drains = false;
    for (InFlight& entry : entries_) entry.age = 0;
    head_ = tail_;
    for (File& file : files_) file.written = file.retired;
    last_retired_ = std::max(last_retired_, time - 1);
    retired_then_ = 0;
    queue_.clear();
    issue_queue_.clear();
    events_.clear();
    startable_.clear();
    commit_ = never;
    commit_waits_ = port_blocked_ = false;
    under_way_ = loads_.stores_under_way();
    now_ = std::max(now_, time);
}

void OutOfOrder::begin_serial(std::uint64_t time) {
    ++statistics_.serial;
    forget_segment();
    const std::uint64_t ready = std::max(dispatch_time_, last_retired_ + 1);
    core_.accessing = 0;
    core_.book(Stall::store_buffer, ready, time, fetch_pc_);
    give_core(core_.blocks->find(fetch_pc_), time);
}

bool OutOfOrder::drain(bool due) {
    if (core_.drains == due) return false;
    core_.drains = due;
    return !serial_ && begun_ == core_.begun;
}

bool OutOfOrder::stands(std::uint64_t time) {
    if (serial_ || begun_ != core_.begun) return true;
    if (!empty() || time < boundary()) return false;
    give_core(nullptr, time);
    return true;
}

// ---- events ----

// The next event: a store's turn at the L1 before the others of its cycle, but behind them if they take it from the
// store.
void OutOfOrder::act() {
    if (events_.empty() || commit_ < events_.first().time + (shape_.l1_accesses == 0 ? 1 : 0)) {
        now_ = std::max(now_, commit_);
        note_time(commit_);
        commit(commit_);
    } else {
        const Event event = events_.pop();
        note_time(event.time);
        MemoryOperation& operation = queue_[event.place];
        // Undone meanwhile. Nor has its time come to anything: it may be behind the next serial instruction, which
        // waits for it or not as the horizon is.
        if (operation.age != event.age) return;
        now_ = std::max(now_, event.time);
        operation.is_store ? have_address(event.place, event.time) : load(event.place, event.time, nullptr);
    }
    start_woken();
    retire();
}

void OutOfOrder::serialise(Archive& archive) {
    archive(reordering_, predictor_, slots_, issue_queue_, statistics_, serial_, begun_, fetch_pc_, dispatch_time_,
            dispatched_, delayed_from_, delayed_by_, halt_, fetch_line_, awaited_line_, fetching_, head_, tail_, age_,
            roomy_, files_, registers_, ready_, startable_, last_retired_, retired_then_, walked_from_, walked_until_,
            queue_, events_, reasons_, commit_, under_way_, commit_waits_, port_blocked_, port_time_, port_uses_,
            last_committed_, asked_for_, waits_, waits_since_, now_);
    archive.each(entries_);
    archive.each(retired_);
    Block* alone = const_cast<Block*>(alone_);  // NOLINT: it is the cache's
    core_.blocks->serialise_place(archive, alone);
    alone_ = alone;
}

std::uint64_t OutOfOrder::looks() const { return statistics_.looks + (core_.loads_begun() - core_.statistics.loads); }

void OutOfOrder::statistics(std::uint32_t core, const StatisticRow& row) const {
    row("window", core, "branches", "instructions", statistics_.branches);
    row("window", core, "mispredictions", "instructions", statistics_.mispredictions);
    row("window", core, "squashed", "instructions", statistics_.squashed);
    row("window", core, "forwarded", "instructions", statistics_.forwarded);
    row("window", core, "merged", "accesses", statistics_.merged);
    row("window", core, "violations", "instructions", statistics_.violations);
    row("window", core, "serial", "instructions", statistics_.serial);
}

}  // namespace croftsim
