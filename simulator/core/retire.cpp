// The window's back: instructions retire in order, or are undone from the youngest on.

#include <algorithm>
#include <optional>

#include "base/one_of.hpp"
#include "core/out_of_order.hpp"
#include "record/race_detector.hpp"

namespace croftsim {

void OutOfOrder::retire() {
    if (head_ == tail_ || !entry_of(head_).known) return;
    do {
        InFlight& entry = entry_of(head_);
        const std::uint64_t time = retirement(entry.ready);
        if (entry.faults) {  // the interpreter does it again, and says what is wrong
            forget_segment();
            squash(head_, entry.pc, time, time);
            dispatch_time_ = time;
            halt_ = Halt::serial;
            return;
        }
        retired_then_ = time == last_retired_ ? retired_then_ + 1 : 1;
        commit_result(entry, time);
        last_retired_ = time;
        retired_[head_++ & entries_mask_] = time + shape_.entry_reuse - 1;
        entry.age = 0;
    } while (head_ != tail_ && entry_of(head_).known);
    unhalt();
}

void OutOfOrder::commit_result(const InFlight& entry, std::uint64_t time) {
    const Decoded& instruction = entry.instruction;
    ++core_.statistics.instructions;
    commit_register(instruction.rd, entry.value, entry.ready, time);
    if (time > last_retired_) book(entry, time);
    if (core_.log) log(entry.instruction, entry.pc, entry.target, time);
    switch (instruction.handling) {
        case Handling::computes:
            if (core_.races && instruction.opcode == Opcode::fence) tell_of_fence(instruction.options);
            core_.hart.fflags |= entry.flags;
            break;
        case Handling::load: {
            const MemoryOperation& load = queue_[entry.place];
            ++core_.statistics.loads;
            if (core_.races) core_.races->load(core_.id, {load.pc, time, core_.hart.x[1]}, load.address, load.size);
            log_access(load, time);
            queue_.load_finished(entry.place, time + shape_.load_reuse - 1);
            break;
        }
        case Handling::store: {
            MemoryOperation& store = queue_[entry.place];
            store.retired = true;
            if (!store.forwards) {
                ++core_.statistics.stores;
                if (core_.races)
                    core_.races->store(core_.id, {store.pc, time, core_.hart.x[1]}, store.address, store.size);
                log_access(store, time);
            }
            store.free_at = time + shape_.store_delay;
            schedule_commit();
            break;
        }
        default:
            learn(entry);
            break;
    }
}

// One that has passed the window, as race_requester.hpp tells of those that have not.
void OutOfOrder::tell_of_fence(std::uint8_t ordered) {
    constexpr std::uint8_t stores = 1, loads = 2;
    const auto earlier = static_cast<std::uint8_t>(ordered >> 4 & 15), later = static_cast<std::uint8_t>(ordered & 15);
    if ((earlier & 5) && later) core_.races->release(core_.id, later == stores);
    if (earlier && (later & 10)) core_.races->acquire(core_.id, earlier == loads);
}

void OutOfOrder::log(const Decoded& instruction, std::uint64_t pc, std::uint64_t target, std::uint64_t time) {
    core_.log->tell(ExecutionLog::Retired{pc, time});
    if (instruction.handling == Handling::computes) {
        if (!is_one_of(instruction.opcode, {Opcode::croft_mark, Opcode::croft_enter, Opcode::croft_leave})) return;
        const Mark mark = instruction.opcode == Opcode::croft_mark    ? Mark::instant
                          : instruction.opcode == Opcode::croft_enter ? Mark::begin
                                                                      : Mark::end;
        const std::uint8_t text = instruction.sources[0];
        core_.log->tell(ExecutionLog::Marked{time, text < first_floating ? core_.hart.x[text] : 0, mark});
    } else if (instruction.handling == Handling::jump || instruction.handling == Handling::jump_register) {
        if (const Linkage linkage = instruction.linkage; linkage != Linkage::none)
            core_.log->tell(ExecutionLog::Transferred{pc + instruction.length, core_.hart.x[2], target, linkage});
        core_.log->transferred(target, core_.hart.x.data());
    }
}

void OutOfOrder::log_access(const MemoryOperation& operation, std::uint64_t time) {
    using Kind = ExecutionLog::Kind;
    if (!core_.log || !core_.log->follows_accesses()) return;
    core_.log->tell(ExecutionLog::Accessed{operation.pc, operation.address, time, core_.hart.x[2],
                                           operation.is_store ? Kind::store : Kind::load, operation.size});
}

// From a control transfer.
void OutOfOrder::learn(const InFlight& entry) {
    if (noted_) note_step(ScheduleStep::Kind::learn).which = step_of_[entry.sequence & entries_mask_].number;
    if (entry.instruction.handling != Handling::jump) {
        ++statistics_.branches;
        statistics_.mispredictions += entry.mispredicted;
    }
    learn_from(entry.instruction, entry.pc, entry.prediction, entry.taken, entry.target, entry.mispredicted);
}

// The reason that kept the instruction from retiring since its predecessor did. It is a load's data, or, before the
// dispatch, a store that the L1 did not take, or the instruction's own fetch.
void OutOfOrder::book(const InFlight& entry, std::uint64_t time) {
    book_delay(entry.delayed_from, entry.dispatched, entry.delayed_by, entry.pc);
    if (entry.instruction.handling != Handling::load || !queue_[entry.place].missed) return;
    const MemoryOperation& load = queue_[entry.place];
    const std::uint64_t from = std::max(last_retired_, entry.dispatched);
    core_.accessing = load.address;
    core_.book(load.from_memory ? Stall::memory : Stall::home, from, time, entry.pc);
}

std::optional<Stall> OutOfOrder::waits_for() const {
    if (serial_ || begun_ != core_.begun || head_ == tail_) return std::nullopt;
    const InFlight& oldest = entries_[head_ & entries_mask_];
    if (oldest.known || oldest.instruction.handling != Handling::load || !queue_[oldest.place].missed)
        return std::nullopt;
    return Stall::home;
}

void OutOfOrder::book_wait(std::uint64_t now) {
    if (!waits_for()) return;
    const InFlight& oldest = entry_of(head_);
    core_.accessing = queue_[oldest.place].address;
    core_.book(Stall::home, std::max(last_retired_, oldest.dispatched), now, oldest.pc);
}

void OutOfOrder::book_delay(std::uint64_t from, std::uint64_t to, Stall why, std::uint64_t pc) {
    from = std::max(last_retired_, from);
    core_.accessing = 0;
    core_.book(why, from, to, pc);
    if (noted_ && from < to)
        noted_->waits.push_back(
            {why, static_cast<std::uint32_t>(from - noted_at_), static_cast<std::uint32_t>(to - noted_at_)});
}

// A control transfer's outcome is there at `done`: what was fetched behind it is undone, if that was not it.
void OutOfOrder::redirect(InFlight& entry, const Computed& computed, std::uint64_t done) {
    entry.taken = computed.taken;
    entry.target = computed.target;
    if (noted_) {
        ScheduleStep& step = noted_step(entry.sequence);
        step.executed = true;
        step.taken = computed.taken;
        step.target = computed.target;
    }
    const std::uint64_t next = computed.taken ? computed.target : entry.pc + entry.instruction.length;
    entry.mispredicted = next != entry.predicted;
    if (!entry.mispredicted) return;
    squash(entry.sequence + 1, next, done, entry.dispatched);
    correct(entry.instruction, entry.prediction, computed.taken, computed.target);
}

// How long the reorder buffer is walked, from `time` on, to undo all instructions from `first` on. If the outcome was
// known at once, none have been fetched. Then those count that would have been dispatched `since`.
std::uint64_t OutOfOrder::walk(std::uint64_t first, std::uint64_t time, std::uint64_t since) {
    if (shape_.squash == 0) return 0;
    const std::uint64_t older = first - head_;
    const std::uint64_t room = shape_.reorder_buffer > older ? shape_.reorder_buffer - older : 0;
    const std::uint64_t undone = tail_ > first ? tail_ - first : std::min(room, shape_.fetch_width * (time - since));
    const std::uint64_t cycles = (undone + shape_.squash - 1) / shape_.squash;
    walked_from_ = time + 1;
    walked_until_ = walked_from_ + cycles;
    return cycles;
}

// Undoes the instructions from `first` on, from `time` on. Fetching goes on at `pc`. `since`: when `first` would have
// been dispatched.
void OutOfOrder::squash(std::uint64_t first, std::uint64_t pc, std::uint64_t time, std::uint64_t since) {
    if (noted_) {  // the control transfer before `first` was mispredicted
        ScheduleStep& step = note_step(ScheduleStep::Kind::redirect);
        step.which = step_of_[(first - 1) & entries_mask_].number;
        step.from = first < tail_ ? step_of_[first & entries_mask_].number : numbers_;
    }
    const std::uint64_t walked = walk(first, time, since);
    const std::uint64_t resume = time + std::max<std::uint64_t>(shape_.mispredict, walked ? walked + 1 : 0);
    std::uint64_t queued = 0;
    while (tail_ > first) {
        InFlight& entry = entry_of(--tail_);
        queued += entry.queued;
        // The youngest of those who wait is the first in each list.
        for (std::size_t i = 3; i-- > 0;)
            if (entry.pending >> i & 1) entries_[entry.producers[i]].waiters = entry.older[i];
        switch (entry.instruction.handling) {
            case Handling::computes:
                break;
            case Handling::load:
            case Handling::store:
                queue_.undo_push();
                break;
            default:
                predictor_.undo(entry.prediction);
                break;
        }
        if (const std::uint8_t rd = entry.instruction.rd; rd != no_register) {
            --files_[file_of(rd)].written;
            registers_[rd] = latest(entry.previous, rd);
        }
        if (entry.issues > now_) slots_.give_back(entry.instruction.unit, entry.issues, entry.instruction.keeps_unit);
        entry.age = 0;
        ++statistics_.squashed;
    }
    if (issue_queue_.is_limited()) issue_queue_.undo(first, queued);
    core_.fetches.leave(0);
    fetch_from(pc, resume);
}

// Whatever is known by now of a value that was renamed away.
RegisterValue OutOfOrder::latest(const RegisterValue& value, std::uint8_t number) const {
    if (value.producer == 0) return value;
    if (value.producer - 1 < head_) return {hart_register(number), ready_[number], 0};
    const InFlight& producer = entries_[(value.producer - 1) & entries_mask_];
    return producer.known ? RegisterValue{producer.value, producer.ready, 0} : value;
}

void OutOfOrder::unhalt() {
    if (halt_ != Halt::full) return;
    halt_ = Halt::none;
    hold_dispatch_until(now_);
}

}  // namespace croftsim
