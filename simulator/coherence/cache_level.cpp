#include "coherence/cache_level.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "cache/private_l1.hpp"
#include "coherence/owners_answer.hpp"
#include "contract/unexpected.hpp"
#include "core/reservation.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

CacheLevel::CacheLevel(std::uint32_t node, const LevelDescription& level, const Place& place, Post& post,
                       CoherenceCheck* check)
    : HomeEngine(node, level, port_, post, check),
      store_(level.store),
      asks_level_(place.parent != nullptr),
      is_filter_(level.is_filter()),
      owners_answer_(level.answers == LevelDescription::Answers::owner),
      memory_first_(level.memory == LevelDescription::Memory::first),
      traits_(place.traits),
      fill_(asks_level_ ? place.parent->fill : 0),
      drop_(asks_level_ ? place.parent->drop : 0),
      tells_(asks_level_ && place.parent->told),
      resume_(level.resume),
      write_(level.write),
      lines_({level.size, line_bytes, level.ways, 1, level.replacement}, place.caches, place.children) {}

void CacheLevel::receive(Message* message) {
    switch (message->kind) {
        case MessageKind::invalidate:
        case MessageKind::recall:
            return demand(message, message->time);
        case MessageKind::data:
            if (message->pushed) return take_pushed(message);
            if (message->by_owner) send_up(owner_has_answered(message->line, post_.pool()), message->time);
            return fill(message);
        case MessageKind::write_back:
            return take_back(message);
        case MessageKind::own:
            if (LevelLine* line = message->owned ? lines_.find(message->line) : nullptr) {  // it gives them up, and
                owners_.take(*line, merge(*line, *message, message->owned));                // keeps a copy
                sharers(*line).add(message->requester);
            }
            return HomeEngine::receive(message);
        default:
            return HomeEngine::receive(message);
    }
}

// ---- a request, from its arrival to its answer ----

void CacheLevel::begin(Message* message, std::uint64_t start) {
    LevelLine* const line = lines_.find(message->line);
    const bool conditional = message->kind == MessageKind::store_conditional;
    if (asks_level_ && conditional && !(line && sharers(*line).contains(message->requester))) {
        ++statistics_.atomics;  // it stores nothing, and so needs no right
        conditional_ended(message->requester, false);
        message->kind = MessageKind::atomic_result;
        message->operand = 1;
        return answer(message, start + times_.service);
    }
    if (line && (line->exclusive || !needs_exclusive(*message)) && has_bytes_for(*message, *line)) {
        ++counts_.hits;
        lines_.touch(*line);
        return serve(message, *line, start);
    }
    if (line && ask_giver(message, *line, start + times_.service)) return;
    ++counts_.misses;
    if (line) line->busy = true;  // the copy stays until the parent has answered, or takes it away
    begin_fill(message, start + times_.service);
}

bool CacheLevel::needs_exclusive(const Message& request) const {
    return request.kind != MessageKind::read || (request.tracked && !request.may_own && insists(request.requester));
}

void CacheLevel::ask_for(const Message& request, std::uint64_t time) {
    if (!asks_level_) return HomeEngine::ask_for(request, time);
    const bool own = needs_exclusive(request);
    Message* const asked = post_.pool().make(own ? MessageKind::own : MessageKind::read, 0, request.line);
    asked->mask = whole_line;
    asked->tracked = asked->may_own = !own;
    asked->pinned = asked->no_payload = own && lines_.find(request.line);
    send_up(asked, time);
}

bool CacheLevel::install(Message& request, Message& arrival) {
    LevelLine* line = lines_.find(request.line);  // a copy that is to be written, or a filter's
    if (line) {
        line->busy = false;
        lines_.touch(*line);
    } else {
        line = make_room(arrival);
        if (!line) return false;
        assert(line->owned == 0 && "a line that leaves is nobody's");
        lines_.assign(*line, request.line);
        line->here = false;
        line->gives = nobody;
    }
    if (asks_level_) {
        if (!line->here) line->bytes = arrival.bytes;  // else these are the same, and perhaps have not come at all
        line->exclusive = arrival.exclusive;
        line->dirty |= arrival.dirty;
        request.from_memory = arrival.from_memory;
    } else {
        if (!line->here) post_.memory().read_dram(request.line, line->bytes.data(), line_bytes);
        line->exclusive = request.from_memory = true;
    }
    line->here = true;
    return true;
}

void CacheLevel::installed(Message* request, std::uint64_t time) {
    carry_out(request, *lines_.find(request->line), time + fill_, true);
}

// The children that own any of the bytes are asked first.
void CacheLevel::serve(Message* message, LevelLine& line, std::uint64_t start) {
    const bool reads = message->kind == MessageKind::read;
    if (reads && line.shown && line.here) {
        message->mask = whole_line;
        return carry_out(message, line, start, false);
    }
    const Recall how = !reads ? Recall::revoke : message->tracked ? Recall::share : Recall::copy;
    const bool itself = may_answer_itself(*message, line);
    const std::uint32_t owners = recall_owners(line, message->mask, message->requester, how, start + times_.service,
                                               itself ? message->requester : nobody);
    if (owners == 0) return carry_out(message, line, start, false);
    line.busy = true;
    open(line.address, Phase::recalling, owners + itself, message);
}

// Another child owns all of the line, and nobody has to be asked but it.
bool CacheLevel::may_answer_itself(const Message& request, LevelLine& line) {
    if (!owners_answer_ || line.owned != whole_line) return false;
    const std::uint32_t owner = owners_.owner_of(line, 0);
    if (owner == request.requester || owners_.owned_by(line, owner) != whole_line) return false;
    return request.may_own || (request.kind == MessageKind::own && request.mask == whole_line && sharers(line).empty());
}

// The owner has sent the requester the line.
void CacheLevel::owner_answers(const Message& request, LevelLine& line, std::uint64_t time) {
    ++counts_.by_owners;
    if (request.kind == MessageKind::read) {
        ++statistics_.reads;
        return has_copy(request, line, time);
    }
    ++counts_.owns;
    owns(line, whole_line, request.requester);
}

// No other child owns any of the bytes any more, or, for a plain copy, the bytes here are up to date. `is_new`: the
// line has just come. If a level has given it, its bytes go to the child on their way, and nothing is read here.
void CacheLevel::carry_out(Message* message, LevelLine& line, std::uint64_t start, bool is_new) {
    const bool passes_on = is_new && asks_level_;
    const std::uint64_t when_read = start + (passes_on ? 0 : times_.service);
    switch (message->kind) {
        case MessageKind::read:
            return read(message, line, when_read);
        case MessageKind::own:
            ++counts_.owns;
            message->no_payload = message->no_payload && keeps_copy(*message, line);
            return answer_after_invalidations(message, line, when_read);
        default:
            break;
    }
    // A core that is still listed has seen no other write since its lr.
    const bool conditional = message->kind == MessageKind::store_conditional;
    const bool listed = conditional && sharers(line).contains(message->requester);
    if (conditional) {
        sharers(line).remove(message->requester);
        conditional_ended(message->requester, listed);
    }
    const bool wrote = perform(*message, line, listed, start);
    line.here = true;
    const bool reads = message->kind == MessageKind::atomic_result;
    const std::uint64_t done = reads ? when_read : start + (passes_on ? 0 : store_);
    if (!wrote) return answer(message, leaves(line, done));
    answer_after_invalidations(message, line, done);
}

void CacheLevel::read(Message* message, LevelLine& line, std::uint64_t time) {
    ++statistics_.reads;
    const std::uint32_t reader = message->requester;
    message->kind = MessageKind::data;
    message->bytes = line.bytes;
    // A reader that owned the line as a whole has let it go, clean (E).
    if (message->may_own) owners_.take(line, owners_.owned_by(line, reader));
    // Bytes of other owners are not here, but for those that owners have just shown.
    message->mask |= ~line.owned;
    if (message->may_own && line.exclusive && line.owned == 0 && sharers(line).empty_but_for(reader)) {
        owns(line, whole_line, reader);
        message->exclusive = true;
        message->owned = whole_line;
    } else {
        has_copy(*message, line, time);
    }
    if (memory_first_ && line.dirty) {
        write_to_memory(line, time, true);
        line.dirty = line.here = false;
        line.busy = true;
        return open(line.address, Phase::invalidating, 1, message);
    }
    answer(message, leaves(line, time));
    pass_through(line, time);
}

// The bytes are the child's alone from now on.
void CacheLevel::owns(LevelLine& line, std::uint64_t bytes, std::uint32_t child) {
    sharers(line).remove(child);
    owners_.give(line, bytes, child);
    line.shown = line.pushed = false;
}

void CacheLevel::has_copy(const Message& request, LevelLine& line, std::uint64_t time) {
    if (!request.tracked) return;
    sharers(line).add(request.requester);
    if (traits_[request.requester].gives_clean) line.gives = request.requester;
    if (insists(request.requester)) keep(line.address, time);
}

void CacheLevel::answer_after_invalidations(Message* message, LevelLine& line, std::uint64_t time) {
    const std::uint32_t told = invalidate_sharers(line, message->requester, time + times_.directory);
    if (told > 0) {
        line.busy = true;
        return open(line.address, Phase::invalidating, told, message);
    }
    message->kind == MessageKind::own ? grant(message, line, time) : acknowledge(message, line, time);
}

// Whoever else had a copy has dropped it.
void CacheLevel::grant(Message* message, LevelLine& line, std::uint64_t time) {
    owns(line, message->mask, message->requester);
    message->kind = MessageKind::data;
    message->exclusive = true;
    message->owned = message->mask;
    message->bytes = line.bytes;
    answer(message, leaves(line, time));
    pass_through(line, time);
}

// A requester that still has the copy that it had when it asked.
bool CacheLevel::keeps_copy(const Message& request, LevelLine& line) {
    return sharers(line).contains(request.requester) ||
           (request.pinned && !line.pushed && owners_.owned_by(line, request.requester) == whole_line);
}

// Whether nothing has to come from memory for it: the bytes are here or at an owner, or the requester has them.
bool CacheLevel::has_bytes_for(const Message& request, LevelLine& line) {
    if (line.here || (request.kind == MessageKind::write_through && request.mask == whole_line)) return true;
    const bool is_another = owners_.owned_by(line, request.requester) != whole_line;
    return (line.owned == whole_line && is_another) || (request.pinned && keeps_copy(request, line));
}

// MESIF: whether the child that gives the line has been asked for its bytes, instead of memory.
bool CacheLevel::ask_giver(Message* message, LevelLine& line, std::uint64_t time) {
    if (!is_filter_ || line.owned || line.gives == nobody || line.gives == message->requester) return false;
    if (!sharers(line).contains(line.gives)) return false;
    ++counts_.hits;
    lines_.touch(line);
    Message* const recall = post_.pool().make(MessageKind::recall, line.gives, line.address);
    recall->mask = recall->owned = whole_line;
    recall->recall = Recall::copy;
    recall->requester = node_;
    post_.send(node_, recall, leaves(line, time));
    ++counts_.recalls;
    line.busy = true;
    open(line.address, Phase::recalling, 1, message);
    return true;
}

// A filter has served a request, and keeps no bytes of it. Memory gets those that are nobody's to write back any more.
void CacheLevel::pass_through(LevelLine& line, std::uint64_t time) {
    if (!is_filter_) return;
    if (line.dirty) write_to_memory(line, time);
    line.dirty = line.here = false;
}

// ---- owners and sharers ----

// Asks everyone but one who owns any of these bytes for all that he owns of them; returns how many. A word has one
// owner. An owner that kept half of it would write the other half back, too, with its value from before another wrote
// that here.
std::uint32_t CacheLevel::recall_owners(LevelLine& line, std::uint64_t bytes, std::uint32_t but, Recall how,
                                        std::uint64_t time, std::uint32_t answer_to) {
    std::uint32_t asked = 0;
    bytes = words_of(bytes);
    for (std::uint64_t left = line.owned & bytes; left;) {
        const std::uint32_t owner = owners_.owner_of(line, static_cast<std::size_t>(std::countr_zero(left)) / 4);
        const std::uint64_t part = owners_.owned_by(line, owner);
        left &= ~part;
        if (owner == but) continue;
        Message* message = post_.pool().make(MessageKind::recall, owner, line.address);
        // An owner of the whole line owns it as a line.
        message->mask = message->owned = part == whole_line ? whole_line : part & bytes;
        message->recall = how == Recall::share && !traits_[owner].shares_dirty ? Recall::downgrade : how;
        message->requester = node_;  // whom to answer
        message->answer_to = answer_to == nobody ? 0 : answer_to + 1;
        post_.send(node_, message, leaves(line, time));
        time += times_.invalidate;
        ++asked;
        ++counts_.recalls;
    }
    return asked;
}

std::uint32_t CacheLevel::invalidate_sharers(LevelLine& line, std::uint32_t but, std::uint64_t time) {
    std::uint32_t told = 0;
    const bool stays = but != nobody && sharers(line).contains(but);
    sharers(line).for_each([&](std::uint32_t sharer) {
        if (sharer == but) return;
        invalidate(sharer, line.address, leaves(line, time));
        time += times_.invalidate;
        ++told;
    });
    sharers(line).clear();
    if (stays) sharers(line).add(but);
    return told;
}

// Bytes that their owner has given up, or has shown. Only what it still owned counts: it may have been asked twice.
std::uint64_t CacheLevel::merge(LevelLine& line, const Message& message, std::uint64_t bytes) {
    const std::uint64_t part = bytes & owners_.owned_by(line, message.requester);
    const bool answers = message.kind == MessageKind::recall_answer;
    if (answers && message.no_payload) return part;
    put_masked(line.bytes.data(), message.bytes.data(), part);
    const bool stays = answers && message.recall == Recall::share;
    if (part && !stays && !((is_filter_ || asks_level_) && message.clean)) line.dirty = true;
    if (part == whole_line) line.here = true;
    return part;
}

void CacheLevel::take_back(Message* message) {
    use_port(message->time, times_.occupancy);
    ++counts_.write_backs;
    if (LevelLine* line = lines_.find(message->line)) {
        const bool told = message->clean;  // no more than that its owner has none of it any more
        owners_.take(*line, told ? owners_.owned_by(*line, message->requester) : merge(*line, *message, message->mask));
        if (message->forward_to && !line->busy) push_on(*line, *message, message->time + times_.service);
        if (!line->busy) pass_through(*line, message->time);
    }
    post_.pool().release(message);
}

// An owner's or a sharer's answer.
void CacheLevel::answered(Message* message) {
    Message* const asked_for = awaiting(*message).current;
    const std::uint64_t time = message->time, address = message->line;
    LevelLine& line = *lines_.find(address);  // busy until all have answered
    if (message->by_owner && !std::exchange(awaiting(*message).by_owner, true)) owner_answers(*asked_for, line, time);
    if (message->kind == MessageKind::recall_answer) {
        if (message->mask) line.pushed = false;
        if (message->answer_to && !message->by_owner) --awaiting(*message).answers_left;  // the requester has nothing
        const bool is_given = is_filter_ && !line.owned && message->recall == Recall::copy;  // by a sharer
        if (is_given && message->mask == whole_line) {
            line.bytes = message->bytes;
            line.here = true;
        }
        const std::uint64_t shown = merge(line, *message, message->mask);
        if (message->recall == Recall::copy || message->recall == Recall::share) {  // it stays the owner
            asked_for->mask |= shown;                                               // as good as bytes of its own
            message->owned &= ~shown;
            line.shown = message->recall == Recall::share && shown == whole_line && !message->no_payload;
        }
        // It owns no more of the bytes that it was asked for: it gives them up, has told so before, or had them clean
        // (E).
        owners_.take(line, message->owned & owners_.owned_by(line, message->requester));
        if (message->tracked) sharers(line).add(message->requester);
    }
    const bool is_newer = message->kind == MessageKind::recall_answer && message->mask && !message->clean;
    const std::uint64_t resumed = time + resume_ + (is_newer ? write_ : 0);
    const auto ended = take_answer(message);
    if (!ended) return;

    Message* const current = ended->current;
    line.busy = find(address) != nullptr;  // a line that is obeyed about may wait for the parent, too
    if (ended->phase == Phase::evicting) {
        evict(line, time);
        current->time = time;
        [[maybe_unused]] const std::uint64_t arrived = current->line;
        fill(current);
        // It may have gone again: a demand that has waited for it takes it at once if no child has a copy.
        [[maybe_unused]] const Transaction* const filling = find(arrived);
        assert(!(filling && filling->came) && "a place that was made for a line is another one's");
    } else if (ended->by_owner) {
        post_.pool().release(current);
        pass_through(line, time);
    } else if (ended->phase == Phase::recalling && !has_bytes_for(*current, line)) {  // the owner had it clean (E)
        line.busy = true;
        begin_fill(current, resumed);
    } else if (ended->phase == Phase::recalling) {
        carry_out(current, line, resumed, false);
    } else if (ended->phase == Phase::obeying) {
        obey(current, &line, time);
    } else if (current->kind == MessageKind::own) {
        grant(current, line, resumed);
    } else {
        acknowledge(current, line, resumed);
    }
    go_on(*ended, time);
}

// ---- the parent ----

void CacheLevel::send_up(Message* message, std::uint64_t time) {
    message->requester = node_;
    message->destination = post_.home_of(message->line, node_);
    post_.send(node_, message, time);
}

// A copy that the parent takes away is no more than that, or has gone silently. A line that it recalls has gone clean
// (E), or in a write_back that is ahead of the answer, or is here.
void CacheLevel::demand(Message* demand, std::uint64_t time) {
    Transaction* const transaction = find(demand->line);
    if (transaction && (transaction->phase != Phase::filling || transaction->came)) {
        expect(!transaction->demand, *demand);
        transaction->demand = demand;
        return;
    }
    LevelLine* const line = lines_.find(demand->line);
    const bool recalls = demand->kind == MessageKind::recall;
    if (line && recalls && demand->recall == Recall::copy && !line->is_owned_above()) return obey(demand, line, time);
    if (!line || line->is_owned_above() != recalls) return obey(demand, nullptr, time);
    Recall how = recalls ? demand->recall : Recall::revoke;
    if (const std::uint64_t until = kept_until(line->address);
        recalls && how != Recall::copy && time < until && !demand->awaited) {
        demand->awaited = true;  // once
        return post_.send_self(node_, demand, until);
    }
    if (how == Recall::share) how = Recall::downgrade;  // this cache is the owner that may stay
    std::uint32_t asked = recall_owners(*line, whole_line, nobody, how, time + times_.service);
    if (how == Recall::revoke) asked += invalidate_sharers(*line, nobody, time + times_.service);
    if (asked == 0) return obey(demand, line, time);
    line->busy = true;
    open(line->address, Phase::obeying, asked, demand);
}

// No child has anything any more that the demand takes away. `line`: null if what is demanded is not here.
void CacheLevel::obey(Message* demand, LevelLine* line, std::uint64_t time) {
    const bool recalls = demand->kind == MessageKind::recall;
    if (line && demand->recall == Recall::share && !line->dirty) demand->recall = Recall::downgrade;
    const Recall how = recalls ? demand->recall : Recall::revoke;
    if (recalls) {
        demand->destination = demand->requester;
        demand->requester = node_;
        demand->clean = line && !line->dirty;
        demand->tracked = line && how == Recall::downgrade;
        demand->mask = line ? whole_line : 0;
        if (line) demand->bytes = line->bytes;
    } else {
        demand->destination = demand->source;
    }
    if (line && recalls && demand->answer_to) post_.send(node_, owners_answer(*demand, post_.pool()), time + drop_);
    demand->kind = recalls ? MessageKind::recall_answer : MessageKind::invalidate_ack;
    if (line && how != Recall::copy) line->exclusive = false;
    if (line && how != Recall::copy && how != Recall::share) line->dirty = false;
    if (line && how == Recall::revoke) {
        ++counts_.invalidated;
        forget(*line);
    }
    post_.send(node_, demand, time + drop_);
}

// ---- load-reserved and store-conditional, where the parent may take a line away ----
//
// A store-conditional may lose its reservation while it waits for the line. It takes the line nevertheless, and so
// undoes another's. Behind one that has failed, a load-reserved takes the line as this cache's own, and keeps it for
// some cycles. The reason and the promise are those of mesi.hpp and l1_messages.cpp.

bool CacheLevel::insists(std::uint32_t child) const { return std::ranges::find(failed_, child) != failed_.end(); }

void CacheLevel::conditional_ended(std::uint32_t child, bool stored) {
    if (!asks_level_) return;
    std::erase(failed_, child);
    if (!stored) failed_.push_back(child);
}

void CacheLevel::keep(std::uint64_t line, std::uint64_t time) {
    std::erase_if(kept_, [&](const Kept& one) { return one.line == line || one.until <= time; });
    kept_.push_back({line, time + reservation_hold});
}

std::uint64_t CacheLevel::kept_until(std::uint64_t line) const {
    const auto found = std::ranges::find(kept_, line, &Kept::line);
    return found == kept_.end() ? 0 : found->until;
}

// ---- room ----

// A free line for what has arrived; null while the one to give up waits for its owners and sharers.
LevelLine* CacheLevel::make_room(Message& arrival) {
    const std::uint64_t time = arrival.time;
    LevelLine* const victim = lines_.victim(arrival.line);
    if (!victim) return retry(arrival, time), nullptr;
    if (victim->address == Line::nothing) return victim;
    ++counts_.evictions;
    std::uint32_t answers = recall_owners(*victim, whole_line, nobody, Recall::revoke, time + times_.service);
    answers += invalidate_sharers(*victim, nobody, time + times_.service);
    if (answers > 0) {
        victim->busy = true;
        open(victim->address, Phase::evicting, answers, &arrival);
        return nullptr;
    }
    evict(*victim, asks_level_ ? time : time + times_.service);
    return victim;
}

// Nobody has a copy any more that the line would have to know of. To a level it leaves at once: no answer to a recall
// may overtake it.
void CacheLevel::evict(LevelLine& line, std::uint64_t time) {
    if (line.dirty) ++counts_.written_back;
    if (asks_level_ && (line.dirty || (tells_ && line.exclusive))) {
        Message* const message = post_.pool().make(MessageKind::write_back, 0, line.address);
        message->clean = !line.dirty;
        message->mask = line.dirty ? whole_line : 0;
        message->bytes = line.bytes;
        send_up(message, time);
    } else if (line.dirty) {
        write_to_memory(line, time);
    }
    forget(line);
}

void CacheLevel::forget(LevelLine& line) {
    owners_.take(line, whole_line);
    lines_.free(line);
}

void CacheLevel::digest(Digest& to) {
    lines_.for_each([&](LevelLine& line) {
        for (const std::uint64_t value : {line.address, line.owned, std::uint64_t{line.dirty}, std::uint64_t{line.busy},
                                          std::uint64_t{line.exclusive}})
            to.add(value);
        for (std::size_t word = 0; word < line_bytes / 4; ++word)
            to.add(line.owned >> (4 * word) & 1 ? owners_.owner_of(line, word) + 1u : 0u);
        sharers(line).for_each([&](std::uint32_t sharer) { to.add(sharer + 1u); });
        to.add(line.shown | line.here << 1 | line.pushed << 2 | std::uint64_t{line.gives} << 3);
        if (line.here) to.add_bytes(line.bytes);
    });
    for (const std::uint32_t child : failed_) to.add(child);
    digest_transactions(to);
}

}  // namespace croftsim
