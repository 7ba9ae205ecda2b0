#include "coherence/l2_bank.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "cache/private_l1.hpp"
#include "contract/unexpected.hpp"
#include "isa/atomic_operation.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

L2Bank::L2Bank(std::uint32_t node, const MachineDescription& machine, Post& post, CoherenceCheck* check)
    : HomeEngine(node, *machine.shared, port_, post, check),
      lines_({machine.shared->size, line_bytes, machine.shared->ways, 1}, machine.shared->banks.size(),
             machine.tiles()) {}

void L2Bank::begin(Message* message, std::uint64_t start) {
    if (BankLine* line = lines_.find(message->line)) {
        ++counts_.hits;
        lines_.touch(*line);
        return serve(message, *line, start, false);
    }
    ++counts_.misses;
    begin_fill(message, start + times_.service);
}

// `recalled`: nobody else owns any of the bytes any more, or, for a plain copy, the bytes here are up to date.
void L2Bank::serve(Message* message, BankLine& line, std::uint64_t start, bool recalled) {
    if (!recalled) {
        const Recall how = message->kind != MessageKind::read ? Recall::revoke
                           : message->tracked                 ? Recall::downgrade
                                                              : Recall::copy;
        const std::uint32_t owners =
            recall_owners(line, message->mask, message->requester, how, start + times_.service);
        if (owners > 0) {
            line.busy = true;
            return open(line.address, Phase::recalling, owners, message);
        }
    }
    switch (message->kind) {
        case MessageKind::read:
            return read(message, line, start);
        case MessageKind::own:
            return own(message, line, start);
        default:
            break;
    }
    // A core that is still listed has seen no other write since its lr.
    const bool conditional = message->kind == MessageKind::store_conditional;
    const bool listed = conditional && sharers(line).contains(message->requester);
    if (conditional) sharers(line).remove(message->requester);
    const bool wrote = perform(*message, line, listed, start);
    if (message->kind == MessageKind::atomic_result) start += times_.service;
    if (!wrote) return answer(message, leaves(line, start));
    answer_after_invalidations(message, line, start);
}

void L2Bank::read(Message* message, BankLine& line, std::uint64_t start) {
    ++statistics_.reads;
    const std::uint32_t reader = message->requester;
    message->kind = MessageKind::data;
    message->bytes = line.bytes;
    // A reader that owned the line as a whole has let it go, clean (E).
    if (message->may_own) owners_.take(line, owners_.owned_by(line, reader));
    // Bytes of other owners are not here, but for those that owners have just shown.
    message->mask |= ~line.owned;
    if (message->may_own && line.owned == 0 && sharers(line).empty_but_for(reader)) {
        sharers(line).remove(reader);
        owners_.give(line, whole_line, reader);
        message->exclusive = true;
        message->owned = whole_line;
    } else if (message->tracked) {
        sharers(line).add(reader);
    }
    answer(message, leaves(line, start + times_.service));
}

void L2Bank::own(Message* message, BankLine& line, std::uint64_t start) {
    ++counts_.owns;
    message->no_payload = message->no_payload && sharers(line).contains(message->requester);
    answer_after_invalidations(message, line, start + times_.service);
}

// Whoever else had a copy has dropped it.
void L2Bank::grant(Message* message, BankLine& line, std::uint64_t time) {
    sharers(line).remove(message->requester);
    owners_.give(line, message->mask, message->requester);
    message->kind = MessageKind::data;
    message->exclusive = true;
    message->owned = message->mask;
    message->bytes = line.bytes;
    answer(message, leaves(line, time));
}

void L2Bank::answer_after_invalidations(Message* message, BankLine& line, std::uint64_t start) {
    const std::uint32_t told = invalidate_sharers(line, message->requester, start + times_.directory);
    if (told > 0) {
        line.busy = true;
        return open(line.address, Phase::invalidating, told, message);
    }
    message->kind == MessageKind::own ? grant(message, line, start) : answer(message, leaves(line, start));
}

// ---- owners and sharers ----

// Asks everyone but one who owns any of these bytes for all that he owns of them; returns how many. A word has one
// owner. An owner that kept half of it would write the other half back, too, with its value from before another wrote
// that here.
std::uint32_t L2Bank::recall_owners(BankLine& line, std::uint64_t bytes, std::uint32_t but, Recall how,
                                    std::uint64_t time) {
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
        message->recall = how;
        message->requester = node_;  // whom to answer
        post_.send(node_, message, leaves(line, time));
        time += times_.invalidate;
        ++asked;
        ++counts_.recalls;
    }
    return asked;
}

std::uint32_t L2Bank::invalidate_sharers(BankLine& line, std::uint32_t but, std::uint64_t time) {
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
std::uint64_t L2Bank::merge(BankLine& line, const Message& message, bool keeps) {
    const std::uint64_t part = message.mask & owners_.owned_by(line, message.requester);
    put_masked(line.bytes.data(), message.bytes.data(), part);
    if (part) line.dirty = true;
    if (!keeps) owners_.take(line, part);
    return part;
}

void L2Bank::take_back(Message* message) {
    use_port(message->time, times_.occupancy);
    ++counts_.write_backs;
    if (BankLine* line = lines_.find(message->line)) merge(*line, *message, false);
    post_.pool().release(message);
}

// An owner's or a sharer's answer.
void L2Bank::answered(Message* message) {
    Message* const asked_for = awaiting(*message).current;
    const std::uint64_t time = message->time, address = message->line;
    BankLine& line = *lines_.find(address);  // busy until all have answered
    if (message->kind == MessageKind::recall_answer) {
        const std::uint64_t shown = merge(line, *message, message->recall == Recall::copy);
        if (message->recall == Recall::copy) {
            asked_for->mask |= shown;  // as good as bytes of its own
            message->owned &= ~shown;
        }
        // It owns no more of the bytes that it was asked for: it has told so before, or had them clean (E).
        owners_.take(line, message->owned & owners_.owned_by(line, message->requester));
        if (message->tracked) sharers(line).add(message->requester);
    }
    const auto ended = take_answer(message);
    if (!ended) return;

    Message* const current = ended->current;
    line.busy = false;
    if (ended->phase == Phase::evicting) {
        evict(line, time);
        current->time = time;
        [[maybe_unused]] const std::uint64_t arrived = current->line;
        fill(current);
        assert(lines_.find(arrived) && "a place that was made for a line is another one's");
    } else if (ended->phase == Phase::recalling) {
        serve(current, line, time, true);
    } else if (current->kind == MessageKind::own) {
        grant(current, line, time);
    } else {
        answer(current, leaves(line, time));
    }
    come_again(ended->waiting, time);
}

void L2Bank::digest(Digest& to) {
    lines_.for_each([&](BankLine& line) {
        for (const std::uint64_t value :
             {line.address, line.owned, std::uint64_t{line.dirty}, std::uint64_t{line.busy}})
            to.add(value);
        for (std::size_t word = 0; word < line_bytes / 4; ++word)
            to.add(line.owned >> (4 * word) & 1 ? owners_.owner_of(line, word) + 1u : 0u);
        sharers(line).for_each([&](std::uint32_t sharer) { to.add(sharer + 1u); });
        to.add_bytes(line.bytes);
    });
    digest_transactions(to);
}

// ---- memory ----

bool L2Bank::install(Message& request, Message& arrival) {
    BankLine* const line = make_room(arrival);
    if (!line) return false;
    assert(line->owned == 0 && "a line that leaves is nobody's");
    lines_.assign(*line, request.line);
    post_.memory().read_dram(request.line, line->bytes.data(), line_bytes);
    request.from_memory = true;
    return true;
}

void L2Bank::installed(Message* request, std::uint64_t time) {
    serve(request, *lines_.find(request->line), time, true);
}

// A free line for what has arrived; null while the one to give up waits for its owners and sharers.
BankLine* L2Bank::make_room(Message& arrival) {
    const std::uint64_t time = arrival.time;
    BankLine* const victim = lines_.victim(arrival.line);
    if (!victim) return retry(arrival, time), nullptr;
    if (victim->address == Line::nothing) return victim;
    ++counts_.evictions;
    const std::uint64_t line = victim->address;
    std::uint32_t answers = recall_owners(*victim, whole_line, nobody, Recall::revoke, time + times_.service);
    answers += invalidate_sharers(*victim, nobody, time + times_.service);
    if (answers > 0) {
        victim->busy = true;
        open(line, Phase::evicting, answers, &arrival);
        return nullptr;
    }
    evict(*victim, time + times_.service);
    return victim;
}

// Nobody has a copy any more that the line would have to know of.
void L2Bank::evict(BankLine& line, std::uint64_t time) {
    if (line.dirty) write_to_memory(line, time);
    forget(line);
}

void L2Bank::forget(BankLine& line) {
    owners_.take(line, whole_line);
    lines_.free(line);
}

}  // namespace croftsim
