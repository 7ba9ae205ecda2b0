#include "coherence/private_l2.hpp"

#include <algorithm>

#include "cache/private_l1.hpp"
#include "contract/unexpected.hpp"
#include "core/reservation.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {
namespace {

HomeTimes times_of(const CoreKind& kind) {
    HomeTimes times;
    times.service = kind.l2->hit - kind.l1d.hit;
    times.occupancy = times.occupancy_word = 1;
    return times;
}

}  // namespace

PrivateL2::PrivateL2(const MachineDescription& machine, const CoreKind& kind, std::uint32_t tile, Post& post,
                     CoherenceCheck* check)
    : HomeEngine(tile, times_of(kind), port_, post, check),
      store_(kind.l2->store),
      fill_(machine.shared->fill),
      drop_(machine.shared->drop),
      lines_(*kind.l2) {}

// ---- messages within the tile ----

void PrivateL2::send(std::uint32_t source, Message* message, std::uint64_t time) {
    if (message->kind == MessageKind::invalidate_ack) return pool().release(message);  // nobody waits for it
    post_.send_self(source, message, time);
}

bool PrivateL2::is_for_l1(const Message& message) const {
    if (message.source != node_) return false;
    switch (message.kind) {
        case MessageKind::data:
        case MessageKind::write_ack:
        case MessageKind::atomic_result:
        case MessageKind::invalidate:
            return true;
        default:
            return false;
    }
}

void PrivateL2::receive(Message* message) {
    switch (message->kind) {
        case MessageKind::invalidate:
            return invalidate(message);
        case MessageKind::recall:
            return recall(message);
        case MessageKind::data:
            message->kind = MessageKind::memory_data;  // as a home calls a line that comes
            return HomeEngine::receive(message);
        default:
            return HomeEngine::receive(message);
    }
}

// ---- the home of the L1's lines ----

void PrivateL2::begin(Message* request, std::uint64_t start) {
    PrivateLine* const line = lines_.find(request->line);
    if (request->kind == MessageKind::store_conditional && !(line && line->watched)) {  // stores nothing
        ++statistics_.atomics;
        insists_ = true;
        request->kind = MessageKind::atomic_result;
        request->operand = 1;
        return answer(request, start + times_.service);
    }
    if (line && (line->owned || !takes(*request))) {
        ++counts_.hits;
        lines_.touch(*line);
        return serve(request, *line, start, false);
    }
    ++counts_.misses;
    begin_fill(request, start + times_.service);
}

void PrivateL2::ask_for(const Message& request, std::uint64_t time) {
    Message* const asked = pool().make(takes(request) ? MessageKind::own : MessageKind::read, 0, request.line);
    asked->mask = whole_line;
    asked->tracked = asked->may_own = !takes(request);
    send_to_bank(asked, time);
}

bool PrivateL2::install(Message& request, Message& arrival) {
    request.from_memory = arrival.from_memory;
    PrivateLine* line = lines_.find(request.line);  // a copy that is to be written
    if (!line) line = &make_room(request.line, arrival.time);
    line->owned = arrival.exclusive;
    line->bytes = arrival.bytes;
    lines_.touch(*line);
    return true;
}

void PrivateL2::installed(Message* request, std::uint64_t time) {
    serve(request, *lines_.find(request->line), time + fill_, true);
}

// `is_new`: the line has just come, and need not be read.
void PrivateL2::serve(Message* request, PrivateLine& line, std::uint64_t time, bool is_new) {
    const std::uint64_t read = is_new ? time : time + times_.service;
    std::uint64_t ready = read;
    if (request->kind == MessageKind::read) {
        ++statistics_.reads;
        if (request->tracked) {
            line.watched = true;
            line.kept_until = insists_ ? read + reservation_hold : 0;
        }
        request->kind = MessageKind::data;
        request->bytes = line.bytes;
        request->mask = whole_line;
    } else {
        if (request->kind == MessageKind::write_through) ready = is_new ? time : time + store_;
        if (request->kind == MessageKind::store_conditional) {
            insists_ = !line.watched;
            line.kept_until = 0;
        }
        perform(*request, line, line.watched, time);
        if (request->kind == MessageKind::atomic_result) ready = read;
    }
    answer(request, line.sent = std::max(line.sent, ready));
}

void PrivateL2::answered(Message* answer) { unexpected(*answer); }  // it asks nobody above it

PrivateLine& PrivateL2::make_room(std::uint64_t address, std::uint64_t time) {
    PrivateLine& victim = *lines_.victim(address);  // none is ever busy
    if (victim.address != Line::nothing) {
        ++counts_.evictions;
        if (victim.dirty) {
            ++counts_.write_backs;
            Message* const message = pool().make(MessageKind::write_back, 0, victim.address);
            message->mask = whole_line;
            message->bytes = victim.bytes;
            send_to_bank(message, time);
        }
        lose(victim, time);
    }
    lines_.assign(victim, address);
    return victim;
}

// The line goes, or will be another's.
void PrivateL2::lose(PrivateLine& line, std::uint64_t time) {
    if (line.watched)
        post_.send_self(node_, pool().make(MessageKind::invalidate, node_, line.address), std::max(line.sent, time));
    forget(line);
}

void PrivateL2::forget(PrivateLine& line) {
    line.owned = line.watched = false;
    line.kept_until = 0;
    lines_.free(line);
}

void PrivateL2::digest(Digest& to) {
    lines_.for_each([&](PrivateLine& line) {
        for (const std::uint64_t value :
             {line.address, std::uint64_t{line.owned}, std::uint64_t{line.dirty}, std::uint64_t{line.watched}})
            to.add(value);
        to.add_bytes(line.bytes);
    });
    to.add(insists_);
    digest_transactions(to);
}

// ---- a requester at the banks ----

void PrivateL2::send_to_bank(Message* message, std::uint64_t time) {
    message->requester = node_;
    if (check_) message->epoch = check_->epoch(node_);
    message->destination = post_.home_of(message->line, node_);
    post_.send(node_, message, time);
}

void PrivateL2::invalidate(Message* message) {
    if (PrivateLine* const line = lines_.find(message->line); line && !line->owned) {
        ++counts_.invalidated;
        lose(*line, message->time);
    }
    message->kind = MessageKind::invalidate_ack;
    message->destination = message->source;
    post_.send(node_, message, message->time + drop_);
}

// A line that has been written back meanwhile is on its way to the bank already, ahead of this answer.
void PrivateL2::recall(Message* message) {
    PrivateLine* const line = lines_.find(message->line);
    const bool owned = line && line->owned;
    if (owned && message->recall != Recall::copy && message->time < line->kept_until && !message->awaited) {
        message->awaited = true;  // once
        return post_.send_self(node_, message, line->kept_until);
    }
    message->tracked = owned && message->recall == Recall::downgrade;
    if (owned) {
        message->bytes = line->bytes;
        if (message->recall != Recall::copy) line->owned = line->dirty = false;
        if (message->recall == Recall::revoke) {
            ++counts_.invalidated;
            lose(*line, message->time);
        }
    }
    message->kind = MessageKind::recall_answer;
    if (!owned) message->mask = 0;
    message->destination = message->requester;
    message->requester = node_;
    post_.send(node_, message, message->time + drop_);
}

}  // namespace croftsim
