// Stores on a TILEPro64: the buffer that merges them, the way to the home, and the acknowledgements.

#include <algorithm>
#include <cassert>

#include "coherence/ddc.hpp"
#include "contract/unexpected.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {
namespace {

// Cycles after which the store buffer no longer waits for further stores to its line.
constexpr std::uint64_t longest_merge = 64;

}  // namespace

bool Ddc::has_room(std::uint32_t messages) {
    if (unacknowledged_ + messages <= kind_.core.outstanding_stores) return true;
    core_.sleep(CoreState::waits_store, core_.time());
    return false;
}

Access Ddc::store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) {
    const std::uint64_t time = core_.time();
    send_due(time);
    const std::uint64_t line = line_of(address);
    // The most frequent case first: the neighbour of the last store.
    if (buffer_.stores && buffer_.line == line && address - line + size <= line_bytes) {
        merge(static_cast<unsigned>(address - line), size, value, time);
        return Access::done;
    }
    check_page(address, size, Permission::write, "a store");
    if (!translates(address, size)) return Access::retry;
    const auto first = static_cast<unsigned>(std::min<std::uint64_t>(size, line + line_bytes - address));
    if (first == size) {
        if (buffer_.line != line || !buffer_.stores) {
            Line* found = caches_.l2.find(line);
            const bool quiet = found && found->homed && !found->busy && caches_.l2.sharers(*found).empty();
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
        post_.expect_send(tile_, time + kind_.core.store_buffer_drain);
    }
    merge(static_cast<unsigned>(address - line), size, value, time);
}

void Ddc::store_at_home(Line* own, std::uint64_t address, unsigned size, std::uint64_t value, std::uint64_t time) {
    const std::uint64_t line = line_of(address);
    const auto offset = static_cast<unsigned>(address - line);
    if (own && !own->busy && caches_.l2.sharers(*own).empty()) {
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
            stores_done_ = std::max(stores_done_, time + kind_.l2->store);
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
        check_->buffered(tile_, address, size, value, {core_.pc(), time});
        check_->sent(tile_, line, message->mask);
        message->epoch = check_->epoch(tile_);
    }
    home_.receive(message);
}

void Ddc::merge(unsigned offset, unsigned size, std::uint64_t value, std::uint64_t time) {
    ++buffer_.stores;
    if (check_) check_->buffered(tile_, buffer_.line + offset, size, value, {core_.pc(), time});
    buffer_.deadline = std::min(time + kind_.core.store_buffer_drain, buffer_.last_deadline);
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
        message->fills_line = true;
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
    assert(message->destination != tile_ && "before pages get another home the buffer is emptied");
    // A store that is to bring the line leaves when the own L2 has been searched, any other at once.
    last_sent_ = std::max(last_sent_, message->allocates ? time + kind_.l2->hit : time);
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
    expect(mine != allocations_.end() && unacknowledged_ > 0, *message);
    const bool keep =
        !mine->outdated && post_.home_of(line, tile_) != tile_ && !(buffer_.stores && buffer_.line == line);
    allocations_.erase(mine);
    if (Line* place = keep && !caches_.l2.find(line) ? home_.make_room(line, time, true) : nullptr) {
        caches_.l2.assign(*place, line);
        place->bytes = message->bytes;
    }
    post_.pool().release(message);
    stores_done_ = std::max(stores_done_, time + machine_.home->fill);
    acknowledged(time);
}

void Ddc::acknowledged(std::uint64_t time) {
    --unacknowledged_;
    core_.model->store_done(time);
    if (core_.state == CoreState::waits_store) core_.wake(time, Stall::store_buffer);
    wake_fence(time);
}

// The core's fence is done once nothing of its is under way.
void Ddc::wake_fence(std::uint64_t time) {
    if (core_.state != CoreState::waits_fence || unacknowledged_ > 0 || caches_.write_backs > 0) return;
    if (stores_awaited_ == StoresAwaited::before) return core_.wake(time, Stall::fence);
    // The next operation issues when the last acknowledgement is there: the fence's own cycle is part of the wait.
    core_.wake(std::max(time, core_.asleep_since + kind_.core.fence_least) - 1, Stall::fence);
}

}  // namespace croftsim
