#include "coherence/home.hpp"

#include <algorithm>
#include <cassert>

#include "contract/unexpected.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

void Home::begin(Message* message, std::uint64_t start) {
    assert(post_.home_of(message->line, node_) == node_ && "pages get another home when no request is under way");
    if (Line* line = caches_.l2.find(message->line); line && line->homed) {
        caches_.l2.touch(*line);
        return serve(message, *line, start);
    }
    if (message->kind == MessageKind::leave) return post_.pool().release(message);
    if (message->kind != MessageKind::write_through || !message->fills_line)
        return begin_fill(message, start + times_.service);
    const bool remote = message->requester != node_;
    if (Line* line = allocate(message->line, start, !remote))
        return serve(message, *line, start + (remote ? allocate_ : 0));
    // It waits for room as a fill does, or a later request for the line would pass it.
    wait_for_room(message, start);
}

void Home::serve(Message* message, Line& line, std::uint64_t start) {
    const bool remote = message->requester != node_ || message->engine;
    bool wrote = true;
    switch (message->kind) {
        case MessageKind::read:
            return read(message, line, start);
        case MessageKind::leave:
            sharers(line).remove(message->requester);
            follow_hints(*message, line, start);
            return post_.pool().release(message);
        case MessageKind::write_through:
            perform(*message, line, true, start);
            if (message->leaves) sharers(line).remove(message->requester);
            follow_hints(*message, line, start);
            break;
        default:
            expect(message->kind == MessageKind::atomic || message->kind == MessageKind::store_conditional, *message);
            wrote = perform(*message, line, may_store(*message, line), start);
            start += times_.service;
    }
    if (!wrote) return answer(message, start);
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
    if (message->requester != node_ && !message->engine) {
        sharers(line).add(message->requester);
        caches_.writable.revoke(line.address);  // from now on a store has to tell the sharer
        line.sent = std::max(line.sent, start + times_.service);
    }
    answer(message, start + times_.service);
}

// The options of a home-forward (paper 000, definition 5.1, points 1 and 3).
void Home::follow_hints(const Message& message, Line& line, std::uint64_t time) {
    if (message.into_l1) bring_into_l1(line);
    if (message.update_memory) write_back(line, time + times_.service, false);
}

void Home::bring_into_l1(Line& line) {
    for (std::uint32_t offset = 0; offset < line_bytes; offset += caches_.l1.line_bytes)
        if (!caches_.l1.touch(line.address + offset)) caches_.l1.insert(line.address + offset, line.addend());
}

// Whether a store-conditional may store. If the directory still lists a remote copy, there has been no other write
// since its lr: every write takes the requester off the list. Whoever asks for an atomic has given its copy up.
bool Home::may_store(const Message& message, Line& line) {
    if (message.requester != node_) {
        const bool permitted = sharers(line).contains(message.requester);
        sharers(line).remove(message.requester);
        return permitted;
    }
    if (message.kind != MessageKind::store_conditional) return false;
    const bool permitted = core_.reservation.permits_store(message.line);
    core_.reservation.lose();
    return permitted;
}

void Home::answer_after_invalidations(Message* message, Line& line, std::uint64_t start) {
    SharerSet others = sharers(line);
    const bool alone = message->engine ? others.empty() : others.empty_but_for(message->requester);
    if (alone) return answer(message, finish_write(message, line, start));
    const bool keeps_copy = !message->engine && others.contains(message->requester);
    if (keeps_copy) others.remove(message->requester);
    line.busy = true;
    open(line.address, Phase::invalidating, others.size(), message);
    // An invalidation must not overtake the copy that it is meant for.
    const std::uint64_t first = message->requester == node_ ? start : start + times_.directory;
    invalidate_sharers(line, std::max(first, line.sent));
    others.clear();
    if (keeps_copy) others.add(message->requester);
}

// The write is this requester's alone now; returns when the answer leaves. A requester that wants the line gets it as
// it is now.
std::uint64_t Home::finish_write(Message* message, Line& line, std::uint64_t time) {
    if (message->kind != MessageKind::write_data) return time;
    message->bytes = line.bytes;
    sharers(line).add(message->requester);
    caches_.writable.revoke(line.address);
    line.sent = std::max(line.sent, time + times_.service);
    return time + times_.service;
}

void Home::invalidate_sharers(const Line& line, std::uint64_t time) {
    sharers(line).for_each([&](std::uint32_t sharer) {
        invalidate(sharer, line.address, time);
        time += times_.invalidate;
    });
    caches_.port.free = std::max(caches_.port.free, time);
}

bool Home::install(Message& request, Message& arrival) {
    const bool of_own_store = request.requester == node_ && request.kind == MessageKind::write_through;
    Line* const line = allocate(request.line, arrival.time, of_own_store);
    if (!line) return retry(arrival, arrival.time), false;
    request.from_memory = !request.fills_line;
    if (request.from_memory) post_.memory().read_dram(line->address, line->bytes.data(), line_bytes);
    return true;
}

void Home::installed(Message* request, std::uint64_t time) {
    Line& line = *caches_.l2.find(request->line);
    const bool remote_write = request->kind == MessageKind::write_through && request->requester != node_;
    serve(request, line, remote_write ? time + allocate_ : time);
}

void Home::answered(Message* message) {
    const std::uint64_t time = message->time, address = message->line;
    const auto ended = take_answer(message);
    if (!ended) return;
    if (Message* const current = ended->current) {
        Line& line = *caches_.l2.find(address);  // busy until now
        line.busy = false;
        answer(current, finish_write(current, line, time));
    }
    go_on(*ended, time);
}

Line* Home::make_room(std::uint64_t address, std::uint64_t time, bool own) {
    Line* victim = caches_.l2.victim(address);
    if (!victim || victim->address == Line::nothing) return victim;
    ++caches_.statistics.l2_evictions;
    if (victim->homed) {
        if (victim->dirty) write_back(*victim, time + times_.service, own);
        // The directory entry goes with the line, so its sharers have to drop their copies first: until they have,
        // requests for the line wait.
        if (const std::uint32_t count = sharers(*victim).size()) {
            open(victim->address, Phase::evicting, count, nullptr);
            invalidate_sharers(*victim, std::max(time + times_.service, victim->sent));
        }
    }
    caches_.drop(*victim);
    return victim;
}

void Home::write_back(Line& line, std::uint64_t time, bool awaited) {
    if (check_) check_->written_back(node_, line.address);
    if (awaited) ++caches_.write_backs;
    write_to_memory(line, time, awaited);
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
