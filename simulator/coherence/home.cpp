#include "coherence/home.hpp"

#include <algorithm>
#include <cstring>

#include "coherence/atomic_operation.hpp"
#include "coherence/coherence_check.hpp"
#include "contract/unexpected.hpp"

namespace croftsim {

Home::Transaction* Home::find(std::uint64_t line) {
    for (Transaction& transaction : transactions_)
        if (transaction.line == line) return &transaction;
    return nullptr;
}

void Home::receive(Message* message) {
    switch (message->kind) {
        case MessageKind::invalidate_ack:
            return acknowledge(message);
        case MessageKind::memory_data:
            return fill(message);
        default:
            expect(message->kind <= MessageKind::write_back, *message);
            return request(message, message->time);
    }
}

void Home::request(Message* message, std::uint64_t time) {
    if (Transaction* transaction = find(message->line)) {
        transaction->waiting.push_back(message);
        return;
    }
    const bool of_words =
        message->kind == MessageKind::leave || (message->kind == MessageKind::write_through && !message->allocates);
    const std::uint32_t occupancy = of_words ? shape_.occupancy_word : shape_.occupancy;
    const std::uint64_t start = caches_.use_port(time, occupancy);
    statistics_.waited += start - time;
    statistics_.busy += occupancy;

    // The page may have been given another home while the request was on its way.
    if (const auto home = post_.home_of(message->line, tile_); home != tile_) {
        message->destination = home;
        return post_.send(tile_, message, start + shape_.service);
    }
    if (Line* line = caches_.l2.find(message->line); line && line->homed) {
        caches_.l2.touch(*line);
        return serve(message, *line, start);
    }
    if (message->kind == MessageKind::leave) return post_.pool().release(message);
    const bool remote = message->requester != tile_;
    if (message->kind == MessageKind::write_through && message->no_fetch) {
        Line* line = allocate(message->line, start, !remote);
        if (line) return serve(message, *line, start + (remote ? shape_.allocate : 0));
        // It waits for room as a fetch does, or a later request for the line would pass it.
        transactions_.push_back({message->line, Transaction::Phase::fetching, 0, message, {}});
        Message* room = post_.pool().make(MessageKind::memory_data, tile_, message->line);
        return post_.send_self(tile_, room, start + shape_.occupancy + 1);
    }
    ++statistics_.memory_reads;
    transactions_.push_back({message->line, Transaction::Phase::fetching, 0, message, {}});
    post_.send(tile_, post_.pool().make(MessageKind::memory_read, post_.controller_of(message->line), message->line),
               start + shape_.service);
}

void Home::serve(Message* message, Line& line, std::uint64_t start) {
    const bool remote = message->requester != tile_ || message->engine;
    bool writes = true;
    switch (message->kind) {
        case MessageKind::read:
            return read(message, line, start);
        case MessageKind::leave:
            line.sharers.remove(message->requester);
            follow_hints(*message, line, start);
            return post_.pool().release(message);
        case MessageKind::write_through:
            ++statistics_.writes;
            write_bytes(line, *message);
            if (check_)
                check_->served(message->requester, message->epoch, line.address, message->mask, line.bytes.data(),
                               !message->engine, {0, start});
            if (message->leaves) line.sharers.remove(message->requester);
            follow_hints(*message, line, start);
            message->kind = message->allocates ? MessageKind::write_data : MessageKind::write_ack;
            break;
        default:
            ++statistics_.atomics;
            if (check_) check_->synchronised(message->requester, line.address + message->offset);
            writes = apply_atomic(line, *message);
            if (check_ && writes)
                check_->served(message->requester, message->epoch, line.address,
                               ((std::uint64_t{1} << message->size) - 1) << message->offset, line.bytes.data(), false,
                               {0, start});
            message->kind = MessageKind::atomic_result;
            start += shape_.service;
    }
    if (!writes) return answer(message, start);
    line.dirty = true;
    if (remote) {
        // The L1 shares the L2's bytes, so it could not be stale; but the chip drops its line, and so do we.
        if (!message->into_l1) caches_.l1.drop(line.address, line_bytes);
        lose_reservation(core_, line.address, start);
    }
    answer_after_invalidations(message, line, start);
}

void Home::read(Message* message, Line& line, std::uint64_t start) {
    ++statistics_.reads;
    message->kind = MessageKind::data;
    message->bytes = line.bytes;
    if (message->requester != tile_ && !message->engine) {
        line.sharers.add(message->requester);
        caches_.writable.revoke(line.address);  // from now on a store has to tell the sharer
        line.sent = std::max(line.sent, start + shape_.service);
    }
    answer(message, start + shape_.service);
}

// The options of a home-forward (paper 000, definition 5.1, points 1 and 3).
void Home::follow_hints(const Message& message, Line& line, std::uint64_t time) {
    if (message.into_l1) bring_into_l1(line);
    if (message.update_memory) write_back(line, time + shape_.service, false);
}

void Home::bring_into_l1(Line& line) {
    for (std::uint32_t offset = 0; offset < line_bytes; offset += caches_.l1.line_bytes)
        if (!caches_.l1.touch(line.address + offset)) caches_.l1.insert(line.address + offset, line.addend());
}

void Home::write_bytes(Line& line, Message& message) {
    for (std::uint64_t mask = message.mask; mask; mask &= mask - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(mask));
        line.bytes[i] = message.bytes[i];
    }
}

// Returns whether it wrote; leaves the result in message.operand.
bool Home::apply_atomic(Line& line, Message& message) {
    const bool remote = message.requester != tile_;
    std::uint64_t old = 0;
    std::memcpy(&old, line.bytes.data() + message.offset, message.size);
    if (message.kind == MessageKind::store_conditional) {
        // A remote copy that the directory still lists has seen no other write since its lr: every write since would
        // have taken the requester off the list.
        const bool valid =
            remote ? line.sharers.contains(message.requester) : core_.reservation.permits_store(message.line);
        if (remote)
            line.sharers.remove(message.requester);
        else
            core_.reservation.lose();
        if (valid) std::memcpy(line.bytes.data() + message.offset, &message.operand, message.size);
        message.operand = valid ? 0 : 1;
        return valid;
    }
    const std::uint64_t value = apply(message.operation, old, message.operand, message.size, message.is_unsigned);
    std::memcpy(line.bytes.data() + message.offset, &value, message.size);
    message.operand = old;
    line.sharers.remove(message.requester);  // it gave its copy up before it asked
    return true;
}

void Home::answer_after_invalidations(Message* message, Line& line, std::uint64_t start) {
    const bool alone = message->engine ? line.sharers.empty() : line.sharers.empty_but_for(message->requester);
    if (alone) return answer(message, finish_write(message, line, start));
    SharerSet others = line.sharers;
    const bool keeps_copy = !message->engine && others.contains(message->requester);
    if (keeps_copy) others.remove(message->requester);
    line.sharers.clear();
    if (keeps_copy) line.sharers.add(message->requester);
    line.busy = true;
    transactions_.push_back({line.address, Transaction::Phase::invalidating, others.size(), message, {}});
    // An invalidation must not overtake the copy that it is meant for.
    const std::uint64_t first = message->requester == tile_ ? start : start + shape_.directory;
    invalidate_sharers(others, line.address, std::max(first, line.sent));
}

// The write is this requester's alone now; returns when the answer leaves. A requester that wants the line gets it as
// it is now.
std::uint64_t Home::finish_write(Message* message, Line& line, std::uint64_t time) {
    if (message->kind != MessageKind::write_data) return time;
    message->bytes = line.bytes;
    line.sharers.add(message->requester);
    caches_.writable.revoke(line.address);
    line.sent = std::max(line.sent, time + shape_.service);
    return time + shape_.service;
}

void Home::invalidate_sharers(const SharerSet& sharers, std::uint64_t line, std::uint64_t time) {
    sharers.for_each([&](std::uint32_t sharer) {
        ++statistics_.invalidations;
        post_.send(tile_, post_.pool().make(MessageKind::invalidate, sharer, line), time);
        time += shape_.invalidate;
    });
    if (time > caches_.port_free) caches_.port_free = time;
}

void Home::answer(Message* message, std::uint64_t time) {
    message->destination = message->requester;
    if (message->requester == tile_)
        post_.send_self(tile_, message, time);
    else
        post_.send(tile_, message, time);
}

void Home::fill(Message* message) {
    Transaction* transaction = find(message->line);
    expect(transaction && transaction->phase == Transaction::Phase::fetching, *message);
    const std::uint64_t time = message->time;
    const bool own = transaction->current->requester == tile_;
    Line* line = make_room(message->line, time, own);
    if (!line) {  // every way is being invalidated: soon one is not
        return post_.send_self(tile_, message, time + shape_.occupancy + 1);
    }
    caches_.l2.assign(*line, message->line);
    line->homed = true;
    Message* current = transaction->current;
    if (current->no_fetch)
        line->bytes.fill(0);
    else
        post_.memory().read_dram(message->line, line->bytes.data(), line_bytes);
    current->from_memory = !current->no_fetch;
    post_.pool().release(message);
    std::deque<Message*> waiting = std::move(transaction->waiting);
    transactions_.remove_if([&](const Transaction& t) { return &t == transaction; });
    if (post_.home_of(current->line, tile_) != tile_) {  // re-homed meanwhile: pass it on, keep nothing
        caches_.drop(*line);
        request(current, time);
    } else {
        serve(current, *line, current->kind == MessageKind::write_through && !own ? time + shape_.allocate : time);
    }
    for (Message* next : waiting) request(next, time);
}

void Home::acknowledge(Message* message) {
    Transaction* transaction = find(message->line);
    expect(transaction && transaction->acks_left > 0, *message);
    const std::uint64_t time = message->time, address = message->line;
    post_.pool().release(message);
    if (--transaction->acks_left > 0) return;
    if (transaction->current) {
        Message* current = transaction->current;
        if (Line* line = caches_.l2.find(address)) {
            line->busy = false;
            answer(current, finish_write(current, *line, time));
        } else {  // its page is gone
            if (current->kind == MessageKind::write_data) current->kind = MessageKind::write_ack;
            answer(current, time);
        }
    }
    finish(address, time);
}

void Home::finish(std::uint64_t line, std::uint64_t time) {
    Transaction* transaction = find(line);
    std::deque<Message*> waiting = std::move(transaction->waiting);
    transactions_.remove_if([&](const Transaction& t) { return &t == transaction; });
    for (Message* next : waiting) request(next, time);
}

Line* Home::make_room(std::uint64_t address, std::uint64_t time, bool own) {
    Line* victim = caches_.l2.victim(address);
    if (!victim || victim->address == Line::nothing) return victim;
    ++caches_.statistics.l2_evictions;
    if (victim->homed) {
        if (victim->dirty) write_back(*victim, time + shape_.service, own);
        // The directory entry goes with the line, so its sharers have to drop their copies first: until they have,
        // requests for the line wait.
        if (!victim->sharers.empty()) {
            const std::uint64_t line = victim->address;
            transactions_.push_back({line, Transaction::Phase::evicting, victim->sharers.size(), nullptr, {}});
            invalidate_sharers(victim->sharers, line, std::max(time + shape_.service, victim->sent));
        }
    }
    caches_.drop(*victim);
    return victim;
}

// DRAM has the bytes at once, so that a fetch right behind finds them; the message stands for the time.
void Home::write_back(Line& line, std::uint64_t time, bool awaited) {
    post_.memory().write_dram(line.address, line.bytes.data(), line_bytes);
    if (check_) check_->written_back(tile_, line.address);
    ++statistics_.memory_writes;
    Message* message = post_.pool().make(MessageKind::memory_write, post_.controller_of(line.address), line.address);
    message->awaited = awaited;
    if (awaited) ++caches_.write_backs;
    post_.send(tile_, message, time);
}

Line* Home::allocate(std::uint64_t address, std::uint64_t time, bool own) {
    Line* line = make_room(address, time, own);
    if (!line) return nullptr;
    caches_.l2.assign(*line, address);
    line->homed = true;
    line->bytes.fill(0);
    return line;
}

}  // namespace croftsim
