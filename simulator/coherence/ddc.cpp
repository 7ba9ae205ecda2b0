#include "coherence/ddc.hpp"

#include "coherence/coherence_check.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace croftsim {
namespace {

// A store's or atomic's bytes, as one bit each of the line's mask.
std::uint64_t mask_of(std::uint64_t address, unsigned size) {
    return ((std::uint64_t{1} << size) - 1) << (address % line_bytes);
}

// Cycles after which the store buffer no longer waits for further stores to its line.
constexpr std::uint64_t longest_merge = 64;

}  // namespace

Ddc::Ddc(std::uint32_t tile, const MachineDescription& machine, PrivateCaches& caches, Home& home, Core& core,
         Post& post)
    : tile_(tile), machine_(machine), caches_(caches), home_(home), core_(core), post_(post), check_(post.watcher()) {}

const Page& Ddc::page(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what) {
    const AddressSpace& memory = post_.memory();
    const Page* first = memory.find(address);
    const bool crosses = (address ^ (address + size - 1)) / AddressSpace::page_bytes != 0;
    const bool allowed = first && (first->permission & permission) == permission &&
                         (!crosses || memory.allows(address + size - 1, 1, permission));
    if (!allowed) core_.wild_access(what, size, address);
    return *first;
}

Access Ddc::load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how) {
    const std::uint64_t time = core_.time();
    const unsigned size = size_of(type);
    settle(time);
    page(address, size, Permission::read, "a load");
    if (how != Reserve::no && address % size) core_.fault("a load-reserved at a misaligned address", 135);
    if (check_ && how == Reserve::start) check_->reads_anew(tile_, address);
    const std::uint64_t line = line_of(address);
    if (address - line + size <= line_bytes) {
        std::uint64_t raw = 0;
        if (caches_.l1.touch(address)) {
            // Two L1 lines of one L2 line: the second is read a cycle later, and is taken to be as near.
            if (caches_.l1.line_of(address) != caches_.l1.line_of(address + size - 1))
                core_.stall(Stall::l2, time, time + 1);
            const auto host = address + caches_.l1.set_of(address).addend;
            raw = get_bytes(reinterpret_cast<const std::uint8_t*>(host), size);
            reserve(how, line);
            core_.set_result(type, rd, raw);
            if (check_) check_->loaded(tile_, address, size, raw, {core_.pc(), time});
            return Access::done;
        }
        if (Line* found = caches_.l2.find(line); found && !found->busy) {
            ++caches_.statistics.l1_misses;
            ++caches_.statistics.l2_hits;
            const std::uint64_t usable = caches_.use_port(time, 1) + machine_.l2.hit;
            caches_.l2.touch(*found);
            caches_.l1.insert(address, found->addend());
            raw = get_bytes(found->bytes.data() + (address - line), size);
            reserve(how, line);
            core_.set_result(type, rd, raw);
            if (check_) check_->loaded(tile_, address, size, raw, {core_.pc(), time});
            book(time, usable, core_.block->slack_of(core_.op), Stall::l2);
            return Access::done;
        }
    }
    ++caches_.statistics.l1_misses;
    pending_ = {type, rd, how, address, time, core_.block->slack_of(core_.op), 0, 0, false, core_.pc()};
    return advance(time);
}

Access Ddc::advance(std::uint64_t time) {
    const unsigned size = size_of(pending_.type);
    while (pending_.done < size) {
        const std::uint64_t at = pending_.address + pending_.done;
        const std::uint64_t line = line_of(at);
        Line* found = caches_.l2.find(line);
        if (!found || found->busy) {
            if (buffer_.stores && buffer_.line == line) send_stores(time);
            ++caches_.statistics.l2_misses;
            ask(post_.pool().make(MessageKind::read, 0, line), time);
            if (core_.state == CoreState::runs) core_.sleep(CoreState::waits_memory, pending_.issued);
            return Access::blocked;
        }
        ++caches_.statistics.l2_hits;
        time = caches_.use_port(time, 1) + machine_.l2.hit;
        caches_.l2.touch(*found);
        if (!caches_.l1.touch(at)) caches_.l1.insert(at, found->addend());
        take_part(found->bytes.data(), line);
    }
    return finish_load(time);
}

Access Ddc::finish_load(std::uint64_t usable) {
    core_.set_result(pending_.type, pending_.rd, pending_.raw);
    const bool slept = core_.state == CoreState::waits_memory;
    if (check_)
        check_->loaded(tile_, pending_.address, size_of(pending_.type), pending_.raw, {pending_.pc, pending_.issued});
    const Stall why = !slept ? Stall::l2 : pending_.from_memory ? Stall::memory : Stall::home;
    core_.state = CoreState::runs;
    book(pending_.issued, usable, pending_.slack, why);
    return Access::done;
}

// Nothing needs the load to be over for `slack` cycles behind its issue.
void Ddc::book(std::uint64_t issued, std::uint64_t usable, std::uint32_t slack, Stall why) {
    const std::uint64_t needed = issued + slack;
    core_.stall(why, needed, usable);
}

// A request to the line's home, which may be this tile. Elsewhere it goes out when the own L2 has been searched.
void Ddc::ask(Message* message, std::uint64_t time) {
    message->requester = tile_;
    const std::uint32_t home = post_.home_of(message->line, tile_);
    if (home == tile_) {
        message->time = time;
        return home_.receive(message);
    }
    message->destination = home;
    post_.send(tile_, message, time + machine_.l2.hit);
}

void Ddc::take_part(const std::uint8_t* bytes, std::uint64_t line) {
    const std::uint64_t at = pending_.address + pending_.done;
    const std::uint32_t count = std::min<std::uint32_t>(size_of(pending_.type) - pending_.done,
                                                        static_cast<std::uint32_t>(line + line_bytes - at));
    std::memcpy(reinterpret_cast<std::uint8_t*>(&pending_.raw) + pending_.done, bytes + (at - line), count);
    pending_.done += count;
    reserve(pending_.reserve, line);
}

void Ddc::reserve(Reserve how, std::uint64_t line) {
    if (how == Reserve::start) core_.reservation.start(line);
    if (how == Reserve::add) core_.reservation.add(line);
}

void Ddc::data(Message* message) {
    const std::uint64_t usable = message->time + machine_.home.fill;
    const std::uint64_t line = message->line;
    const std::uint64_t at = pending_.address + pending_.done;
    pending_.from_memory |= message->from_memory;
    const bool homed_here = post_.home_of(line, tile_) == tile_;
    Line* place = caches_.l2.find(line);
    if (!place && !homed_here && !message->do_not_keep) {
        place = home_.make_room(line, message->time, true);
        if (place) {
            caches_.l2.assign(*place, line);
            place->bytes = message->bytes;
        }
    }
    if (place && !caches_.l1.touch(at)) caches_.l1.insert(at, place->addend());
    // The home of its own line sends itself no invalidation behind the data, so a write served in between must be seen
    // now: else the reservation would begin with an old value and never be lost.
    take_part(place ? place->bytes.data() : message->bytes.data(), line);
    // Without a copy no invalidation would come either, and a core that waits for one would sleep for ever.
    if (!place) core_.reservation.lose();
    post_.pool().release(message);
    advance(usable);
}

bool Ddc::has_room(std::uint32_t messages) {
    if (unacknowledged_ + messages <= machine_.core.outstanding_stores) return true;
    core_.sleep(CoreState::waits_store, core_.time());
    return false;
}

Access Ddc::store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) {
    const std::uint64_t time = core_.time();
    settle(time);
    const std::uint64_t line = line_of(address);
    // The most frequent case first: the neighbour of the last store.
    if (buffer_.stores && buffer_.line == line && address - line + size <= line_bytes) {
        merge(static_cast<unsigned>(address - line), size, value, time);
        return Access::done;
    }
    page(address, size, Permission::write, "a store");
    const auto first = static_cast<unsigned>(std::min<std::uint64_t>(size, line + line_bytes - address));
    if (first == size) {
        if (buffer_.line != line || !buffer_.stores) {
            Line* found = caches_.l2.find(line);
            const bool quiet = found && found->homed && !found->busy && found->sharers.empty();
            if (!quiet && !has_room(buffer_.stores ? 2 : 1)) return Access::retry;
        }
        store_within_line(address, size, value, allocate, time);
    } else {
        if (!has_room(3)) return Access::retry;
        store_within_line(address, first, value, allocate, time);
        store_within_line(address + first, size - first, value >> (8 * first), allocate, time);
    }
    return Access::done;
}

void Ddc::store_within_line(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate,
                            std::uint64_t time) {
    const std::uint64_t line = line_of(address);
    Line* own = caches_.l2.find(line);
    if (post_.home_of(line, tile_) == tile_) return store_at_home(own, address, size, value, time);
    if (buffer_.stores && buffer_.line != line) send_stores(time);
    if (!buffer_.stores) {
        buffer_.line = line;
        buffer_.own = own;
        buffer_.mask = 0;
        // One answer that brings the line is enough, and what it brings lacks this store.
        buffer_.allocates = !own && allocate && !outdate_allocation(line);
        buffer_.last_deadline = time + longest_merge;
        post_.expect_send(tile_, time + machine_.core.store_buffer_drain);
    }
    merge(static_cast<unsigned>(address - line), size, value, time);
}

void Ddc::store_at_home(Line* own, std::uint64_t address, unsigned size, std::uint64_t value, std::uint64_t time) {
    const std::uint64_t line = line_of(address);
    const auto offset = static_cast<unsigned>(address - line);
    if (own && !own->busy && own->sharers.empty()) {
        put_bytes(own->bytes.data() + offset, value, size);
        if (check_)
            check_->served(tile_, check_->epoch(tile_), line, mask_of(address, size), own->bytes.data(), false,
                           {core_.pc(), time});
        // A run of stores through the write filter counts as one use of the line.
        if (caches_.writable.permits(line)) return;
        own->dirty = true;
        caches_.l2.touch(*own);
        caches_.writable.permit(*own);
        if (!caches_.l1.holds(caches_.l1.line_of(address), caches_.l1.line_bytes))
            stores_done_ = std::max(stores_done_, time + machine_.l2.store);
        return;
    }
    Message* message = post_.pool().make(MessageKind::write_through, tile_, line);
    message->requester = tile_;
    message->time = time;
    message->mask = mask_of(address, size);
    put_bytes(message->bytes.data() + offset, value, size);
    // If the home cannot take the store at once, a later load must wait behind it.
    if (own && own->busy) caches_.l1.drop(line, line_bytes);
    ++unacknowledged_;
    ++caches_.statistics.stores_sent;
    if (check_) {
        check_->buffered(tile_, address, size, {core_.pc(), time});
        check_->sent(tile_, line, message->mask);
        message->epoch = check_->epoch(tile_);
    }
    home_.receive(message);
}

void Ddc::merge(unsigned offset, unsigned size, std::uint64_t value, std::uint64_t time) {
    ++buffer_.stores;
    if (check_) check_->buffered(tile_, buffer_.line + offset, size, {core_.pc(), time});
    buffer_.deadline = std::min(time + machine_.core.store_buffer_drain, buffer_.last_deadline);
    buffer_.mask |= mask_of(offset, size);
    put_bytes(buffer_.bytes.data() + offset, value, size);
    // The own copy may have been invalidated since the buffer was opened.
    if (buffer_.own && buffer_.own->address == buffer_.line) put_bytes(buffer_.own->bytes.data() + offset, value, size);
}

void Ddc::send_stores(std::uint64_t time, std::uint8_t options, bool leaves) {
    const std::uint64_t line = buffer_.line;
    Message* message = post_.pool().make(MessageKind::write_through, post_.home_of(line, tile_), line);
    message->requester = tile_;
    message->mask = buffer_.mask;
    message->bytes = buffer_.bytes;
    message->allocates = buffer_.allocates && !leaves;
    message->leaves = leaves;
    message->into_l1 = options & Forward::into_l1;
    message->update_memory = options & Forward::update_memory;
    if (Hint& hint = hint_of(line); holds(hint, line) && !hint.used) {
        message->no_fetch = true;
        hint.used = true;
    }
    if (message->allocates) allocations_.push_back({line, false});
    if (check_) {
        check_->sent(tile_, line, message->mask);
        message->epoch = check_->epoch(tile_);
    }
    ++unacknowledged_;
    ++caches_.statistics.store_messages;
    caches_.statistics.stores_sent += buffer_.stores;
    buffer_.stores = 0;
    if (message->destination == tile_) {  // re-homed here since the store
        message->time = time;
        return home_.receive(message);
    }
    // A store that is to bring the line leaves when the own L2 has been searched, any other at once.
    last_sent_ = std::max(last_sent_, message->allocates ? time + machine_.l2.hit : time);
    post_.send(tile_, message, last_sent_);
}

// Whether an answer that brings the line is on its way; from now on it is not to be kept.
bool Ddc::outdate_allocation(std::uint64_t line) {
    for (Allocation& allocation : allocations_) {
        if (allocation.line != line) continue;
        allocation.outdated = true;
        return true;
    }
    return false;
}

void Ddc::write_data(Message* message) {
    const std::uint64_t time = message->time, line = message->line;
    const auto mine = std::find_if(allocations_.begin(), allocations_.end(),
                                   [&](const Allocation& allocation) { return allocation.line == line; });
    assert(mine != allocations_.end());
    const bool keep = !mine->outdated && !message->do_not_keep && post_.home_of(line, tile_) != tile_ &&
                      !(buffer_.stores && buffer_.line == line);
    allocations_.erase(mine);
    if (Line* place = keep && !caches_.l2.find(line) ? home_.make_room(line, time, true) : nullptr) {
        caches_.l2.assign(*place, line);
        place->bytes = message->bytes;
    }
    post_.pool().release(message);
    stores_done_ = std::max(stores_done_, time + machine_.home.fill);
    acknowledged(time);
}

void Ddc::acknowledged(std::uint64_t time) {
    assert(unacknowledged_ > 0);
    --unacknowledged_;
    if (core_.state == CoreState::waits_store) core_.wake(time, Stall::store_buffer);
    wake_fence(time);
}

// The core's fence is done once nothing of its is under way.
void Ddc::wake_fence(std::uint64_t time) {
    if (core_.state != CoreState::waits_fence || unacknowledged_ > 0 || caches_.write_backs > 0) return;
    // The next operation issues when the last acknowledgement is there: the fence's own cycle is part of the wait.
    core_.wake(std::max(time, core_.asleep_since + machine_.core.fence_least) - 1, Stall::fence);
}

Access Ddc::atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                   std::uint64_t operand) {
    const std::uint64_t time = core_.time();
    settle(time);
    const unsigned size = size_of(type);
    page(address, size, Permission::read | Permission::write, "an atomic operation");
    if (address % size) core_.fault("an atomic operation at a misaligned address", 135);
    Message* message = post_.pool().make(MessageKind::atomic, 0, line_of(address));
    message->operation = operation;
    message->is_unsigned = is_unsigned;
    message->offset = static_cast<std::uint8_t>(address % line_bytes);
    message->size = static_cast<std::uint8_t>(size);
    message->operand = operand;
    return send_atomic(message, type, rd, time);
}

Access Ddc::store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) {
    const std::uint64_t time = core_.time();
    settle(time);
    const unsigned size = size_of(type);
    page(address, size, Permission::write, "a store");
    if (address % size) core_.fault("a store-conditional at a misaligned address", 135);
    if (!core_.reservation.permits_store(line_of(address))) {
        core_.reservation.lose();
        core_.set_result(LoadType::i64, rd, 1);
        return Access::done;
    }
    Message* message = post_.pool().make(MessageKind::store_conditional, 0, line_of(address));
    message->offset = static_cast<std::uint8_t>(address % line_bytes);
    message->size = static_cast<std::uint8_t>(size);
    message->operand = value;
    if (post_.home_of(message->line, tile_) != tile_) core_.reservation.lose();
    return send_atomic(message, LoadType::i64, rd, time);
}

Access Ddc::send_atomic(Message* message, LoadType type, std::uint8_t rd, std::uint64_t time) {
    if (buffer_.stores && buffer_.line == message->line) send_stores(time);
    if (check_) message->epoch = check_->epoch(tile_);
    // The home changes the line and does not tell the requester, so its copy goes first.
    outdate_allocation(message->line);
    if (Line* own = caches_.l2.find(message->line); own && !own->homed) caches_.drop(*own);
    pending_ = {type, rd, Reserve::no, 0, time, 0, 0, 0, false, 0};
    core_.sleep(CoreState::waits_memory, time);
    ask(message, time);
    return Access::blocked;
}

Access Ddc::fence() {
    const std::uint64_t time = core_.time();
    settle(time);
    if (buffer_.stores) send_stores(time);
    ++fences_;
    if (unacknowledged_ > 0 || caches_.write_backs > 0) {
        core_.sleep(CoreState::waits_fence, time);
        return Access::retry;
    }
    core_.stall(Stall::fence, time, stores_done_);
    if (check_) check_->fenced(tile_);
    return Access::done;
}

Access Ddc::operate(LineOperation operation, std::uint64_t address, std::uint8_t options) {
    const std::uint64_t time = core_.time();
    settle(time);
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
    const Page& where = page(address, 1, writes ? Permission::write : Permission::read, "a line operation");
    const std::uint64_t line = line_of(address);
    if (where.home == Page::incoherent) {
        // An own store before it may still be waiting for the line to come from memory.
        if (unacknowledged_ > 0 && home_.has_transaction(line)) {
            core_.sleep(CoreState::waits_fence, time);
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
        return options & Forward::synchronous ? fence() : Access::done;
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
            if (options & Forward::synchronous) return fence();
            break;
        default:
            break;  // every store has been written through: there is nothing to clean
    }
    return Access::done;
}

// The own copy of a line homed elsewhere goes, behind the stores to it, and the home is told, so that it does not have
// to invalidate a copy that is not there (paper 000, section 6.3).
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
    if (!caches_.l2.find(line) && !home_.has_transaction(line)) home_.allocate(line, time, true);
}

void Ddc::clean(Line& line, std::uint64_t time) {
    home_.write_back(line, time, true);
    line.dirty = false;
    caches_.writable.revoke(line.address);  // the next store makes it dirty again
}

void Ddc::receive(Message* message) {
    const std::uint64_t time = message->time;
    switch (message->kind) {
        case MessageKind::data:
            return data(message);
        case MessageKind::write_data:
            return write_data(message);
        case MessageKind::write_ack:
            post_.pool().release(message);
            return acknowledged(time);
        case MessageKind::memory_ack:
            post_.pool().release(message);
            --caches_.write_backs;
            return wake_fence(time);
        case MessageKind::atomic_result: {
            if (check_) check_->synchronised(tile_, message->line + message->offset);
            core_.set_result(pending_.type, pending_.rd, message->operand);
            core_.state = CoreState::runs;
            core_.stall(Stall::atomic, pending_.issued, time + machine_.home.fill);
            post_.pool().release(message);
            return;
        }
        case MessageKind::invalidate: {
            if (Line* own = caches_.l2.find(message->line); own && !own->homed) {
                caches_.drop(*own);
                ++caches_.statistics.invalidated;
            }
            lose_reservation(core_, message->line, time);
            message->kind = MessageKind::invalidate_ack;
            message->destination = message->source;
            return post_.send(tile_, message, time + machine_.home.drop);
        }
        default:
            assert(false && "not a message to a requester");
    }
}

}  // namespace croftsim
