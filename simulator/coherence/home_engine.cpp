#include "coherence/home_engine.hpp"

#include "contract/unexpected.hpp"
#include "isa/atomic_operation.hpp"
#include "memory/address_space.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

void HomeEngine::receive(Message* message) {
    switch (message->kind) {
        case MessageKind::recall_answer:
        case MessageKind::invalidate_ack:
        case MessageKind::memory_ack:
            return answered(message);
        case MessageKind::memory_data:
        case MessageKind::alarm:
            return fill(message);
        default:
            expect(message->kind <= MessageKind::own, *message);
            return request(message, message->time);
    }
}

void HomeEngine::request(Message* message, std::uint64_t time) {
    if (Transaction* transaction = find(message->line)) {
        transaction->waiting.push_back(message);
        return;
    }
    const bool of_words =
        message->kind == MessageKind::leave || (message->kind == MessageKind::write_through && !message->allocates);
    begin(message, use_port(time, of_words ? times_.occupancy_word : times_.occupancy));
}

std::uint64_t HomeEngine::use_port(std::uint64_t time, std::uint32_t cycles) {
    const std::uint64_t start = port_.use(time, cycles);
    statistics_.waited += start - time;
    statistics_.busy += cycles;
    return start;
}

// ---- transactions ----

HomeEngine::Transaction* HomeEngine::find(std::uint64_t line) {
    for (Transaction& transaction : transactions_)
        if (transaction.line == line) return &transaction;
    return nullptr;
}

std::optional<HomeEngine::Busy> HomeEngine::busy_with(std::uint64_t line) const {
    for (const Transaction& transaction : transactions_)
        if (transaction.line == line) return Busy{transaction.phase, transaction.waiting.size()};
    return std::nullopt;
}

HomeEngine::Transaction HomeEngine::end(Transaction& transaction) {
    Transaction ended = std::move(transaction);
    transactions_.erase(transactions_.begin() + (&transaction - transactions_.data()));
    return ended;
}

void HomeEngine::begin_fill(Message* request, std::uint64_t time) {
    open(request->line, Phase::filling, 0, request);
    ask_for(*request, time);
}

void HomeEngine::ask_for(const Message& request, std::uint64_t time) {
    ++statistics_.memory_reads;
    post_.send(node_, post_.pool().make(MessageKind::memory_read, post_.controller_of(request.line), request.line),
               time);
}

void HomeEngine::wait_for_room(Message* request, std::uint64_t time) {
    open(request->line, Phase::filling, 0, request);
    retry(*post_.pool().make(MessageKind::alarm, node_, request->line), time);
}

void HomeEngine::fill(Message* arrival) {
    const std::uint64_t time = arrival->time, address = arrival->line;
    Transaction* const filling = find(address);
    expect(filling && filling->phase == Phase::filling, *arrival);
    filling->came = true;
    if (!install(*filling->current, *arrival)) return;
    post_.pool().release(arrival);
    const Transaction ended = end(*find(address));  // to make room, another may have been opened
    installed(ended.current, time);
    go_on(ended, time);
}

HomeEngine::Transaction& HomeEngine::awaiting(const Message& answer) {
    // A line that waits for the home's own home may be demanded by that meanwhile, and then has two.
    const auto found = std::ranges::find_if(
        transactions_, [&](const Transaction& one) { return one.line == answer.line && one.answers_left > 0; });
    expect(found != transactions_.end(), answer);
    return *found;
}

std::optional<HomeEngine::Transaction> HomeEngine::take_answer(Message* answer) {
    Transaction& transaction = awaiting(*answer);
    post_.pool().release(answer);
    if (--transaction.answers_left > 0) return std::nullopt;
    return end(transaction);
}

void HomeEngine::digest_transactions(Digest& to) const {
    for (const Transaction& transaction : transactions_) {
        for (const std::uint64_t value :
             {transaction.line, static_cast<std::uint64_t>(transaction.phase), std::uint64_t{transaction.answers_left}})
            to.add(value);
        to.add(transaction.came | transaction.by_owner << 1);
        if (transaction.current) digest(to, *transaction.current);
        if (transaction.demand) digest(to, *transaction.demand);
        for (const Message* message : transaction.waiting) digest(to, *message);
    }
}

// ---- the line, and others ----

bool HomeEngine::perform(Message& request, AnyLine& line, bool permitted, std::uint64_t time) {
    const bool is_write = request.kind == MessageKind::write_through;
    std::uint64_t written = request.mask;
    if (is_write) {
        ++statistics_.writes;
        put_masked(line.bytes.data(), request.bytes.data(), request.mask);
        request.kind = request.allocates ? MessageKind::write_data : MessageKind::write_ack;
    } else {
        ++statistics_.atomics;
        if (check_) check_->synchronised(request.requester, line.address + request.offset);
        std::uint8_t* const at = line.bytes.data() + request.offset;
        if (request.kind == MessageKind::store_conditional) {
            if (permitted) put_bytes(at, request.operand, request.size);
            request.operand = permitted ? 0 : 1;
        } else {
            const AtomicOutcome outcome =
                carry_out(at, request.operation, operands_of(request), request.size, request.is_unsigned);
            permitted = outcome.stored;
            put_found(request, outcome.old);
        }
        request.kind = MessageKind::atomic_result;
        if (!permitted) return false;
        written = ((std::uint64_t{1} << request.size) - 1) << request.offset;
    }
    if (check_)
        check_->served(request.requester, request.epoch, line.address, written, line.bytes.data(),
                       is_write && !request.engine, {0, time});
    line.dirty = true;
    return true;
}

void HomeEngine::answer(Message* message, std::uint64_t time) {
    message->destination = message->requester;
    if (message->requester == node_)
        post_.send_self(node_, message, time);
    else
        post_.send(node_, message, time);
}

void HomeEngine::invalidate(std::uint32_t sharer, std::uint64_t line, std::uint64_t time) {
    ++statistics_.invalidations;
    post_.send(node_, post_.pool().make(MessageKind::invalidate, sharer, line), time);
}

void HomeEngine::write_to_memory(const AnyLine& line, std::uint64_t time, bool awaited) {
    post_.memory().write_dram(line.address, line.bytes.data(), line_bytes);
    ++statistics_.memory_writes;
    Message* const message =
        post_.pool().make(MessageKind::memory_write, post_.controller_of(line.address), line.address);
    message->awaited = awaited;
    post_.send(node_, message, time);
}

}  // namespace croftsim
