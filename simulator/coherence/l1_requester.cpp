#include "coherence/l1_requester.hpp"

#include <algorithm>
#include <cstring>

#include "coherence/private_caches.hpp"
#include "isa/atomic_operation.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

L1Requester::L1Requester(const MachineDescription& machine, const CoreKind& kind, const HomeTimes& home, Core& core,
                         Post& post)
    : RequesterEngine(machine, kind, core, post),
      l1(kind.l1d),
      home_(home),
      prefetcher_(kind.prefetch ? make_prefetcher(*kind.prefetch) : nullptr),
      no_lines_(check_ ? l1.fast.size() : 0) {
    core.requester = this;
    core.loads = this;
    core.fast = {l1.fast.data(), l1.set_mask, writable.data()};
    if (check_) core.fast = {no_lines_.data(), l1.set_mask, no_writes_.data()};
}

void L1Requester::send(Message* message, std::uint64_t time) {
    if (deadline() <= time) send_due(time);
    message->requester = tile_;
    if (check_) message->epoch = check_->epoch(tile_);
    message->destination = post_.home_of(message->line, tile_);
    post_.send(tile_, message, time);
}

Access L1Requester::sleep(CoreState state) {
    core_.sleep(state, core_.time());
    return Access::retry;
}

// ---- loads ----

Access L1Requester::load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how) {
    const std::uint64_t time = core_.time();
    const unsigned size = size_of(type);
    check_load(address, size, how);
    const std::uint64_t line = line_of(address);
    if (awaits_store(line) || awaits_store(line_of(address + size - 1))) return sleep(CoreState::waits_store);
    if (how != Reserve::no && awaits_prefetch(line)) return sleep(CoreState::waits_store);
    statistics_.looks += further_looks(address, size, how);
    if (address - line + size <= line_bytes) {
        L1Line* const found = l1.find(line);
        if (found && may_read(*found, mask_of(address, size), how)) {
            touch(*found);
            reserve(how, line, time);
            keep(*found, how, time + kind_.l1d.hit);
            const std::uint64_t raw = get_bytes(found->bytes.data() + (address - line), size);
            core_.set_result(type, rd, raw);
            if (check_) check_->loaded(tile_, address, size, raw, {core_.pc(), time});
            return Access::done;
        }
    }
    begin_load(type, rd, address, how);
    return advance(time);
}

const std::uint8_t* L1Requester::here(std::uint64_t address, unsigned size, std::uint64_t&) {
    L1Line* const found = l1.find(line_of(address));
    if (!found || !may_read(*found, mask_of(address, size), pending_.reserve)) return nullptr;
    touch(*found);
    return found->bytes.data();
}

void L1Requester::ask_for(std::uint64_t address, unsigned size, std::uint64_t time) {
    ++statistics_.load_misses;
    if (joins_prefetch(line_of(address), time)) return;
    send(request_for(line_of(address), mask_of(address, size), pending_.reserve, time), time + kind_.l1d.hit);
    if (pending_.reserve == Reserve::no) prefetch_behind(line_of(address), time);
}

Stall L1Requester::waited_for(bool) const {
    if (pending_.reserve != Reserve::no) return Stall::atomic;
    return pending_.from_memory ? Stall::memory : Stall::home;
}

AsynchronousLoads::Found L1Requester::look(std::uint64_t address, unsigned size, std::uint8_t* to) {
    const std::uint64_t line = line_of(address), mask = mask_of(address, size);
    if (awaits_store(line)) {
        const std::uint8_t* const bytes = awaiting(line, mask);
        if (!bytes) return Found::behind;
        std::memcpy(to, bytes + (address - line), size);
        return Found::stored;
    }
    L1Line* const found = l1.find(line);
    if (!found || !may_read(*found, mask, Reserve::no)) return Found::elsewhere;
    touch(*found);
    std::memcpy(to, found->bytes.data() + (address - line), size);
    return Found::here;
}

void L1Requester::ask(std::uint64_t line, std::uint64_t time) {
    ++statistics_.load_misses;
    if (joins_prefetch(line, time)) return;
    if (prefetcher_) prefetches_.push_back({line, true});  // for this core may ask for many at a time
    send(request_for(line, whole_line, Reserve::no, time), time + kind_.l1d.hit);
    prefetch_behind(line, time);
}

// ---- the program ----

// A copy that nobody keeps a record of, and that no acquire concerns: fence.i alone drops it.
void L1Requester::ask_for_program(std::uint64_t line, std::uint64_t time) {
    Message* message = post_.pool().make(MessageKind::read, 0, line);
    message->mask = whole_line;
    message->of_program = true;
    send(message, time + kind_.l1i->hit);
}

// ---- stores ----

Access L1Requester::store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) {
    check_page(address, size, Permission::write, "a store");
    const std::uint64_t line = line_of(address);
    const auto offset = static_cast<unsigned>(address - line);
    const unsigned first = std::min(size, line_bytes - offset);
    if (!allocate && first == size)  // else it allocates after all
        if (const auto done = store_around(line, mask_of(address, size), offset, size, value)) return *done;
    const bool in_two = first < size;
    if (!has_room(in_two ? 2 : 1) || is_collected(line) || (in_two && is_collected(line + line_bytes)))
        return sleep(CoreState::waits_store);
    if (awaits_prefetch(line) || awaits_prefetch(line_of(address + size - 1))) return sleep(CoreState::waits_store);
    // The second part may have to be tried again: writing the first twice does no harm.
    Access done = store_part(line, offset, first, value);
    if (in_two) {
        if (done != Access::done) {
            core_.state = CoreState::waits_store;  // the second part is still to come
            return Access::retry;
        }
        if (awaits_prefetch(line + line_bytes)) return sleep(CoreState::waits_store);  // since the first part
        done = store_part(line + line_bytes, 0, size - first, value >> (8 * first));
    }
    const bool waits = awaits_store(line) || awaits_store(line_of(address + size - 1));
    return done == Access::done && kind_.core.outstanding_stores == 0 && waits ? wait_for_store(address, size, value)
                                                                               : done;
}

Access L1Requester::store_part(std::uint64_t line, unsigned offset, unsigned size, std::uint64_t value) {
    const std::uint64_t mask = mask_of(line + offset, size);
    L1Line* const found = l1.find(line);
    if (!found || !stays_here(*found, mask)) return store_bytes(line, mask, offset, size, value);
    store_in(*found, mask, offset, size, value);
    return Access::done;
}

void L1Requester::store_in(L1Line& line, std::uint64_t mask, unsigned offset, unsigned size, std::uint64_t value) {
    touch(line);
    put_bytes(line.bytes.data() + offset, value, size);
    line.valid |= mask;
    line.dirty |= dirtied(mask);
    changed(line);
    if (check_) stored_here(line, mask, *check_);
}

void L1Requester::wake_stores(std::uint64_t time, bool all_done) {
    core_.model->store_done(time);
    if (core_.state == CoreState::waits_store && pending_.kind != Pending::Kind::store)
        core_.wake(time, Stall::store_buffer);
    if (core_.state == CoreState::waits_fence && all_done) {
        const bool beside = kind_.core.fence_cost == CoreDescription::Fence::beside;
        const std::uint32_t passed = beside ? kind_.core.cost[static_cast<std::size_t>(Cost::fence)] - 1 : 0;
        const std::uint64_t over = std::max(time, core_.asleep_since + kind_.core.fence_least);
        core_.wake(std::max(over - passed, core_.asleep_since), Stall::fence);  // its own cycles follow
    }
}

// ---- atomics ----

// Carries the pending atomic out on the line's bytes, and says whether it has stored.
bool L1Requester::apply_pending(L1Line& line) {
    const AtomicOperands operands{{pending_.operand, pending_.operand_high}, pending_.expected};
    const AtomicOutcome outcome = carry_out(line.bytes.data() + pending_.address % line_bytes, pending_.operation,
                                            operands, size_of(pending_.type), pending_.is_unsigned);
    pending_.raw = outcome.old.low;
    pending_.raw_high = outcome.old.high;
    return outcome.stored;
}

// ---- order ----

void L1Requester::acquire() {
    ++statistics_.acquires;
    outdate_prefetches();
    self_invalidate(statistics_.acquire_invalidated);
}

void L1Requester::self_invalidate(std::uint64_t& lines) {
    l1.for_each([&](L1Line& line) {
        const std::uint64_t kept = line.owned | line.dirty;
        if ((line.valid & ~kept) == 0) return;
        ++lines;
        keep_only(line, kept);
    });
}

Access L1Requester::fence() {
    std::uint64_t flushed = 0;
    const bool over = flush(core_.time(), flushed);
    statistics_.release_flushed += flushed;
    if (!over) return sleep(CoreState::waits_fence);
    if (check_) check_->fenced(tile_);
    return Access::done;
}

Access L1Requester::operate(LineOperation operation, std::uint64_t address, std::uint8_t options) {
    const std::uint64_t time = core_.time();
    switch (operation) {
        case LineOperation::drop_all:
            ++statistics_.invalidates;
            if (readers_invalidate()) outdate_prefetches(), self_invalidate(statistics_.invalidate_invalidated);
            return Access::done;
        case LineOperation::clean_all: {
            std::uint64_t flushed = 0;
            const bool over = flush(time, flushed);
            statistics_.flush_flushed += flushed;
            if (!over) return sleep(CoreState::waits_fence);
            ++statistics_.flushes;
            if (check_) check_->fenced(tile_);
            return Access::done;
        }
        case LineOperation::allocate:
            return Access::done;
        default:
            break;
    }
    check_page(address, 1, Permission::none, "a cache operation");
    const std::uint64_t line = line_of(address);
    if (operation == LineOperation::forward)
        if (const auto done = forward(line, options)) return *done;
    if (awaits_store(line) || awaits_prefetch(line)) return sleep(CoreState::waits_store);
    L1Line* const found = l1.find(line);
    if (!found) return Access::done;
    flush_line(*found, time);
    if (operation == LineOperation::clean) return Access::done;
    leave(*found, time);
    if (found->owned) core_.reservation.lose();
    drop(*found);
    return Access::done;
}

// ---- lines ----

L1Line& L1Requester::install(std::uint64_t line, std::uint64_t time) {
    if (L1Line* const found = l1.find(line)) return *found;
    L1Line& place = l1.victim(line);
    if (place.address != L1Line::nothing) {
        ++statistics_.evictions;
        if (place.dirty) ++statistics_.write_backs;
        leave(place, time);
        // Nobody will tell a cache of another's write that does not own the line any more.
        if (place.owned) lose_reservation(core_, place.address, time);
        writable.revoke(place.address);
    }
    writable.revoke(l1.most_recent(line).address);
    l1.assign(place, line);
    return place;
}

void L1Requester::changed(L1Line& line) {
    l1.show(line);
    if (may_write_all(line) && &l1.most_recent(line.address) == &line)
        writable.permit(line);
    else
        writable.revoke(line.address);
}

void L1Requester::keep_only(L1Line& line, std::uint64_t mask) {
    line.valid &= mask;
    line.valid ? changed(line) : drop(line);
}

void L1Requester::drop(L1Line& line) {
    writable.revoke(line.address);
    l1.free(line);
}

}  // namespace croftsim
