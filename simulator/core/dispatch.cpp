// The window's front: fetching along the predicted path, renaming, and what follows when values become known.

#include <algorithm>
#include <utility>

#include "contract/requester.hpp"
#include "core/core.hpp"
#include "core/out_of_order.hpp"
#include "record/race_detector.hpp"

namespace croftsim {

void OutOfOrder::dispatch() {
    do {
        now_ = std::max(now_, dispatch_time_);
        const Decoded& instruction = code_.at(fetch_pc_);
        const bool same_line = fetch_pc_ - fetch_line_ <= line_bytes - instruction.length;
        const bool looks = fetches_ && !same_line && instruction.opcode != Opcode::illegal;  // perhaps no memory
        if (looks && !fetched(instruction)) return;
        // One that lies in two lines looks at both again until it is dispatched, and that is one look at each.
        const bool in_two_lines = looks && fetch_pc_ < fetch_line_;
        if (instruction.may_be_serial && (instruction.handling == Handling::serial || core_.hart.frm > 4)) {
            if (in_two_lines) core_.fetches.found(2);
            halt_ = Halt::serial;
            return;
        }
        if (!issue_queue_.has_room(dispatch_time_)) {
            halt_ = Halt::queue;
            return;
        }
        const bool is_store = instruction.handling == Handling::store;
        if ((roomy_ > 0 || is_roomy()) &&
            (!is_access(instruction.handling) || queue_.has_room(is_store, dispatch_time_))) {
            --roomy_;
        } else {
            const std::uint64_t before = dispatch_time_;
            if (!make_room(instruction)) return;
            if (dispatch_time_ != before) continue;
        }
        if (in_two_lines) core_.fetches.found(2);
        if (noted_) note_instruction(instruction);
        place(instruction);
    } while (halt_ == Halt::none && dispatch_time_ < std::min(core_.safe, next_event()));
}

// Whether the instruction's lines are in the L1 instruction cache; if not, fetching waits for the first that is not.
bool OutOfOrder::fetched(const Decoded& instruction) {
    const std::uint64_t first = line_of(fetch_pc_), last = line_of(fetch_pc_ + instruction.length - 1);
    const std::uint64_t lines = (last - first) / line_bytes + 1;
    for (std::uint64_t line = first; line <= last; line += line_bytes) {
        if (core_.instructions.touch(line, [](std::uint64_t&) {})) {
            if (noted_) note_step(ScheduleStep::Kind::touch).target = line;
            continue;
        }
        forget_segment();
        halt_ = Halt::fetch;
        awaited_line_ = line;
        core_.fetches.missed(lines);
        if (std::ranges::find(fetching_, line) != fetching_.end()) return false;
        fetching_.push_back(line);
        // A fence whose own cycles pass beside its wait (fence_cost) is fetched again at a time before its answer came.
        core_.requester->ask_for_program(line, std::max(dispatch_time_, now_));
        return false;
    }
    if (lines == 1) core_.fetches.found(1);
    fetch_line_ = last;
    unblock_port(dispatch_time_);
    return true;
}

void OutOfOrder::program_arrived(std::uint64_t line, std::uint64_t time, std::uint64_t usable) {
    std::erase(fetching_, line);
    forget_segment();
    if (serial_ || begun_ != core_.begun || halt_ != Halt::fetch || awaited_line_ != line) return;
    now_ = std::max(now_, time);
    halt_ = Halt::none;
    delay(Stall::fetch);
    hold_dispatch_until(usable);
}

// The next instruction could have been dispatched from dispatch_time_ on.
void OutOfOrder::delay(Stall why) {
    delayed_from_ = std::min(delayed_from_, dispatch_time_);
    delayed_by_ = why;
}

// Whether the next few instructions certainly find an entry and a register at dispatch_time_ and from then on. Both
// leave in order, so it is enough to look at the last of them.
bool OutOfOrder::is_roomy() {
    constexpr std::uint32_t few = 8;
    const auto is_free = [&](std::uint64_t taken, std::uint64_t left, std::uint64_t all, std::uint64_t free_since) {
        return taken + few - left <= all && free_since < dispatch_time_;
    };
    const std::uint64_t last = tail_ + few - 1;
    if (!is_free(tail_, head_, shape_.reorder_buffer, retired_[(last - shape_.reorder_buffer) & entries_mask_]))
        return false;
    for (const File& file : files_) {
        const std::uint64_t freed = file.freed[(file.written + few - 1 - renamed_) & files_mask_];
        if (!is_free(file.written, file.retired, renamed_, freed)) return false;
    }
    roomy_ = few;
    return true;
}

// Moves dispatch_time_ to when there is room for the instruction. False if that is not known yet.
bool OutOfOrder::make_room(const Decoded& instruction) {
    std::uint64_t at = retired_[(tail_ - shape_.reorder_buffer) & entries_mask_] + 1;
    bool full = tail_ - head_ == shape_.reorder_buffer;
    if (instruction.rd != no_register) {
        const File& file = files_[file_of(instruction.rd)];
        full |= file.written - file.retired == renamed_;
        at = std::max(at, file.freed[(file.written - renamed_) & files_mask_] + 1);
    }
    if (is_access(instruction.handling)) {
        const bool is_store = instruction.handling == Handling::store, none = queue_.full(is_store);
        full |= none;
        if (queue_.is_of_store(is_store) && (none || queue_.freed(is_store) + 1 > std::max(at, dispatch_time_)))
            delay(Stall::store_buffer);
        at = std::max(at, queue_.freed(is_store) + 1);
    }
    if (full) {
        halt_ = Halt::full;
        return false;
    }
    hold_dispatch_until(at);
    return true;
}

// An instruction that computes, if all its operands are known. Its result is known as it is dispatched, and if nothing
// older is in flight, it retires.
bool OutOfOrder::place_computed(const Decoded& instruction) {
    const RegisterValue& first = registers_[instruction.sources[0]];
    const RegisterValue& second = registers_[instruction.sources[1]];
    const RegisterValue& third = registers_[instruction.sources[2]];
    if (first.producer | second.producer | third.producer) return false;
    const std::uint64_t operands[] = {first.value, second.value, third.value};
    const std::uint64_t issues =
        issue(instruction, std::max(std::max(dispatch_time_ + 1, first.ready), std::max(second.ready, third.ready)));
    const std::uint64_t ready = issues + instruction.latency;
    const Computed computed = execute(instruction, operands, fetch_pc_, rounding_of(instruction), core_.hart.fflags);
    if (head_ == tail_) {
        retire_at_once(instruction, computed, issues, ready);
    } else {
        InFlight& entry = enter(instruction);
        leave_queue(entry, issues);
        entry.issues = issues;
        entry.value = computed.value;
        entry.ready = ready;
        entry.flags = computed.flags;
        entry.known = true;
        entry.previous = registers_[instruction.rd];
        rename(instruction.rd, {computed.value, ready, 0});
    }
    fetch_behind(instruction);
    return true;
}

void OutOfOrder::retire_at_once(const Decoded& instruction, const Computed& computed, std::uint64_t issues,
                                std::uint64_t ready) {
    const std::uint64_t time = retirement(ready);
    if (issue_queue_.is_limited()) {
        issue_queue_.enter();
        issue_queue_.issues(tail_, issues);
    }
    core_.hart.fflags |= computed.flags;
    rename(instruction.rd, {computed.value, ready, 0});
    commit_register(instruction.rd, computed.value, ready, time);
    if (delayed_from_ != never) {
        book_delay(delayed_from_, dispatch_time_, delayed_by_, fetch_pc_);
        delayed_from_ = never;
    }
    ++core_.statistics.instructions;
    if (core_.races && instruction.opcode == Opcode::fence) tell_of_fence(instruction.options);
    if (core_.log) log(instruction, fetch_pc_, computed.target, time);
    retired_then_ = time == last_retired_ ? retired_then_ + 1 : 1;
    last_retired_ = time;
    retired_[tail_++ & entries_mask_] = time + shape_.entry_reuse - 1;
    head_ = tail_;
}

// Into the window. The caller handles its operands and its result.
InFlight& OutOfOrder::enter(const Decoded& instruction) {
    const std::uint64_t sequence = tail_++;
    InFlight& entry = entry_of(sequence);
    entry.instruction = instruction;
    entry.pc = fetch_pc_;
    entry.sequence = sequence;
    entry.age = ++age_;
    entry.dispatched = dispatch_time_;
    entry.delayed_from = delayed_from_;
    entry.delayed_by = delayed_by_;
    delayed_from_ = never;
    entry.issues = 0;
    entry.waiters = -1;
    entry.pending = entry.flags = 0;
    entry.known = entry.faults = entry.taken = entry.mispredicted = false;
    entry.queued = issue_queue_.is_limited();
    if (entry.queued) issue_queue_.enter();
    return entry;
}

// A control transfer, with nothing older in flight, so that all its operands are known: it retires.
void OutOfOrder::place_transfer_alone(const Decoded& instruction) {
    const RegisterValue& first = registers_[instruction.sources[0]];
    const RegisterValue& second = registers_[instruction.sources[1]];
    const std::uint64_t operands[] = {first.value, second.value};
    InFlight& entry = entry_of(tail_);
    entry.instruction = instruction;
    entry.pc = fetch_pc_;
    entry.sequence = tail_;
    entry.dispatched = dispatch_time_;
    const std::uint64_t issues =
        slots_.take(instruction.unit, std::max({dispatch_time_ + 1, first.ready, second.ready}));
    const std::uint64_t done = issues + instruction.latency;
    const Computed computed = execute(instruction, operands, entry.pc, 0, 0);
    retire_at_once(instruction, computed, issues, done);

    entry.predicted = predict(instruction, entry.pc, entry.prediction);
    fetch_along(instruction, entry.predicted);
    redirect(entry, computed, done);
    learn(entry);
}

void OutOfOrder::place(const Decoded& instruction) {
    if (instruction.handling == Handling::computes) {
        if (place_computed(instruction)) return;
    } else if (!is_access(instruction.handling) && head_ == tail_) {
        return place_transfer_alone(instruction);
    }
    InFlight& entry = enter(instruction);
    const std::uint64_t sequence = entry.sequence;
    entry.earliest = dispatch_time_ + 1;
    for (std::size_t i = 0; i < instruction.sources.size(); ++i) {
        const RegisterValue& source = registers_[instruction.sources[i]];
        entry.operands[i] = source.value;
        entry.earliest = std::max(entry.earliest, source.ready);
        if (source.producer == 0) continue;
        InFlight& producer = entry_of(source.producer - 1);
        entry.producers[i] = static_cast<std::uint16_t>(producer.sequence & entries_mask_);
        entry.older[i] = producer.waiters;
        producer.waiters = static_cast<std::int16_t>((sequence & entries_mask_) * 4 + i);
        entry.pending |= static_cast<std::uint8_t>(1u << i);
    }
    entry.previous = registers_[instruction.rd];
    rename(instruction.rd, {0, 0, sequence + 1});
    switch (instruction.handling) {
        case Handling::computes:
            return fetch_behind(instruction);
        case Handling::load:
        case Handling::store:
            place_memory(entry);
            fetch_behind(instruction);
            break;
        default:
            entry.predicted = predict(instruction, fetch_pc_, entry.prediction);
            fetch_along(instruction, entry.predicted);
            break;
    }
    // It may be known now, but it is not the oldest: retiring has to wait.
    if (entry.pending == 0 && instruction.handling != Handling::store) start(sequence);
}

// Where fetching goes on behind a control transfer; 0 if that has to wait for its result.
std::uint64_t OutOfOrder::predict(const Decoded& instruction, std::uint64_t pc, BranchPredictor::Prediction& made) {
    const std::uint64_t behind = pc + instruction.length;
    const std::uint64_t ahead = instruction.address(pc);
    if (instruction.handling == Handling::branch) {
        made = predictor_.branch(pc);
        return made.taken ? ahead : behind;
    }
    made = predictor_.here();
    std::uint64_t to = ahead;
    if (instruction.handling == Handling::jump_register) {
        if (instruction.returns && predictor_.has_stack())
            to = predictor_.return_address();
        else
            to = predictor_.predicts_indirect() ? predictor_.indirect(pc, behind, made) : predictor_.target(pc);
    }
    if (instruction.linkage == Linkage::call) predictor_.call(behind);
    return to;
}

// A taken transfer ends what a cycle fetches.
void OutOfOrder::fetch_along(const Decoded& instruction, std::uint64_t predicted) {
    const bool goes_on = predicted == fetch_pc_ + instruction.length;
    const bool has_target = predictor_.target(fetch_pc_) != 0;
    const bool early = instruction.handling == Handling::jump_register || has_target;
    if (noted_) {  // the latest instruction
        ScheduleStep& step = steps_.back();
        step.predicted = predicted;
        step.early = has_target;
    }
    fetch_pc_ = predicted;
    if (predicted == 0) halt_ = Halt::target;
    if (++dispatched_ < shape_.fetch_width && goes_on) return;
    dispatched_ = 0;
    ++dispatch_time_;
    if (!goes_on && !early) dispatch_time_ += shape_.redirect;
}

void OutOfOrder::place_memory(InFlight& entry) {
    const Decoded& instruction = entry.instruction;
    entry.place = queue_.tail();
    MemoryOperation& operation = queue_.push(instruction.handling == Handling::store);
    operation.age = entry.age;
    operation.sequence = entry.sequence;
    operation.number = step_of_[entry.sequence & entries_mask_].number;
    operation.pc = entry.pc;
    operation.type = instruction.type;
    operation.size = instruction.size;
    operation.allocates = instruction.allocates;
    operation.forwards = instruction.forwards;
    operation.options = instruction.options;
    if (operation.forwards) forget_segment();
    if (!operation.is_store) return;
    if (!(entry.pending & 1)) deliver_address(entry, entry.operands[0], registers_[instruction.sources[0]].ready);
    if (!(entry.pending & 2)) have_data(entry, entry.operands[1], registers_[instruction.sources[1]].ready);
}

void OutOfOrder::deliver_address(InFlight& store, std::uint64_t base, std::uint64_t ready) {
    queue_[store.place].address = store.instruction.address(base);
    store.issues = slots_.take(IssueUnit::memory, std::max(store.dispatched + 1, ready));
    events_.push({store.issues, store.age, store.place});
}

// All operands are known.
void OutOfOrder::start(std::uint64_t sequence) {
    InFlight& entry = entry_of(sequence);
    const Decoded& instruction = entry.instruction;
    switch (instruction.handling) {
        case Handling::computes: {
            entry.issues = issue(instruction, entry.earliest);
            leave_queue(entry, entry.issues);
            // Inexactness that is certain to be raised need not be found again; only serial instructions clear it.
            const Computed computed =
                execute(instruction, entry.operands.data(), entry.pc, rounding_of(instruction), core_.hart.fflags);
            entry.flags = computed.flags;
            return know(sequence, computed.value, entry.issues + instruction.latency);
        }
        case Handling::load: {
            MemoryOperation& operation = queue_[entry.place];
            operation.address = instruction.address(entry.operands[0]);
            operation.has_address = true;
            entry.issues = slots_.take(IssueUnit::memory, entry.earliest);
            leave_queue(entry, entry.issues);
            return events_.push({entry.issues + reordering_.delay(), entry.age, entry.place});
        }
        default:
            return resolve(sequence);
    }
}

void OutOfOrder::resolve(std::uint64_t sequence) {
    InFlight& entry = entry_of(sequence);
    const Decoded& instruction = entry.instruction;
    entry.issues = slots_.take(instruction.unit, entry.earliest);
    leave_queue(entry, entry.issues);
    const std::uint64_t done = entry.issues + instruction.latency;
    const Computed computed = execute(instruction, entry.operands.data(), entry.pc, 0, 0);
    know(sequence, computed.value, done);
    redirect(entry, computed, done);
}

void OutOfOrder::know(std::uint64_t sequence, std::uint64_t value, std::uint64_t ready) {
    InFlight& entry = entry_of(sequence);
    entry.value = value;
    entry.ready = ready;
    entry.known = true;
    const std::uint8_t rd = entry.instruction.rd;
    if (rd != no_register && registers_[rd].producer == sequence + 1) registers_[rd] = {value, ready, 0};
    if (entry.waiters < 0) return;
    // The oldest first: the list is turned round.
    std::int16_t oldest = -1;
    for (std::int16_t waiter = std::exchange(entry.waiters, std::int16_t{-1}); waiter >= 0;)
        oldest = std::exchange(waiter, std::exchange(older_than(waiter), oldest));
    for (std::int16_t waiter = oldest; waiter >= 0;) {
        const std::int16_t younger = older_than(waiter);
        deliver(waiter, value, ready);
        waiter = younger;
    }
}

void OutOfOrder::deliver(std::int16_t waiter, std::uint64_t value, std::uint64_t ready) {
    InFlight& entry = entries_[static_cast<std::size_t>(waiter / 4)];
    const auto operand = static_cast<std::size_t>(waiter % 4);
    entry.pending &= static_cast<std::uint8_t>(~(1u << operand));
    entry.operands[operand] = value;
    if (entry.instruction.handling == Handling::store)
        return operand == 0 ? deliver_address(entry, value, ready) : have_data(entry, value, ready);
    entry.earliest = std::max(entry.earliest, ready);
    if (entry.pending == 0) startable_.push_back({entry.sequence, entry.age});
}

// Those who have got their last operand go on, and whoever waits for them.
void OutOfOrder::start_each_woken() {
    for (std::size_t i = 0; i < startable_.size(); ++i)
        if (entry_of(startable_[i].sequence).age == startable_[i].age) start(startable_[i].sequence);
    startable_.clear();
}

}  // namespace croftsim
