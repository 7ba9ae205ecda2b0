// The window's loads and stores. Here it finds a load's bytes, hands stores to the L1, and undoes loads that have come
// too early.

#include <algorithm>
#include <cstring>

#include "contract/asynchronous_loads.hpp"
#include "contract/requester.hpp"
#include "core/core.hpp"
#include "core/out_of_order.hpp"

namespace croftsim {

// ---- loads ----

// The load, which has its address, looks for its value: at its issue, and again whenever what it waits for has come.
void OutOfOrder::load(std::uint64_t place, std::uint64_t time, const Arrival* arrival) {
    MemoryOperation& operation = queue_[place];
    if (operation.executed) return;
    operation.wait = Wait::nothing;
    if (operation.copied == 0 && queue_.stores() > 0 && forward(operation, place, time)) return;
    if (!arrival && !goes_to_l1(operation, place, time)) return;
    if (!copy(operation, time, arrival)) return;
    // Now, not when it retires: a word may have got other values meanwhile, and this one back. The loads that are
    // undone have read, too.
    if (watched_ && !operation.own && !entry_of(operation.sequence).faults)
        loads_.observed(operation.address, operation.size, operation.raw, operation.pc, time);
    finish_load(operation, place, time, arrival ? arrival->usable : time + hit_);
}

// It has its value, which is there at `usable`.
void OutOfOrder::finish_load(MemoryOperation& operation, std::uint64_t place, std::uint64_t time,
                             std::uint64_t usable) {
    operation.executed = true;
    if (noted_) {
        note_look(operation, place, time);
        noted_step(operation.sequence).executed = true;
    }
    know(operation.sequence, register_value(operation.type, operation.raw), usable);
}

// From the youngest older store with any of its bytes. True if the load has its value, or has to wait.
bool OutOfOrder::forward(MemoryOperation& operation, std::uint64_t place, std::uint64_t time) {
    for (std::uint64_t at = place; at-- > queue_.head();) {
        const MemoryOperation& store = queue_[at];
        if (!store.is_store || store.finished || store.forwards) continue;
        if (!store.has_address) {
            if (!must_wait(operation.pc, time)) continue;
            wait(operation, Wait::address);
            return true;
        }
        if (!store.overlaps(operation)) continue;
        if (!store.covers(operation) || !store.has_data) {
            wait(operation, store.covers(operation) ? Wait::data : Wait::commit);
            return true;
        }
        operation.raw = store.data >> (8 * (operation.address - store.address));
        operation.source = at + 1;
        ++statistics_.forwarded;
        finish_load(operation, place, time, std::max(time, store.data_ready) + hit_);
        return true;
    }
    return false;
}

// From the L1, line by line. False if it has to wait.
bool OutOfOrder::copy(MemoryOperation& operation, std::uint64_t time, const Arrival* arrival) {
    while (operation.copied < operation.size) {
        const std::uint64_t at = operation.address + operation.copied, line = line_of(at);
        const auto count =
            static_cast<unsigned>(std::min<std::uint64_t>(operation.size - operation.copied, line + line_bytes - at));
        if (count < operation.size) forget_segment();  // played again, it might lie in one line and look once
        auto* const to = reinterpret_cast<std::uint8_t*>(&operation.raw) + operation.copied;
        if (arrival && arrival->line == line) {
            std::memcpy(to, arrival->bytes + (at - line), count);
        } else if (const auto& fast = core_.fast.lines[(at / line_bytes) & core_.fast.set_mask];
                   fast.line == line && !under_way_) {
            std::memcpy(to, reinterpret_cast<const std::uint8_t*>(at + fast.addend), count);
            ++statistics_.looks;
        } else {
            forget_segment();
            if (!core_.blocks->memory().allows(operation.address, operation.size, Permission::read)) {
                entry_of(operation.sequence).faults = true;
                operation.raw = 0;
                return true;
            }
            switch (loads_.look(at, count, to)) {
                case AsynchronousLoads::Found::stored:
                    operation.own = true;
                    [[fallthrough]];
                case AsynchronousLoads::Found::here:
                    ++statistics_.looks;
                    break;
                case AsynchronousLoads::Found::behind:
                    wait(operation, Wait::store);
                    return false;
                case AsynchronousLoads::Found::elsewhere:
                    operation.wait = Wait::line;
                    operation.awaited = line;
                    operation.missed = true;
                    if (std::ranges::find(asked_for_, line) == asked_for_.end()) {
                        ++statistics_.looks;
                        asked_for_.push_back(line);
                        loads_.ask(line, time);
                    } else {
                        ++statistics_.merged;
                    }
                    return false;
            }
        }
        operation.copied = static_cast<std::uint8_t>(operation.copied + count);
    }
    return true;
}

// Whether a load there has been undone because of an older store. That is forgotten from time to time, as on the Alpha.
bool OutOfOrder::must_wait(std::uint64_t pc, std::uint64_t time) {
    constexpr std::uint64_t period = 32768;
    if (time / period != waits_since_) {
        waits_since_ = time / period;
        waits_.fill(false);
    }
    return waits_[pc / 2 % waits_.size()];
}

void OutOfOrder::wait(MemoryOperation& operation, Wait reason) {
    forget_segment();
    operation.wait = reason;
    reasons_ |= 1u << static_cast<unsigned>(reason);
}

void OutOfOrder::retry_waiting(Wait reason, std::uint64_t time) {
    reasons_ &= ~(1u << static_cast<unsigned>(reason));
    for (std::uint64_t at = queue_.head(); at != queue_.tail(); ++at) {
        MemoryOperation& operation = queue_[at];
        if (operation.is_store || operation.executed || operation.wait != reason) continue;
        operation.wait = Wait::nothing;
        if (reason == Wait::port)
            issue_again(operation, at, time + 1);
        else
            events_.push({time, operation.age, at});
    }
}

void OutOfOrder::line_arrived(std::uint64_t line, const std::uint8_t* bytes, std::uint64_t time, std::uint64_t usable,
                              bool from_memory) {
    const auto asked = std::ranges::find(asked_for_, line);
    if (asked == asked_for_.end()) return;
    asked_for_.erase(asked);
    forget_segment();
    if (serial_ || begun_ != core_.begun) return;
    now_ = std::max(now_, time);
    unblock_port(time);
    const Arrival arrival{line, usable, bytes};
    for (std::uint64_t at = queue_.head(); at != queue_.tail(); ++at) {
        MemoryOperation& operation = queue_[at];
        if (operation.is_store || operation.wait != Wait::line || operation.awaited != line) continue;
        operation.from_memory |= from_memory;
        load(at, time, &arrival);
    }
    retry_commit(time);
    start_woken();
    retire();
}

// Whether RISC-V lets the load come before each older one that has no value yet. The order of memory operations is that
// in which loads read and stores reach the L1. Three things preserve the program's order between two loads:
//
//   - a fence or an acquire. None of them shares the window with a load;
//   - a dependency. With one, the younger load would not have read yet, and neither would a store have forwarded to it;
//   - the same bytes. That is seen once both addresses are known.
bool OutOfOrder::may_keep(std::uint64_t place) const {
    const MemoryOperation& load = queue_[place];
    if (!load.executed) return false;  // one half is still to come
    for (std::uint64_t at = queue_.head(); at != place; ++at) {
        const MemoryOperation& older = queue_[at];
        if (older.is_store || older.executed) continue;
        if (!older.has_address || older.overlaps(load)) return false;
    }
    return true;
}

// A younger load must not keep what it has read of the line if an older one may read it, or another, later.
void OutOfOrder::line_lost(std::uint64_t line, std::uint64_t time) {
    if (serial_ || begun_ != core_.begun) return;
    forget_segment();
    bool older_waits = false;
    for (std::uint64_t at = queue_.head(); at != queue_.tail(); ++at) {
        const MemoryOperation& operation = queue_[at];
        if (operation.is_store) continue;
        if (older_waits && operation.has_read() && operation.touches(line) && !(may_keep(at) && reordering_.keeps())) {
            ++statistics_.violations;
            now_ = std::max(now_, time);
            return squash(operation.sequence, operation.pc, time, time);
        }
        older_waits |= !operation.executed;
    }
}

// ---- stores ----

void OutOfOrder::have_address(std::uint64_t place, std::uint64_t time) {
    MemoryOperation& store = queue_[place];
    store.has_address = true;
    if (!is_writable(store)) forget_segment();
    if (noted_) noted_step(store.sequence).executed = true;
    if (!is_writable(store) && !core_.blocks->memory().allows(store.address, store.size, Permission::write)) {
        InFlight& entry = entry_of(store.sequence);
        entry.faults = entry.known = true;
        entry.ready = time;
        leave_queue(entry, time);
        return;
    }
    find_violation(place, time);
    retry(Wait::address, time);
    store.free_at = time;  // when it could retire, as far as its address goes
    complete_store(place);
}

void OutOfOrder::have_data(InFlight& entry, std::uint64_t value, std::uint64_t ready) {
    MemoryOperation& store = queue_[entry.place];
    store.has_data = true;
    store.data = value;
    store.data_ready = std::max(ready, entry.dispatched + 1);
    retry(Wait::data, now_);
    complete_store(entry.place);
}

void OutOfOrder::complete_store(std::uint64_t place) {
    const MemoryOperation& store = queue_[place];
    if (!store.has_address || !store.has_data) return;
    InFlight& entry = entry_of(store.sequence);
    const std::uint64_t issues = std::max(store.free_at, store.data_ready);
    leave_queue(entry, issues);
    entry.known = true;
    entry.ready = issues + entry.instruction.latency;
}

// A younger load that has read these bytes, from an older store or from the L1, has read too early.
void OutOfOrder::find_violation(std::uint64_t place, std::uint64_t time) {
    const MemoryOperation& store = queue_[place];
    for (std::uint64_t at = place + 1; at != queue_.tail(); ++at) {
        const MemoryOperation& load = queue_[at];
        if (!load.has_read() || load.source > place || !load.overlaps(store)) continue;
        must_wait(load.pc, time);  // so that it is not forgotten at once
        waits_[load.pc / 2 % waits_.size()] = true;
        ++statistics_.violations;
        forget_segment();
        return squash(load.sequence, load.pc, time, time);
    }
}

// The oldest store that has retired is the next for the L1, one a cycle.
void OutOfOrder::schedule_commit() {
    if (commit_waits_ || commit_ != never || queue_.stores() == 0) return;
    for (std::uint64_t at = queue_.head(); at != queue_.tail(); ++at) {
        const MemoryOperation& store = queue_[at];
        if (!store.is_store || store.finished) continue;
        if (store.retired) commit_ = std::max(store.free_at, last_committed_ + 1);
        return;
    }
}

void OutOfOrder::commit(std::uint64_t time) {
    std::uint64_t at = queue_.head();
    while (!queue_[at].is_store || queue_[at].finished) ++at;
    MemoryOperation& store = queue_[at];
    commit_ = never;
    if (is_taken(time)) {
        commit_ = time + 1;
        return;
    }
    const bool waits_for_line = blocks_ ? blocks_port(store.address, store.size)
                                        : !asked_for_.empty() && is_asked_for(store.address, store.size);
    if (is_writable(store) && !store.forwards && !waits_for_line) {
        std::memcpy(line_to_write(store.address), &store.data, store.size);
    } else {
        forget_segment();
        core_.cycle = time;
        core_.hart.pc = store.pc;
        const std::uint64_t low = store.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * store.size)) - 1;
        const auto hand_over = [&] {
            if (store.forwards) return core_.requester->operate(LineOperation::forward, store.address, store.options);
            return core_.requester->store(store.address, store.size, store.data & low, store.allocates);
        };
        if (waits_for_line || hand_over() != Access::done) {
            core_.state = CoreState::runs;  // only the store waits
            commit_waits_ = true;
            return;
        }
        under_way_ = loads_.stores_under_way();
    }
    take_port(time);
    queue_.store_finished(store, last_committed_ = time);
    retry(Wait::commit, time);
    // Nobody will tell this core of another's write to a line that it has forwarded.
    if (store.forwards) line_lost(line_of(store.address), time);
    if (queue_.pop()) unhalt();
    schedule_commit();
}

void OutOfOrder::store_done(std::uint64_t time) {
    if (serial_ || begun_ != core_.begun) return;
    now_ = std::max(now_, time);
    forget_segment();
    under_way_ = loads_.stores_under_way();
    unblock_port(time);
    retry(Wait::store, time);
    retry_commit(time);
}

}  // namespace croftsim
