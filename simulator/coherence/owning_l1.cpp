#include "coherence/owning_l1.hpp"

#include <algorithm>
#include <cstring>

#include "coherence/private_caches.hpp"
#include "isa/atomic_operation.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

Message* OwningL1::own(std::uint64_t line, std::uint64_t mask, std::uint64_t time) {
    Message* message = post_.pool().make(MessageKind::own, 0, line);
    message->mask = unit(mask);
    give_up(line, message->mask, time);
    L1Line* const found = l1.find(line);
    message->no_payload = found && (message->mask & ~found->valid) == 0;  // if the home agrees that the copy is good
    if (found && found->dirty & message->mask) {  // MOESI's O: the bytes go along, for the same reason
        message->owned = found->dirty & message->mask;
        message->bytes = found->bytes;
        found->dirty &= ~message->mask;
        changed(*found);
    }
    return message;
}

// Before a request for these bytes: those that are owned already go home. Else, if the line lost its place before the
// answer came, they would be written back behind the request. Then the home would answer a load with older bytes than
// this core has written. It would also give the bytes to this core first and take them away afterwards.
void OwningL1::give_up(std::uint64_t line, std::uint64_t mask, std::uint64_t time) {
    L1Line* const found = l1.find(line);
    const std::uint64_t part = found ? found->owned & mask : 0;
    if (part == 0) return;
    write_back(*found, part, time);
    found->owned &= ~part;
    found->dirty &= ~part;
    changed(*found);
    lose_reservation(core_, line, time);
}

Access OwningL1::store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                             std::uint64_t value) {
    const auto join = [&](Store& store) {
        std::memcpy(store.bytes.data() + offset, &value, size);
        store.mask |= mask;
        if (check_) check_->buffered(tile_, line + offset, size, value, {core_.pc(), core_.time()});
        return Access::done;
    };
    for (Store& store : queue_) {
        if (store.line != line) continue;
        if ((mask & ~store.wanted) || (in_order_ && &store != &queue_.back())) return sleep(CoreState::waits_store);
        return join(store);
    }
    if (queue_.size() >= std::max(kind_.core.outstanding_stores, 1u)) return sleep(CoreState::waits_store);
    L1Line* const found = l1.find(line);
    const bool is_owned = found && (mask & ~found->owned) == 0;  // it only waits for others
    queue_.push_back({line, unit(mask), 0, core_.pc(), false, {}});
    if (!is_owned) {
        ++statistics_.store_misses;
        ask_to_own(queue_.back(), core_.time());
    }
    if (in_order_) writable.clear();
    if (found) {
        found->awaits_store = true;
        changed(*found);
    }
    return join(queue_.back());
}

void OwningL1::ask_to_own(Store& store, std::uint64_t time) {
    Message* const message = own(store.line, store.wanted, time);
    store.wanted = message->mask;
    store.asked = true;
    send(message, time + kind_.l1d.hit);
}

void OwningL1::write(const Store& store, L1Line& line, std::uint64_t time) {
    line.awaits_store = false;
    line.put(store.mask, store.bytes.data());
    line.dirty |= dirtied(store.mask);
    changed(line);
    if (!check_) return;
    check_->sent(tile_, line.address, store.mask);
    check_->served(tile_, check_->epoch(tile_), line.address, store.mask, line.bytes.data(), true, {store.pc, time});
}

// In the program's order, those whose lines are here. The next one asks, if it has been answered before.
void OwningL1::write_first_ones(std::uint64_t time) {
    std::size_t written = 0;
    for (; written < queue_.size() && !queue_[written].asked; ++written) {
        Store& store = queue_[written];
        L1Line* const line = l1.find(store.line);
        if (!line || (store.wanted & ~line->owned)) {
            ask_to_own(store, time);
            break;
        }
        write(store, *line, time);
    }
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(written));
}

void OwningL1::stored_here(const L1Line& line, std::uint64_t mask, CoherenceCheck& check) {
    check.served(tile_, check.epoch(tile_), line.address, mask, line.bytes.data(), false, {core_.pc(), core_.time()});
}

Access OwningL1::atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd,
                        std::uint64_t address, const AtomicOperands& operands) {
    check_atomic(address, size_of(type), "an atomic operation");
    if (is_behind(line_of(address)) || awaits_prefetch(line_of(address))) return sleep(CoreState::waits_store);
    begin(Pending::Kind::atomic, type, rd, address);
    pending_.operation = operation;
    pending_.is_unsigned = is_unsigned;
    pending_.operand = operands.value.low;
    pending_.operand_high = operands.value.high;
    pending_.expected = operands.expected;
    return ask_for_atomic();
}

bool OwningL1::atomic_ahead(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd,
                            std::uint64_t address, const AtomicOperands& operands) {
    const unsigned size = size_of(type);
    if (size > 8) return false;  // the checkpoint notes one word of a line
    L1Line* const line = ahead_in(address, size, Permission::read | Permission::write);
    if (!line || !stays_here(*line, mask_of(address, size))) return false;
    touch_ahead(*line);
    note_write(*line, address);
    const AtomicOutcome outcome =
        carry_out(line->bytes.data() + address % line_bytes, operation, operands, size, is_unsigned);
    if (outcome.stored) {
        line->dirty |= dirtied(mask_of(address, size));
        changed(*line);
    }
    core_.set_result(type, rd, outcome.old);
    return true;
}

Access OwningL1::store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) {
    check_atomic(address, size_of(type), "a store-conditional");
    if (is_behind(line_of(address)) || awaits_prefetch(line_of(address))) return sleep(CoreState::waits_store);
    if (!core_.reservation.permits_store(line_of(address))) {
        core_.reservation.lose();
        core_.set_result(LoadType::i64, rd, 1);
        conditional_ended(false);
        return Access::done;
    }
    begin(Pending::Kind::store_conditional, type, rd, address);
    pending_.operand = value;
    return ask_for_atomic();
}

Access OwningL1::ask_for_atomic() {
    const std::uint64_t line = line_of(pending_.address);
    const std::uint64_t mask = mask_of(pending_.address, size_of(pending_.type));
    if (L1Line* const found = l1.find(line); found && (mask & ~found->owned) == 0) {
        touch(*found);
        complete_atomic(*found, core_.time());
        return Access::done;
    }
    ++statistics_.store_misses;
    send(own(line, mask, core_.time()), core_.time() + kind_.l1d.hit);
    core_.sleep(CoreState::waits_memory, pending_.issued);
    return Access::blocked;
}

// The line's bytes are owned.
void OwningL1::complete_atomic(L1Line& line, std::uint64_t usable) {
    const std::uint64_t mask = mask_of(pending_.address, size_of(pending_.type));
    if (check_) check_->synchronised(tile_, pending_.address);
    bool writes = true;
    if (pending_.kind == Pending::Kind::store_conditional) {
        // Another core's write since the lr has taken the reservation with the copy.
        writes = core_.reservation.permits_store(line.address);
        core_.reservation.lose();
        if (writes)
            put_bytes(line.bytes.data() + pending_.address % line_bytes, pending_.operand, size_of(pending_.type));
        pending_.raw = writes ? 0 : 1;
        conditional_ended(writes);
    } else {
        writes = apply_pending(line);
    }
    if (writes) {
        line.dirty |= dirtied(mask);
        changed(line);
        if (check_)
            check_->served(tile_, check_->epoch(tile_), line.address, mask, line.bytes.data(), false,
                           {pending_.pc, pending_.issued});
    }
    finish(usable, Stall::atomic);
}

void OwningL1::arrived(const Message& message, L1Line& line) {
    if (!message.exclusive) return;
    const auto store =
        std::find_if(queue_.begin(), queue_.end(), [&](const Store& s) { return s.line == message.line; });
    if (store != queue_.end()) {
        if (in_order_) {
            store->asked = false;
            line.awaits_store = true;
            changed(line);
            write_first_ones(message.time);
        } else {
            write(*store, line, message.time);
            queue_.erase(store);
        }
        if (pending_.kind == Pending::Kind::store && queue_.empty()) finish_store(message.time + home_.fill);
        return wake_stores(message.time, stores_done());
    }
    const bool atomic = pending_.kind == Pending::Kind::atomic || pending_.kind == Pending::Kind::store_conditional;
    if (atomic && line_of(pending_.address) == message.line) complete_atomic(line, message.time + home_.fill);
}

void OwningL1::digest(Digest& to) {
    L1Requester::digest(to);
    for (const Store& store : queue_) {
        for (const std::uint64_t value : {store.line, store.wanted, store.mask, std::uint64_t{store.asked}})
            to.add(value);
        for (std::size_t i = 0; i < store.bytes.size(); ++i) to.add(store.mask >> i & 1 ? store.bytes[i] : 0);
    }
    for (const CollectedStore& store : collected_.all()) {
        for (const std::uint64_t value : {store.line, store.mask, std::uint64_t{store.sent}}) to.add(value);
        for (std::size_t i = 0; i < store.bytes.size(); ++i) to.add(store.mask >> i & 1 ? store.bytes[i] : 0);
    }
}

// Dirty bytes go home. A clean line of its own leaves silently, unless the home wants to be told: else it learns of it
// when it recalls the line.
void OwningL1::leave(L1Line& line, std::uint64_t time) {
    if (!line.dirty && line.owned == whole_line && home_.told) {
        Message* const told = post_.pool().make(MessageKind::write_back, 0, line.address);
        told->clean = true;
        return send(told, time);
    }
    if (!line.dirty) return;
    write_back(line, line.owned | line.dirty, time);
    if (!line.owned) lose_reservation(core_, line.address, time);  // MOESI's O: nobody will tell of another's write
}

void OwningL1::write_back(const L1Line& line, std::uint64_t mask, std::uint64_t time) {
    Message* message = post_.pool().make(MessageKind::write_back, 0, line.address);
    message->mask = mask;
    message->bytes = line.bytes;
    send(message, time);
}

bool OwningL1::flush(std::uint64_t time, std::uint64_t&) {
    send_collected(time);
    return stores_done();
}

}  // namespace croftsim
