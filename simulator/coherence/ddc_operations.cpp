// A TILEPro64's operations beside loads and stores: atomic operations, which homes perform, fences, and the operations
// on lines (docs/instructions.md).

#include <algorithm>

#include "coherence/ddc.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

Access Ddc::atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                   const AtomicOperands& operands) {
    const std::uint64_t time = core_.time();
    send_due(time);
    const unsigned size = size_of(type);
    check_atomic(address, size, "an atomic operation");
    if (!translates(address, size)) return Access::retry;
    Message* const message = atomic_at_home(MessageKind::atomic, address, size, operands);
    message->operation = operation;
    message->is_unsigned = is_unsigned;
    return send_atomic(message, type, rd, time);
}

Access Ddc::store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) {
    const std::uint64_t time = core_.time();
    send_due(time);
    const unsigned size = size_of(type);
    check_atomic(address, size, "a store-conditional");
    if (!translates(address, size)) return Access::retry;
    if (!core_.reservation.permits_store(line_of(address))) {
        core_.reservation.lose();
        core_.set_result(LoadType::i64, rd, 1);
        return Access::done;
    }
    Message* const message = atomic_at_home(MessageKind::store_conditional, address, size, value);
    if (post_.home_of(message->line, tile_) != tile_) core_.reservation.lose();
    return send_atomic(message, LoadType::i64, rd, time);
}

Access Ddc::send_atomic(Message* message, LoadType type, std::uint8_t rd, std::uint64_t time) {
    if (buffer_.stores && buffer_.line == message->line) send_stores(time);
    if (check_) message->epoch = check_->epoch(tile_);
    // The home changes the line and does not tell the requester, so its copy goes first.
    outdate_allocation(message->line);
    if (Line* own = caches_.l2.find(message->line); own && !own->homed) caches_.drop(*own);
    begin(Pending::Kind::atomic, type, rd, message->line + message->offset);
    pending_.operation = message->operation;
    pending_.expected = operands_of(*message).expected;
    core_.sleep(CoreState::waits_memory, time);
    ask(message, time);
    return Access::blocked;
}

Access Ddc::fence() {
    const std::uint64_t time = core_.time();
    send_due(time);
    if (buffer_.stores) send_stores(time);
    ++fences_;
    if (unacknowledged_ > 0 || caches_.write_backs > 0) {
        wait_for_stores(StoresAwaited::behind, time);
        return Access::retry;
    }
    core_.stall(Stall::fence, time, stores_done_);
    if (check_) check_->fenced(tile_);
    return Access::done;
}

void Ddc::wait_for_stores(StoresAwaited which, std::uint64_t time) {
    stores_awaited_ = which;
    core_.sleep(CoreState::waits_fence, time);
}

// The fence of a line operation that is synchronous, which is tried again alone.
Access Ddc::fence_behind_operation() {
    const Access access = fence();
    fence_of_ = access == Access::retry ? core_.pc() : 0;
    return access;
}

Access Ddc::operate(LineOperation operation, std::uint64_t address, std::uint8_t options) {
    if (fence_of_ == core_.pc()) return fence_behind_operation();
    const std::uint64_t time = core_.time();
    send_due(time);
    if (operation == LineOperation::drop_all) {
        caches_.l1.clear();
        caches_.writable.clear();
        return Access::done;
    }
    if (operation == LineOperation::clean_all) {
        caches_.l2.for_each([&](Line& line) {
            if (line.homed && line.dirty && post_.memory().find(line.address)->home == Page::incoherent)
                clean(line, time);
        });
        return Access::done;
    }
    const bool writes = operation == LineOperation::allocate || operation == LineOperation::forward;
    check_page(address, 1, writes ? Permission::write : Permission::read, "a line operation");
    if (!translates(address, 1)) return Access::retry;
    const Page& where = *post_.memory().find(address);
    const std::uint64_t line = line_of(address);
    if (where.home == Page::incoherent) {
        // An own store before it may still be waiting for the line to come from memory.
        if (unacknowledged_ > 0 && home_.busy_with(line)) {
            wait_for_stores(StoresAwaited::before, time);
            return Access::retry;
        }
        Line* own = caches_.l2.find(line);
        if (operation == LineOperation::allocate) allocate_line(line, time);
        if (!own || own->busy) return Access::done;
        if (operation != LineOperation::drop && operation != LineOperation::allocate && own->dirty) clean(*own, time);
        if (operation != LineOperation::clean && operation != LineOperation::allocate) {
            if (check_ && own->dirty) check_->dropped(tile_, line, {core_.pc(), time});
            caches_.drop(*own);
        }
        return options & Forward::synchronous ? fence_behind_operation() : Access::done;
    }
    switch (operation) {
        case LineOperation::allocate:
            allocate_line(line, time);
            break;
        case LineOperation::drop:
        case LineOperation::flush:
            drop_copy(line, time, 0);
            break;
        case LineOperation::forward:
            drop_copy(line, time, options);
            if (options & Forward::synchronous) return fence_behind_operation();
            break;
        default:
            break;  // every store has been written through: there is nothing to clean
    }
    return Access::done;
}

// The own copy of a line homed elsewhere goes, behind the stores to it. The home is told, so that it does not have to
// invalidate a copy that is not there (paper 000, section 6.3).
void Ddc::drop_copy(std::uint64_t line, std::uint64_t time, std::uint8_t options) {
    const std::uint32_t home = post_.home_of(line, tile_);
    if (home == tile_) {
        Line* own = caches_.l2.find(line);
        if (!own || !own->homed || own->busy) return;
        if (options & Forward::into_l1) home_.bring_into_l1(*own);
        if (options & Forward::update_memory) home_.write_back(*own, time, false);
        return;
    }
    const bool awaited = outdate_allocation(line);
    Line* own = caches_.l2.find(line);
    if (own) caches_.drop(*own);
    if (buffer_.stores && buffer_.line == line) return send_stores(time, options, true);
    const Hint& hint = hint_of(line);
    if (!own && !awaited && !options && !(holds(hint, line) && hint.used)) return;
    Message* message = post_.pool().make(MessageKind::leave, home, line);
    message->requester = tile_;
    message->into_l1 = options & Forward::into_l1;
    message->update_memory = options & Forward::update_memory;
    last_sent_ = std::max(last_sent_, time);
    post_.send(tile_, message, last_sent_);
}

void Ddc::allocate_line(std::uint64_t line, std::uint64_t time) {
    if (post_.home_of(line, tile_) != tile_) {
        hint_of(line) = {line, fences_, false};
        return;
    }
    if (!caches_.l2.find(line) && !home_.busy_with(line)) home_.allocate(line, time, true);
}

void Ddc::clean(Line& line, std::uint64_t time) {
    home_.write_back(line, time, true);
    line.dirty = false;
    caches_.writable.revoke(line.address);  // the next store makes it dirty again
}

}  // namespace croftsim
