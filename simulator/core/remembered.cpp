// The window's segments (schedule_memory.hpp): the state in which they begin and end, and how they are noted.

#include "core/out_of_order.hpp"

namespace croftsim {

// ---- states ----

// Nothing is in flight but stores of bytes, which wait for their turn at the L1. Nothing is to be begun but the next
// instruction.
bool OutOfOrder::is_quiet() const {
    return head_ == tail_ && events_.empty() && !commit_waits_ && asked_for_.empty() && fetching_.empty() &&
           !under_way_ && startable_.empty() && delayed_from_ == never && slots_.reaches_to(dispatch_time_) &&
           !queue_.forwards();
}

// All that decides what the window does from a quiet point on, relative to the next dispatch. A time that is not later
// is as good as any other in the past.
void OutOfOrder::write_state(std::vector<std::uint32_t>& key) const {
    const std::uint64_t now = dispatch_time_;
    const auto add = [&](std::uint64_t value) { key.push_back(static_cast<std::uint32_t>(value)); };
    const auto add_long = [&](std::uint64_t value) { add(value), add(value >> 32); };
    const auto later = [&](std::uint64_t time) { return time >= now ? time - now + 1 : 0; };
    key.clear();
    add_long(fetch_pc_);
    add_long(fetch_line_);
    add(dispatched_);
    add(later(last_retired_));
    add(later(last_retired_) ? retired_then_ : 0);
    add(later(last_committed_));
    // Lists, each behind its length.
    const auto list = [&](auto fill) {
        const std::size_t at = key.size();
        add(0);
        fill();
        key[at] = static_cast<std::uint32_t>(key.size() - at - 1);
    };
    list([&] {
        for (std::size_t i = 0; i < registers_.size(); ++i)
            if (registers_[i].ready > now + 1) add(i << 24 | (registers_[i].ready - now));
    });
    list([&] { slots_.write_from(now + 1, add); });
    list([&] { issue_queue_.write_from(now, add); });
    // The latest of a ring's times, from before `end` on.
    const auto latest = [&](const std::vector<std::uint64_t>& times, std::uint64_t end, std::uint64_t most) {
        list([&] {
            for (std::uint64_t k = 1; k <= most && later(times[(end - k) & (times.size() - 1)]); ++k)
                add(later(times[(end - k) & (times.size() - 1)]));
        });
    };
    latest(retired_, tail_, shape_.reorder_buffer);
    for (const File& file : files_) latest(file.freed, file.written, renamed_);
    add(commit_ == never ? 0 : commit_ - now + 1);
    queue_.write_state(now, add);
}

// Gives the window the state of `key`, with its next dispatch at `now`.
void OutOfOrder::read_state(const std::vector<std::uint32_t>& key, std::uint64_t now) {
    auto at = key.begin();
    const auto next = [&] { return std::uint64_t{*at++}; };
    const auto next_long = [&] {
        const std::uint64_t low = next();
        return low | next() << 32;
    };
    dispatch_time_ = now;
    fetch_pc_ = next_long();
    fetch_line_ = next_long();
    dispatched_ = static_cast<std::uint32_t>(next());
    delayed_from_ = never;
    last_retired_ = now - 1 + next();
    retired_then_ = static_cast<std::uint32_t>(next());
    last_committed_ = now - 1 + next();
    for (std::uint8_t i = 1; i < first_floating; ++i) registers_[i] = {core_.hart.x[i], now, 0};
    for (std::uint8_t i = 0; i < 32; ++i) registers_[first_floating + i] = {core_.hart.f[i], now, 0};
    for (std::uint64_t left = next(); left > 0; --left) {
        const std::uint64_t word = next();
        registers_[word >> 24].ready = now + (word & 0xffffff);
    }
    for (std::size_t i = 0; i < ready_.size(); ++i) ready_[i] = registers_[i].ready;
    slots_.read_from(now + 1, next(), next);
    issue_queue_.read_from(now, next(), next);
    const auto latest = [&](std::vector<std::uint64_t>& times, std::uint64_t end, std::uint64_t most) {
        const std::uint64_t left = next();
        for (std::uint64_t k = 1; k <= most; ++k)
            times[(end - k) & (times.size() - 1)] = k <= left ? now - 1 + next() : 0;
    };
    latest(retired_, tail_, shape_.reorder_buffer);
    for (File& file : files_) latest(file.freed, file.written, renamed_);
    const std::uint64_t commit = next();
    commit_ = commit ? now + commit - 1 : never;
    queue_.read_state(now, next, [&, i = std::size_t{0}](MemoryOperation& store) mutable {
        const WaitingStore& waiting = waiting_[i++];
        store.address = waiting.address;
        store.data = waiting.data;
        store.size = waiting.size;
        store.type = waiting.type;
        store.pc = waiting.pc;
    });
    halt_ = Halt::none;
    roomy_ = 0;
}

// ---- at a quiet point ----

// Plays remembered segments for as long as they fit. Otherwise begins to note one.
void OutOfOrder::remember() {
    if (code_.generation() != generation_ || memory_.full()) {
        generation_ = code_.generation();
        memory_.clear();
        noted_.reset();
    }
    write_state(key_);
    ScheduleState* state = &memory_.state(key_);
    if (noted_) end_segment(*state);
    std::uint64_t at = dispatch_time_;
    bool cut = false;  // by the horizon
    if (write_waiting()) {
        while (const Segment* segment = play(*state, at, cut)) {
            at += segment->duration;
            state = segment->end;
        }
        unwrite_waiting();
    }
    if (at != dispatch_time_) read_state(*state->key, at);
    if (!cut) begin_segment(*state);
}

// Played again, a store is in its line as soon as it is dispatched: nobody else sees it before its time. So are those
// that wait when playing begins, if they can; and those that wait when it ends are taken out again.
bool OutOfOrder::write_waiting() {
    waiting_.clear();
    bool all = true;
    queue_.for_each_store([&](const MemoryOperation& store) {
        all = all && is_writable(store);
        if (!all) return;
        std::uint8_t* const where = line_to_write(store.address);
        waiting_.push_back(
            {where, get_bytes(where, store.size), store.address, store.data, store.pc, store.type, store.size});
        put_bytes(where, store.data, store.size);
    });
    if (!all) unwrite_waiting();
    return all;
}

void OutOfOrder::unwrite_waiting() {
    for (auto store = waiting_.rbegin(); store != waiting_.rend(); ++store)
        put_bytes(store->where, store->before, store->size);
}

// ---- noting ----

void OutOfOrder::begin_segment(ScheduleState& state) {
    noted_ = std::make_unique<Segment>();
    steps_.clear();
    noted_from_ = &state;
    noted_at_ = dispatch_time_;
    numbers_ = 0;
    queue_.for_each_store([&](MemoryOperation& store) { store.number = numbers_++; });
    const auto counters = this->counters();
    for (std::size_t i = 0; i < counters.size(); ++i) counted_[i] = *counters[i];
}

void OutOfOrder::end_segment(ScheduleState& state) {
    Segment& segment = *noted_;
    segment.duration = static_cast<std::uint32_t>(dispatch_time_ - noted_at_);
    const auto counters = this->counters();
    for (std::size_t i = 0; i < counters.size(); ++i) segment.counted[i] = *counters[i] - counted_[i];
    segment.end = &state;
    queue_.for_each_store([&](const MemoryOperation& store) { segment.waiting.push_back(store.number); });
    if (dispatch_time_ >= noted_at_ && segment.duration > 0)
        memory_.add(*noted_from_, std::move(steps_), std::move(noted_));
    noted_.reset();
}

void OutOfOrder::note_instruction(const Decoded& instruction) {
    if (steps_.size() >= ScheduleMemory::longest) return forget_segment();
    using Kind = ScheduleStep::Kind;
    step_of_[tail_ & entries_mask_] = {static_cast<std::uint32_t>(steps_.size()), numbers_++};
    ScheduleStep& step = note_step(instruction.handling == Handling::computes ? Kind::computes
                                   : instruction.handling == Handling::load   ? Kind::load
                                   : instruction.handling == Handling::store  ? Kind::store
                                                                              : Kind::transfer);
    step.instruction = instruction;
    step.pc = fetch_pc_;
    note_time(dispatch_time_);
}

// The stores before it when it looks for its value. If the L1 does not take it, that is not its last look.
void OutOfOrder::note_look(const MemoryOperation& load, std::uint64_t place, std::uint64_t time) {
    ScheduleStep& step = noted_step(load.sequence);
    auto looked = std::make_unique<ScheduleStep::Looked>();
    looked->time = static_cast<std::uint32_t>(time - noted_at_);
    looked->before = std::move(step.looked);
    step.looked = std::move(looked);
    for (std::uint64_t at = place; at-- > queue_.head();) {
        const MemoryOperation& store = queue_[at];
        if (!store.is_store || store.finished) continue;
        const std::uint16_t number = store.number;
        step.looked->older.push_back({number, store.has_address, store.has_data});
        if (load.source == at + 1) {
            step.source = number;
            break;
        }
    }
}

}  // namespace croftsim
