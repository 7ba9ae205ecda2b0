// How a segment that is remembered (schedule_memory.hpp) is played again.

#include <algorithm>
#include <cstring>

#include "core/out_of_order.hpp"

namespace croftsim {

// Plays the segment from the state that fits, if it ends before the horizon.
const Segment* OutOfOrder::play(ScheduleState& state, std::uint64_t at, bool& cut) {
    const auto is_cut = [&](const ScheduleNode& node) { return at + node.least_latest >= core_.safe; };
    if (state.root.next.empty()) return nullptr;
    if (is_cut(state.root)) {
        cut = true;
        return nullptr;
    }
    trial_.begin(waiting_);
    const std::uint8_t flags = core_.hart.fflags;
    predictor_.begin_trial();
    ScheduleNode* node = &state.root;
    while (!node->segment) {
        ScheduleNode* const next = choose(*node, at);
        cut |= next && is_cut(*next);
        const auto plays = [&](const ScheduleStep& step) { return play_step(step, at); };
        if (!next || is_cut(*next) || !std::ranges::all_of(next->steps, plays)) {
            trial_.take_back(0, 0);
            core_.hart.fflags = flags;
            predictor_.end_trial(false);
            return nullptr;
        }
        node = next;
    }
    predictor_.end_trial(true);
    take_over(*node->segment, at);
    return node->segment.get();
}

// Plays the first step of the continuation that it fits.
ScheduleNode* OutOfOrder::choose(ScheduleNode& node, std::uint64_t at) {
    const ScheduleStep& one = node.next.front()->first;
    const bool several = node.next.size() > 1 && one.kind == ScheduleStep::Kind::transfer;
    const Transfer transfer = several ? outcome_of(one) : Transfer{};
    for (std::size_t i = 0; i < node.next.size(); ++i) {
        const ScheduleStep& step = node.next[i]->first;
        if (several ? !transfer.is_that_of(step) : !play_step(step, at)) continue;
        if (several) play_transfer(step, transfer);
        if (i > 0) std::swap(node.next[i], node.next[i - 1]);  // what is frequent comes to the front
        return node.next[i > 0 ? i - 1 : 0].get();
    }
    if (several) predictor_.undo(transfer.prediction);
    return nullptr;
}

// The sums of a segment that has been played, but for its end.
void OutOfOrder::take_over(const Segment& segment, std::uint64_t at) {
    waits_next_.clear();
    for (const std::uint16_t number : segment.waiting)
        waits_next_.push_back(number < waiting_.size() ? waiting_[number] : trial_.waiting(trial_[number]));
    waiting_.swap(waits_next_);
    const auto counters = this->counters();
    for (std::size_t i = 0; i < counters.size(); ++i) *counters[i] += segment.counted[i];
    for (const Segment::Wait& wait : segment.waits)
        core_.account.book(wait.why, at + wait.from, at + wait.until);  // a core with a log remembers nothing
}

// Whether its outcome is the same; if not, nothing has happened.
bool OutOfOrder::play_step(const ScheduleStep& step, std::uint64_t at) {
    const Decoded& instruction = step.instruction;
    Hart& hart = core_.hart;
    switch (step.kind) {
        case ScheduleStep::Kind::computes: {
            if (instruction.rounding == 7 && hart.frm > 4) return false;
            const std::uint64_t operands[] = {value_of(instruction.sources[0]), value_of(instruction.sources[1]),
                                              value_of(instruction.sources[2])};
            const Computed computed = execute(instruction, operands, step.pc, rounding_of(instruction), hart.fflags);
            trial_.next(step, hart.fflags);
            hart.fflags = computed.flags;
            play_result(instruction.rd, computed.value);
            return true;
        }
        case ScheduleStep::Kind::load: {
            const std::uint64_t address = instruction.address(value_of(instruction.sources[0]));
            std::uint64_t value = 0;
            if (step.looked && !play_load(step, address, at, value)) return false;
            trial_.next(step, hart.fflags);
            play_result(instruction.rd, value);
            return true;
        }
        case ScheduleStep::Kind::store: {
            const std::uint64_t address = instruction.address(value_of(instruction.sources[0]));
            if (step.executed && !is_writable(address, instruction.size)) return false;
            Trial::Instruction& played = trial_.next(step, hart.fflags);
            played.address = address;
            played.data = value_of(instruction.sources[1]);
            played.size = instruction.size;
            if (!step.executed) return true;
            trial_.write(line_to_write(address), played.data, instruction.size);
            return true;
        }
        case ScheduleStep::Kind::transfer: {
            const Transfer transfer = outcome_of(step);
            if (!transfer.is_that_of(step)) {
                predictor_.undo(transfer.prediction);
                return false;
            }
            play_transfer(step, transfer);
            return true;
        }
        case ScheduleStep::Kind::touch:
            return core_.instructions.touch(step.target, [](std::uint64_t&) {});
        case ScheduleStep::Kind::redirect:
            play_redirect(step);
            return true;
        case ScheduleStep::Kind::learn: {
            const Trial::Instruction& transfer = trial_[step.which];
            const ScheduleStep& its = *transfer.step;
            const std::uint64_t next = its.taken ? its.target : its.pc + its.instruction.length;
            learn_from(its.instruction, its.pc, transfer.prediction, its.taken, its.target, next != its.predicted);
            return true;
        }
    }
    return false;
}

OutOfOrder::Transfer OutOfOrder::outcome_of(const ScheduleStep& step) {
    const Decoded& instruction = step.instruction;
    const std::uint64_t operands[] = {value_of(instruction.sources[0]), value_of(instruction.sources[1])};
    Transfer transfer;
    transfer.computed = execute(instruction, operands, step.pc, 0, 0);
    transfer.early = predictor_.target(step.pc) != 0;
    transfer.predicted = predict(instruction, step.pc, transfer.prediction);
    return transfer;
}

void OutOfOrder::play_transfer(const ScheduleStep& step, const Transfer& transfer) {
    trial_.next(step, core_.hart.fflags).prediction = transfer.prediction;
    play_result(step.instruction.rd, transfer.computed.value);
}

// The load found what it did then: the store that it got its value from, or none.
bool OutOfOrder::play_look(const ScheduleStep& step, const ScheduleStep::Looked& looked, std::uint16_t source,
                           std::uint64_t address, std::uint64_t at) {
    const unsigned size = step.instruction.size;
    for (const ScheduleStep::Older& older : looked.older) {
        const Trial::Instruction& store = trial_[older.store];
        if (!older.has_address && must_wait(step.pc, at + looked.time)) return false;
        if (!overlap(store.address, store.size, address, size)) continue;
        return older.has_address && older.has_data && source == older.store &&
               croftsim::covers(store.address, store.size, address, size);
    }
    return source == ScheduleStep::from_l1;
}

// A load hits, and gets its value from where it did; before, the L1 did not take it as often as then. If it was undone
// before that, it has no value.
bool OutOfOrder::play_load(const ScheduleStep& step, std::uint64_t address, std::uint64_t at, std::uint64_t& value) {
    const unsigned size = step.instruction.size;
    const std::uint16_t source = step.source;
    const auto* refused = step.executed ? step.looked->before.get() : step.looked.get();
    for (; refused; refused = refused->before.get())
        if (!play_look(step, *refused, ScheduleStep::from_l1, address, at)) return false;
    if (!step.executed) return true;
    if (!play_look(step, *step.looked, source, address, at)) return false;
    const auto& fast = core_.fast.lines[(address / line_bytes) & core_.fast.set_mask];
    std::uint64_t raw = 0;
    if (source != ScheduleStep::from_l1) {
        std::memcpy(&raw, line_to_write(address), size);
    } else {
        if (line_of(address) != fast.line || line_of(address + size - 1) != fast.line) return false;
        std::memcpy(&raw, reinterpret_cast<const std::uint8_t*>(address + fast.addend), size);
    }
    value = register_value(step.instruction.type, raw);
    return true;
}

void OutOfOrder::play_redirect(const ScheduleStep& step) {
    for (std::size_t i = trial_.count(); i-- > step.from;)
        if (trial_[i].step->kind == ScheduleStep::Kind::transfer) predictor_.undo(trial_[i].prediction);
    // Their numbers are not used again: what comes next goes behind them.
    if (trial_.count() > step.from) {
        core_.hart.fflags = trial_[step.from].flags;
        trial_.take_back(trial_[step.from].registers, trial_[step.from].memory);
    }
    const Trial::Instruction& transfer = trial_[step.which];
    correct(transfer.step->instruction, transfer.prediction, transfer.step->taken, transfer.step->target);
}

}  // namespace croftsim
