#include "coherence/l2_bank.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cache/private_l1.hpp"
#include "coherence/atomic_operation.hpp"
#include "coherence/coherence_check.hpp"
#include "contract/unexpected.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t word_mask(std::size_t word) { return std::uint64_t{15} << (4 * word); }

}  // namespace

std::uint64_t BankLine::owned_by(std::uint32_t tile) const {
    if (owned == 0) return 0;
    // Mostly a line is one tile's: four words' owners at a time.
    const std::uint64_t four = tile * std::uint64_t{0x0001'0001'0001'0001};
    std::array<std::uint64_t, line_bytes / 16> owners;
    static_assert(sizeof owners == sizeof owner);
    std::memcpy(owners.data(), owner.data(), sizeof owners);
    if (((owners[0] ^ four) | (owners[1] ^ four) | (owners[2] ^ four) | (owners[3] ^ four)) == 0) return owned;
    std::uint64_t bytes = 0;
    for (std::uint64_t left = owned; left;) {
        const auto word = static_cast<std::size_t>(std::countr_zero(left)) / 4;
        left &= ~word_mask(word);
        if (owner[word] == tile) bytes |= word_mask(word);
    }
    return bytes;
}

L2Bank::L2Bank(std::uint32_t node, const MachineDescription& machine, Post& post)
    : node_(node),
      shape_(*machine.shared),
      post_(post),
      check_(post.watcher()),
      lines_({machine.shared->size, line_bytes, machine.shared->ways, 1}, machine.shared->banks.size()) {}

L2Bank::Transaction* L2Bank::find(std::uint64_t line) {
    for (Transaction& transaction : transactions_)
        if (transaction.line == line) return &transaction;
    return nullptr;
}

std::uint64_t L2Bank::use_port(std::uint64_t time, std::uint32_t cycles) {
    const std::uint64_t start = std::max(time, port_free_);
    statistics_.waited += start - time;
    statistics_.busy += cycles;
    port_free_ = start + cycles;
    return start;
}

void L2Bank::receive(Message* message) {
    switch (message->kind) {
        case MessageKind::write_back:
            return take_back(message);
        case MessageKind::recall_answer:
        case MessageKind::invalidate_ack:
            return answered(message);
        case MessageKind::memory_data:
            return fill(message);
        default:
            expect(message->kind <= MessageKind::write_back, *message);
            return request(message, message->time);
    }
}

void L2Bank::request(Message* message, std::uint64_t time) {
    if (Transaction* transaction = find(message->line)) {
        transaction->waiting.push_back(message);
        return;
    }
    const bool of_words = message->kind == MessageKind::write_through;
    const std::uint64_t start = use_port(time, of_words ? shape_.occupancy_word : shape_.occupancy);
    if (BankLine* line = lines_.find(message->line)) {
        ++statistics_.hits;
        lines_.touch(*line);
        return serve(message, *line, start, false);
    }
    ++statistics_.misses;
    ++statistics_.memory_reads;
    transactions_.push_back({message->line, Transaction::Phase::fetching, 0, message, {}});
    post_.send(node_, post_.pool().make(MessageKind::memory_read, post_.controller_of(message->line), message->line),
               start + shape_.service);
}

// `recalled`: nobody else owns any of the bytes any more, or, for a plain copy, the bytes here are up to date.
void L2Bank::serve(Message* message, BankLine& line, std::uint64_t start, bool recalled) {
    if (!recalled) {
        const Recall how = message->kind != MessageKind::read ? Recall::revoke
                           : message->tracked                 ? Recall::downgrade
                                                              : Recall::fetch;
        const std::uint32_t owners =
            recall_owners(line, message->mask, message->requester, how, start + shape_.service);
        if (owners > 0) {
            line.busy = true;
            transactions_.push_back({line.address, Transaction::Phase::recalling, owners, message, {}});
            return;
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
    const bool wrote = perform(message, line);
    if (message->kind == MessageKind::atomic_result) start += shape_.service;
    if (!wrote) return answer(message, &line, start);
    line.dirty = true;
    answer_after_invalidations(message, line, start);
}

void L2Bank::read(Message* message, BankLine& line, std::uint64_t start) {
    ++statistics_.reads;
    const std::uint32_t reader = message->requester;
    message->kind = MessageKind::data;
    message->bytes = line.bytes;
    // Who asks for a line that it owned as a whole has let it go, clean (E).
    if (message->may_own) line.owned &= ~line.owned_by(reader);
    // Bytes of other owners are not here, but for those that have just been fetched.
    message->mask |= ~line.owned;
    if (message->may_own && line.owned == 0 && line.sharers.empty_but_for(reader)) {
        line.sharers.remove(reader);
        line.owned = whole_line;
        line.owner.fill(static_cast<std::uint16_t>(reader));
        message->exclusive = true;
        message->owned = whole_line;
    } else if (message->tracked) {
        line.sharers.add(reader);
    }
    answer(message, &line, start + shape_.service);
}

void L2Bank::own(Message* message, BankLine& line, std::uint64_t start) {
    ++statistics_.owns;
    message->no_payload = message->no_payload && line.sharers.contains(message->requester);
    answer_after_invalidations(message, line, start + shape_.service);
}

// Whoever else had a copy has dropped it.
void L2Bank::grant(Message* message, BankLine& line, std::uint64_t time) {
    line.sharers.remove(message->requester);
    line.owned |= message->mask;
    for (std::size_t word = 0; word < line.owner.size(); ++word)
        if (message->mask & word_mask(word)) line.owner[word] = static_cast<std::uint16_t>(message->requester);
    message->kind = MessageKind::data;
    message->exclusive = true;
    message->owned = message->mask;
    message->bytes = line.bytes;
    answer(message, &line, time);
}

// A write-through or an atomic, on the bytes here. Returns whether it wrote; turns the message into its answer.
bool L2Bank::perform(Message* message, BankLine& line) {
    bool wrote = true;
    if (message->kind == MessageKind::write_through) {
        ++statistics_.writes;
        for (std::uint64_t mask = message->mask; mask; mask &= mask - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(mask));
            line.bytes[i] = message->bytes[i];
        }
    } else {
        ++statistics_.atomics;
        if (check_) check_->synchronised(message->requester, line.address + message->offset);
        std::uint8_t* const at = line.bytes.data() + message->offset;
        if (message->kind == MessageKind::store_conditional) {
            // A core that is still listed has seen no other write since its lr.
            wrote = line.sharers.contains(message->requester);
            line.sharers.remove(message->requester);
            if (wrote) put_bytes(at, message->operand, message->size);
            message->operand = wrote ? 0 : 1;
        } else {
            const std::uint64_t old = get_bytes(at, message->size);
            put_bytes(at, apply(message->operation, old, message->operand, message->size, message->is_unsigned),
                      message->size);
            message->operand = old;
        }
    }
    if (check_ && wrote)
        check_->served(message->requester, message->epoch, line.address, message->mask, line.bytes.data(),
                       message->kind == MessageKind::write_through, {0, message->time});
    message->kind = message->kind == MessageKind::write_through ? MessageKind::write_ack : MessageKind::atomic_result;
    return wrote;
}

void L2Bank::answer_after_invalidations(Message* message, BankLine& line, std::uint64_t start) {
    const std::uint32_t told = invalidate_sharers(line, message->requester, start + shape_.directory);
    if (told > 0) {
        line.busy = true;
        transactions_.push_back({line.address, Transaction::Phase::invalidating, told, message, {}});
        return;
    }
    message->kind == MessageKind::own ? grant(message, line, start) : answer(message, &line, start);
}

void L2Bank::answer(Message* message, BankLine* line, std::uint64_t time) {
    message->destination = message->requester;
    post_.send(node_, message, line ? leaves(*line, time) : time);
}

// ---- owners and sharers ----

// Asks everyone but one who owns any of these bytes for all that he owns of them; returns how many. A word has one
// owner: one who kept half of it would write the other half, too, as he had it before another wrote that here.
std::uint32_t L2Bank::recall_owners(BankLine& line, std::uint64_t bytes, std::uint32_t but, Recall how,
                                    std::uint64_t time) {
    std::uint32_t asked = 0;
    bytes = words_of(bytes);
    for (std::uint64_t left = line.owned & bytes; left;) {
        const std::uint32_t owner = line.owner[static_cast<std::size_t>(std::countr_zero(left)) / 4];
        const std::uint64_t part = line.owned_by(owner);
        left &= ~part;
        if (owner == but) continue;
        Message* message = post_.pool().make(MessageKind::recall, owner, line.address);
        // An owner of the whole line owns it as a line.
        message->mask = message->owned = part == whole_line ? whole_line : part & bytes;
        message->recall = how;
        message->requester = node_;  // whom to answer
        post_.send(node_, message, leaves(line, time));
        time += shape_.invalidate;
        ++asked;
        ++statistics_.recalls;
    }
    return asked;
}

std::uint32_t L2Bank::invalidate_sharers(BankLine& line, std::uint32_t but, std::uint64_t time) {
    std::uint32_t told = 0;
    const bool stays = but != nobody && line.sharers.contains(but);
    line.sharers.for_each([&](std::uint32_t sharer) {
        if (sharer == but) return;
        post_.send(node_, post_.pool().make(MessageKind::invalidate, sharer, line.address), leaves(line, time));
        time += shape_.invalidate;
        ++told;
        ++statistics_.invalidations;
    });
    line.sharers.clear();
    if (stays) line.sharers.add(but);
    return told;
}

// Bytes that their owner has given up, or has shown. Only what it still owned counts: it may have been asked twice.
std::uint64_t L2Bank::merge(BankLine& line, const Message& message, bool keeps) {
    const std::uint64_t part = message.mask & line.owned_by(message.requester);
    for (std::uint64_t mask = part; mask; mask &= mask - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(mask));
        line.bytes[i] = message.bytes[i];
    }
    if (part) line.dirty = true;
    if (!keeps) line.owned &= ~part;
    return part;
}

void L2Bank::take_back(Message* message) {
    use_port(message->time, shape_.occupancy);
    ++statistics_.write_backs;
    if (BankLine* line = lines_.find(message->line)) merge(*line, *message, false);
    post_.pool().release(message);
}

// An owner's or a sharer's answer.
void L2Bank::answered(Message* message) {
    Transaction* transaction = find(message->line);
    expect(transaction && transaction->answers_left > 0, *message);
    const std::uint64_t time = message->time, address = message->line;
    BankLine* const line = lines_.find(address);
    if (message->kind == MessageKind::recall_answer && line) {
        const std::uint64_t shown = merge(*line, *message, message->recall == Recall::fetch);
        if (message->recall == Recall::fetch) {
            transaction->current->mask |= shown;  // as good as bytes of its own
            message->owned &= ~shown;
        }
        // Of the rest of what was asked for it owns nothing any more: it has told so before, or had it clean (E).
        line->owned &= ~(message->owned & line->owned_by(message->requester));
        if (message->tracked) line->sharers.add(message->requester);
    }
    post_.pool().release(message);
    if (--transaction->answers_left > 0) return;

    const auto [phase, current, waiting] = take(*transaction);
    if (line) line->busy = false;
    if (phase == Transaction::Phase::evicting) {
        if (line) evict(*line, time);
    } else if (!line) {  // its page is gone: the answer has no meaning, but its requester waits for one
        current->do_not_keep = true;
        if (current->kind == MessageKind::read || current->kind == MessageKind::own) {
            current->exclusive = current->kind == MessageKind::own;
            current->kind = MessageKind::data;
            current->bytes.fill(0);
        } else if (current->kind == MessageKind::write_through) {
            current->kind = MessageKind::write_ack;
        } else if (current->kind == MessageKind::atomic || current->kind == MessageKind::store_conditional) {
            current->kind = MessageKind::atomic_result;
        }
        answer(current, nullptr, time);
    } else if (phase == Transaction::Phase::recalling) {
        serve(current, *line, time, true);
    } else if (current->kind == MessageKind::own) {
        grant(current, *line, time);
    } else {
        answer(current, line, time);
    }
    come_again(waiting, address, time);
}

// The transaction is over.
L2Bank::Ended L2Bank::take(Transaction& transaction) {
    Ended ended{transaction.phase, transaction.current, std::move(transaction.waiting)};
    transactions_.erase(transactions_.begin() + (&transaction - transactions_.data()));
    return ended;
}

// Those that waited for it, behind whatever the line is busy with now.
void L2Bank::come_again(const std::vector<Message*>& waiting, std::uint64_t address, std::uint64_t time) {
    if (Transaction* next = find(address))
        next->waiting.insert(next->waiting.end(), waiting.begin(), waiting.end());
    else
        for (Message* one : waiting) request(one, time);
}

void L2Bank::digest(Digest& to) {
    lines_.for_each([&](BankLine& line) {
        for (const std::uint64_t value :
             {line.address, line.owned, std::uint64_t{line.dirty}, std::uint64_t{line.busy}})
            to.add(value);
        for (std::size_t word = 0; word < line.owner.size(); ++word)
            to.add(line.owned & word_mask(word) ? line.owner[word] + 1u : 0u);
        line.sharers.for_each([&](std::uint32_t sharer) { to.add(sharer + 1u); });
        to.add_bytes(line.bytes);
    });
    for (const Transaction& transaction : transactions_) {
        for (const std::uint64_t value :
             {transaction.line, static_cast<std::uint64_t>(transaction.phase), std::uint64_t{transaction.answers_left}})
            to.add(value);
        if (transaction.current) croftsim::digest(to, *transaction.current);
        for (const Message* message : transaction.waiting) croftsim::digest(to, *message);
    }
}

// ---- memory ----

void L2Bank::fill(Message* message) {
    const std::uint64_t time = message->time, address = message->line;
    BankLine* line = make_room(address, time);
    if (!line)  // soon a place is free
        return post_.send_self(node_, message, time + shape_.occupancy + 1);
    lines_.assign(*line, address);
    line->owned = 0;
    post_.memory().read_dram(address, line->bytes.data(), line_bytes);
    Transaction* transaction = find(address);
    expect(transaction && transaction->phase == Transaction::Phase::fetching, *message);
    post_.pool().release(message);
    const Ended ended = take(*transaction);
    ended.current->from_memory = true;
    serve(ended.current, *line, time, true);
    come_again(ended.waiting, address, time);
}

// A free line for the address; null while the one to give up waits for its owners and sharers.
BankLine* L2Bank::make_room(std::uint64_t address, std::uint64_t time) {
    BankLine* victim = lines_.victim(address);
    if (!victim || victim->address == Line::nothing) return victim;
    ++statistics_.evictions;
    const std::uint64_t line = victim->address;
    std::uint32_t answers = recall_owners(*victim, whole_line, nobody, Recall::revoke, time + shape_.service);
    answers += invalidate_sharers(*victim, nobody, time + shape_.service);
    if (answers > 0) {
        victim->busy = true;
        transactions_.push_back({line, Transaction::Phase::evicting, answers, nullptr, {}});
        return nullptr;
    }
    evict(*victim, time + shape_.service);
    return victim;
}

// Nobody has a copy any more that the line would have to know of.
void L2Bank::evict(BankLine& line, std::uint64_t time) {
    if (line.dirty) {
        post_.memory().write_dram(line.address, line.bytes.data(), line_bytes);
        ++statistics_.memory_writes;
        post_.send(node_, post_.pool().make(MessageKind::memory_write, post_.controller_of(line.address), line.address),
                   time);
    }
    forget(line);
}

void L2Bank::forget(BankLine& line) {
    line.owned = 0;
    lines_.free(line);
}

}  // namespace croftsim
