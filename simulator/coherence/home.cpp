#include "coherence/home.hpp"

#include <cassert>
#include <cstring>

#include "coherence/atomic_operation.hpp"

namespace croftsim {

Home::Transaction* Home::find(std::uint64_t line) {
    for (Transaction& transaction : transactions_)
        if (transaction.line == line) return &transaction;
    return nullptr;
}

void Home::receive(Message* message) {
    switch (message->kind) {
        case MessageKind::invalidate_ack: return acknowledge(message);
        case MessageKind::memory_data: return fill(message);
        default: return request(message, message->time);
    }
}

void Home::request(Message* message, std::uint64_t time) {
    if (Transaction* transaction = find(message->line)) {
        transaction->waiting.push_back(message);
        return;
    }
    const std::uint64_t start = caches_.use_port(time, shape_.occupancy);
    statistics_.waited += start - time;
    statistics_.busy += shape_.occupancy;
    const std::uint64_t ready = start + shape_.service;

    // The page may have been given another home while the request was on its way.
    if (const auto home = post_.home_of(message->line); home != tile_) {
        message->destination = home;
        return post_.send(tile_, message, ready);
    }
    if (Line* line = caches_.l2.find(message->line); line && line->homed) {
        caches_.l2.touch(*line);
        return serve(message, *line, ready);
    }
    ++statistics_.memory_reads;
    transactions_.push_back({message->line, Transaction::Phase::fetching, 0, message, {}});
    post_.send(tile_, post_.pool().make(MessageKind::memory_read, post_.controller_of(message->line), message->line),
               ready);
}

void Home::serve(Message* message, Line& line, std::uint64_t ready) {
    const bool remote = message->requester != tile_;
    if (message->kind == MessageKind::read) {
        ++statistics_.reads;
        message->kind = MessageKind::data;
        message->bytes = line.bytes;
        if (remote) {
            line.sharers.add(message->requester);
            caches_.writable.revoke(line.address);  // from now on a store has to tell the sharer
        }
        return answer(message, ready);
    }
    bool writes = true;
    if (message->kind == MessageKind::write_through) {
        ++statistics_.writes;
        write_bytes(line, *message);
        message->kind = MessageKind::write_ack;
    } else {
        ++statistics_.atomics;
        writes = apply_atomic(line, *message);
        message->kind = MessageKind::atomic_result;
    }
    if (!writes) return answer(message, ready);
    line.dirty = true;
    if (remote) {
        // The L1 shares the L2's bytes, so it could not be stale; but the chip drops its line, and so do we.
        caches_.l1.drop(line.address, line_bytes);
        lose_reservation(core_, line.address, ready);
    }
    answer_after_invalidations(message, line, ready);
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
        const bool valid = remote ? line.sharers.contains(message.requester)
                                  : core_.reservation.permits_store(message.line);
        if (remote) line.sharers.remove(message.requester);
        else core_.reservation.lose();
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

void Home::answer_after_invalidations(Message* message, Line& line, std::uint64_t ready) {
    if (line.sharers.empty_but_for(message->requester)) return answer(message, ready);
    SharerSet others = line.sharers;
    const bool keeps_copy = others.contains(message->requester);
    others.remove(message->requester);
    line.sharers.clear();
    if (keeps_copy) line.sharers.add(message->requester);
    line.busy = true;
    transactions_.push_back({line.address, Transaction::Phase::invalidating, others.size(), message, {}});
    invalidate_sharers(others, line.address, ready);
}

void Home::invalidate_sharers(const SharerSet& sharers, std::uint64_t line, std::uint64_t time) {
    sharers.for_each([&](std::uint32_t sharer) {
        ++statistics_.invalidations;
        post_.send(tile_, post_.pool().make(MessageKind::invalidate, sharer, line), time);
        time += shape_.occupancy;
    });
    if (time > caches_.port_free) caches_.port_free = time;
}

void Home::answer(Message* message, std::uint64_t time) {
    message->destination = message->requester;
    if (message->requester == tile_) post_.send_self(tile_, message, time);
    else post_.send(tile_, message, time);
}

void Home::fill(Message* message) {
    Transaction* transaction = find(message->line);
    assert(transaction && transaction->phase == Transaction::Phase::fetching);
    const std::uint64_t time = message->time;
    Line* line = make_room(message->line, time);
    if (!line) {  // every way is being invalidated: soon one is not
        return post_.send_self(tile_, message, time + shape_.occupancy + 1);
    }
    caches_.l2.assign(*line, message->line);
    line->homed = true;
    post_.memory().read_dram(message->line, line->bytes.data(), line_bytes);
    post_.pool().release(message);

    Message* current = transaction->current;
    current->from_memory = true;
    std::deque<Message*> waiting = std::move(transaction->waiting);
    transactions_.remove_if([&](const Transaction& t) { return &t == transaction; });
    if (post_.home_of(current->line) != tile_) {  // re-homed meanwhile: pass it on, keep nothing
        caches_.drop(*line);
        request(current, time);
    } else {
        serve(current, *line, time + shape_.service);
    }
    for (Message* next : waiting) request(next, time);
}

void Home::acknowledge(Message* message) {
    Transaction* transaction = find(message->line);
    assert(transaction && transaction->acks_left > 0);
    const std::uint64_t time = message->time, address = message->line;
    post_.pool().release(message);
    if (--transaction->acks_left > 0) return;
    if (transaction->current) {
        if (Line* line = caches_.l2.find(address)) line->busy = false;
        answer(transaction->current, time + shape_.service);
    }
    finish(address, time);
}

void Home::finish(std::uint64_t line, std::uint64_t time) {
    Transaction* transaction = find(line);
    std::deque<Message*> waiting = std::move(transaction->waiting);
    transactions_.remove_if([&](const Transaction& t) { return &t == transaction; });
    for (Message* next : waiting) request(next, time);
}

Line* Home::make_room(std::uint64_t address, std::uint64_t time) {
    Line* victim = caches_.l2.victim(address);
    if (!victim || victim->address == Line::nothing) return victim;
    ++caches_.statistics.l2_evictions;
    if (victim->homed) {
        const std::uint64_t line = victim->address;
        if (victim->dirty) {
            // DRAM has the bytes at once, so that a fetch right behind finds them; the message stands for the time.
            post_.memory().write_dram(line, victim->bytes.data(), line_bytes);
            ++statistics_.memory_writes;
            post_.send(tile_, post_.pool().make(MessageKind::memory_write, post_.controller_of(line), line),
                       time + shape_.service);
        }
        // The directory entry goes with the line, so its sharers have to drop their copies first: until they have,
        // requests for the line wait.
        if (!victim->sharers.empty()) {
            transactions_.push_back({line, Transaction::Phase::evicting, victim->sharers.size(), nullptr, {}});
            invalidate_sharers(victim->sharers, line, time + shape_.service);
        }
    }
    caches_.drop(*victim);
    return victim;
}

}  // namespace croftsim
