// What reaches an L1 at a shared L2: lines, recalls and invalidations.

#include "coherence/l1_requester.hpp"
#include "coherence/owners_answer.hpp"
#include "coherence/private_caches.hpp"
#include "contract/unexpected.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

void L1Requester::receive(Message* message) {
    heard_ = message->time;
    if (deadline() <= heard_) send_due(heard_);
    switch (message->kind) {
        case MessageKind::data:
            return message->of_program ? program_data(message) : data(message);
        case MessageKind::recall:
            return recall(message);
        case MessageKind::invalidate:
            return invalidate(message);
        case MessageKind::write_ack: {
            const std::uint64_t time = message->time, line = message->line;
            post_.pool().release(message);
            return acknowledged(line, time);
        }
        case MessageKind::atomic_result:
            return finish_atomic(message, home_.fill);
        default:
            unexpected(*message);
    }
}

// A line for which nobody has asked (home_forwarding.cpp). If something of it is under way, that will bring it.
void L1Requester::take_pushed(Message* message) {
    const std::uint64_t time = message->time, line = message->line;
    if (!awaits_store(line) && !load_waits_for(line) && !access_waits_for(line) && !prefetch_of(line) &&
        !l1.find(line)) {
        L1Line& place = install(line, time);
        place.bytes = message->bytes;
        place.valid = place.owned = whole_line;
        touch(place);
        changed(place);
    }
    post_.pool().release(message);
}

void L1Requester::data(Message* message) {
    if (message->pushed) return take_pushed(message);
    const std::uint64_t time = message->time, line = message->line;
    if (message->by_owner) send(owner_has_answered(line, post_.pool()), time);
    const std::optional<Prefetch> prefetch = end_prefetch(line);
    if (prefetch && (prefetch->outdated || takes_awaited_place(line))) {
        post_.pool().release(message);
        if (load_waits_for(line)) advance(time);  // it asks anew
        return wake_stores(time, false);
    }
    L1Line& place = install(line, time);
    place.put(message->mask & ~(place.owned | place.dirty), message->bytes.data());
    place.valid |= message->mask;
    if (message->exclusive) place.owned |= message->owned;
    if (message->dirty) place.dirty |= message->owned;
    touch(place);
    place.prefetched = prefetch && !prefetch->joined && core_.model->looks_in_order();
    changed(place);
    if (prefetch) wake_stores(time, false);
    const bool of_load = load_waits_for(line);
    if (of_load) {
        pending_.from_memory |= message->from_memory;
        keep(place, pending_.reserve, time + home_.fill);
        take_part(place.bytes.data(), line, time + home_.fill);
    }
    arrived(*message, place);
    core_.model->line_arrived(line, place.bytes.data(), time, time + home_.fill, message->from_memory);
    post_.pool().release(message);
    if (of_load) advance(time + home_.fill);
}

void L1Requester::program_data(Message* message) {
    const std::uint64_t time = message->time, line = message->line, usable = time + home_.fill;
    core_.instructions.insert(line);
    post_.pool().release(message);
    core_.model->program_arrived(line, time, usable);
}

// Until when a line that has been reserved stays here. If the machine has a reservation_hold, that decides, whatever
// becomes of the reservation. If not, a store-conditional close behind its load-reserved gets its chance. Otherwise
// cores that own the lines that they have reserved (DeNovo) would take them from each other for ever.
std::uint64_t L1Requester::kept_until(std::uint64_t line) {
    if (machine_.shared->reservation_hold > 0) {
        const L1Line* const found = l1.find(line);
        return found && found->owned ? found->kept_until : 0;
    }
    const bool reserved = core_.reservation.covers(line) && core_.state == CoreState::runs;
    return reserved ? reserved_at_ + reservation_hold : 0;
}

// Copies go before the access that acquires (core/interpreter.cpp). The core's own words stay then. If one ceases to be
// its own while that access waits, nobody tells of the next write to it. So it goes, too.
bool L1Requester::may_be_acquiring() const { return readers_invalidate() && synchronises(); }

// The home wants bytes that it takes this cache to own. Bytes that it has given up meanwhile are on their way to the
// home already, ahead of this answer.
void L1Requester::recall(Message* message) {
    const Recall how = message->recall;
    if (const std::uint64_t until = kept_until(message->line);
        how != Recall::copy && message->time < until && !message->awaited) {
        message->awaited = true;  // once: the core may reserve the line again and again
        return post_.send_self(tile_, message, until);
    }
    L1Line* const line = l1.find(message->line);
    const std::uint64_t part = line ? (line->owned | line->dirty) & message->mask : 0;
    const bool stays_owner = how == Recall::share && line && (line->dirty & part);  // MOESI's O
    message->clean = part && !(line->dirty & part);
    if (part) {
        message->bytes = line->bytes;
        if (stays_owner) {
            line->owned &= ~part;
            changed(*line);
        } else if (how != Recall::copy) {
            line->owned &= ~part;
            line->dirty &= ~part;
            keep_only(*line, how == Recall::revoke || may_be_acquiring() ? ~part : whole_line);
        }
    }
    if (how == Recall::revoke && part) ++statistics_.invalidated;
    if (how == Recall::share && !stays_owner) message->recall = Recall::downgrade;
    message->tracked = part && message->recall == Recall::downgrade && tracked_when_downgraded();
    if (how != Recall::copy && !stays_owner && !message->tracked) lose_reservation(core_, message->line, message->time);
    if (part == whole_line && message->answer_to)
        post_.send(tile_, owners_answer(*message, post_.pool()), message->time + home_.drop);
    message->kind = MessageKind::recall_answer;
    message->mask = part;
    message->destination = message->requester;
    message->requester = tile_;
    post_.send(tile_, message, message->time + home_.drop);
}

void L1Requester::invalidate(Message* message) {
    if (L1Line* const line = l1.find(message->line)) {
        ++statistics_.invalidated;
        keep_only(*line, line->owned | line->dirty);
    }
    lose_reservation(core_, message->line, message->time);
    message->kind = MessageKind::invalidate_ack;
    message->destination = message->source;
    post_.send(tile_, message, message->time + home_.drop);
}

void L1Requester::digest(Digest& to) {
    l1.for_each([&](L1Line& line) {
        for (const std::uint64_t value : {line.address, line.valid, line.owned, line.dirty}) to.add(value);
        for (std::size_t i = 0; i < line.bytes.size(); ++i) to.add(line.valid >> i & 1 ? line.bytes[i] : 0);
    });
    for (const std::uint64_t value : {static_cast<std::uint64_t>(pending_.kind), pending_.address, pending_.operand,
                                      std::uint64_t{pending_.done}, pending_.raw})
        to.add(pending_.kind == Pending::Kind::none ? 0 : value);
    for (const Prefetch& one : prefetches_) to.add(one.line | one.joined << 1 | one.outdated);
    to.add(core_.reservation.held() ? core_.reservation.first() : 0);
    to.add(static_cast<std::uint64_t>(core_.state));
}

bool L1Requester::disturbs_core(const Message& message) {
    switch (message.kind) {
        case MessageKind::recall:
        case MessageKind::invalidate:
            return l1.find(message.line) != nullptr;
        case MessageKind::data:  // of a store: the lines of a set change their order, and one may go
            return true;
        default:
            return false;
    }
}

}  // namespace croftsim
