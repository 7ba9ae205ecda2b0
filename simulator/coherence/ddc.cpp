#include "coherence/ddc.hpp"

#include <cassert>
#include <cstdio>
#include <cstring>

namespace croftsim {
namespace {

// A store's or atomic's bytes, as one bit each of the line's mask.
std::uint64_t mask_of(std::uint64_t address, unsigned size) {
    return ((std::uint64_t{1} << size) - 1) << (address % line_bytes);
}

}  // namespace

Ddc::Ddc(std::uint32_t tile, const MachineDescription& machine, PrivateCaches& caches, Home& home, Core& core,
         Post& post)
    : tile_(tile), machine_(machine), caches_(caches), home_(home), core_(core), post_(post) {}

const Page& Ddc::page(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what) {
    const AddressSpace& memory = post_.memory();
    const Page* first = memory.find(address);
    const bool crosses = (address ^ (address + size - 1)) / AddressSpace::page_bytes != 0;
    const bool allowed = first && (first->permission & permission) == permission &&
                         (!crosses || memory.allows(address + size - 1, 1, permission));
    if (!allowed) {
        char text[160];
        std::snprintf(text, sizeof text, "wild access: %s of %u bytes at 0x%llx, where %s", what, size,
                      static_cast<unsigned long long>(address),
                      first && first->permission ? "the memory does not allow it" : "there is no memory");
        core_.fault(text, 139);
    }
    return *first;
}

Access Ddc::load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how) {
    const std::uint64_t time = core_.time();
    const unsigned size = size_of(type);
    settle(time);
    page(address, size, Permission::read, "a load");
    if (how != Reserve::no && address % size) core_.fault("a load-reserved at a misaligned address", 135);
    const std::uint64_t line = line_of(address);
    if (address - line + size <= line_bytes) {
        std::uint64_t raw = 0;
        if (caches_.l1.touch(address)) {
            // Two L1 lines of one L2 line: the second is read a cycle later, and is taken to be as near.
            if (caches_.l1.line_of(address) != caches_.l1.line_of(address + size - 1)) core_.stall(1, Stall::l2);
            const auto host = address + caches_.l1.set_of(address).addend;
            raw = get_bytes(reinterpret_cast<const std::uint8_t*>(host), size);
            reserve(how, line);
            core_.set_result(type, rd, raw);
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
            book(time, usable, core_.block->slack_of(core_.op), Stall::l2);
            return Access::done;
        }
    }
    ++caches_.statistics.l1_misses;
    pending_ = {type, rd, how, address, time, core_.block->slack_of(core_.op), 0, 0, false};
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
    const Stall why = !slept ? Stall::l2 : pending_.from_memory ? Stall::memory : Stall::home;
    core_.state = CoreState::runs;
    book(pending_.issued, usable, pending_.slack, why);
    return Access::done;
}

// Nothing needs the load to be over for `slack` cycles behind its issue.
void Ddc::book(std::uint64_t issued, std::uint64_t usable, std::uint32_t slack, Stall why) {
    const std::uint64_t needed = issued + slack;
    core_.stall(usable > needed ? usable - needed : 0, why);
}

// A request to the line's home, which may be this tile. Elsewhere it goes out when the own L2 has been searched.
void Ddc::ask(Message* message, std::uint64_t time) {
    message->requester = tile_;
    const std::uint32_t home = post_.home_of(message->line);
    if (home == tile_) {
        message->time = time;
        return home_.receive(message);
    }
    message->destination = home;
    post_.send(tile_, message, time + machine_.l2.hit);
}

void Ddc::take_part(const std::uint8_t* bytes, std::uint64_t line) {
    const std::uint64_t at = pending_.address + pending_.done;
    const std::uint32_t count =
        std::min<std::uint32_t>(size_of(pending_.type) - pending_.done, static_cast<std::uint32_t>(line + line_bytes - at));
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
    const bool homed_here = post_.home_of(line) == tile_;
    Line* place = caches_.l2.find(line);
    if (!place && !homed_here && !message->do_not_keep) {
        place = home_.make_room(line, message->time);
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

Access Ddc::store(std::uint64_t address, unsigned size, std::uint64_t value) {
    const std::uint64_t time = core_.time();
    settle(time);
    const std::uint64_t line = line_of(address);
    // The most frequent case first: the neighbour of the last store.
    if (buffer_.stores && buffer_.line == line && address - line + size <= line_bytes) {
        merge(static_cast<unsigned>(address - line), size, value);
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
        store_within_line(address, size, value, time);
    } else {
        if (!has_room(3)) return Access::retry;
        store_within_line(address, first, value, time);
        store_within_line(address + first, size - first, value >> (8 * first), time);
    }
    return Access::done;
}

void Ddc::store_within_line(std::uint64_t address, unsigned size, std::uint64_t value, std::uint64_t time) {
    const std::uint64_t line = line_of(address);
    const auto offset = static_cast<unsigned>(address - line);
    Line* own = caches_.l2.find(line);
    if (post_.home_of(line) == tile_) {
        if (own && !own->busy && own->sharers.empty()) {
            put_bytes(own->bytes.data() + offset, value, size);
            own->dirty = true;
            caches_.l2.touch(*own);
            caches_.writable.permit(*own);
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
        return home_.receive(message);
    }
    if (buffer_.stores && buffer_.line != line) send_stores(time);
    if (!buffer_.stores) {
        buffer_.line = line;
        buffer_.own = own;
        buffer_.mask = 0;
        buffer_.deadline = time + machine_.core.store_buffer_drain;
        post_.expect_send(tile_, buffer_.deadline + machine_.l2.hit);
    }
    merge(offset, size, value);
}

void Ddc::merge(unsigned offset, unsigned size, std::uint64_t value) {
    ++buffer_.stores;
    buffer_.mask |= mask_of(offset, size);
    put_bytes(buffer_.bytes.data() + offset, value, size);
    // The own copy may have been invalidated since the buffer was opened.
    if (buffer_.own && buffer_.own->address == buffer_.line)
        put_bytes(buffer_.own->bytes.data() + offset, value, size);
}

void Ddc::send_stores(std::uint64_t time) {
    Message* message = post_.pool().make(MessageKind::write_through, post_.home_of(buffer_.line), buffer_.line);
    message->requester = tile_;
    message->mask = buffer_.mask;
    message->bytes = buffer_.bytes;
    ++unacknowledged_;
    ++caches_.statistics.store_messages;
    caches_.statistics.stores_sent += buffer_.stores;
    buffer_.stores = 0;
    if (message->destination == tile_) {  // re-homed here since the store
        message->time = time;
        home_.receive(message);
    } else {
        post_.send(tile_, message, time + machine_.l2.hit);
    }
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
    if (post_.home_of(message->line) != tile_) core_.reservation.lose();
    return send_atomic(message, LoadType::i64, rd, time);
}

Access Ddc::send_atomic(Message* message, LoadType type, std::uint8_t rd, std::uint64_t time) {
    if (buffer_.stores && buffer_.line == message->line) send_stores(time);
    // The home changes the line and does not tell the requester, so its copy goes first.
    if (Line* own = caches_.l2.find(message->line); own && !own->homed) caches_.drop(*own);
    pending_ = {type, rd, Reserve::no, 0, time, 0, 0, 0, false};
    core_.sleep(CoreState::waits_memory, time);
    ask(message, time);
    return Access::blocked;
}

Access Ddc::fence() {
    const std::uint64_t time = core_.time();
    settle(time);
    if (buffer_.stores) send_stores(time);
    if (unacknowledged_ == 0) return Access::done;
    core_.sleep(CoreState::waits_fence, time);
    return Access::retry;
}

void Ddc::receive(Message* message) {
    const std::uint64_t time = message->time;
    switch (message->kind) {
        case MessageKind::data: return data(message);
        case MessageKind::write_ack:
            assert(unacknowledged_ > 0);
            --unacknowledged_;
            post_.pool().release(message);
            if (core_.state == CoreState::waits_store) core_.wake(time, Stall::store_buffer);
            if (core_.state == CoreState::waits_fence && unacknowledged_ == 0) core_.wake(time, Stall::fence);
            return;
        case MessageKind::atomic_result: {
            core_.set_result(pending_.type, pending_.rd, message->operand);
            core_.state = CoreState::runs;
            core_.stall(time + machine_.home.fill - pending_.issued, Stall::atomic);
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
            return post_.send(tile_, message, time + machine_.home.service);
        }
        default: assert(false && "not a message to a requester");
    }
}

}  // namespace croftsim
