#include "coherence/requester_engine.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "memory/address_space.hpp"
#include "record/coherence_check.hpp"
#include "record/race_detector.hpp"

namespace croftsim {

void RequesterEngine::observed(std::uint64_t address, unsigned size, std::uint64_t raw, std::uint64_t pc,
                               std::uint64_t time) {
    if (check_) check_->loaded(tile_, address, size, raw, {pc, time});
}

void RequesterEngine::begin(Pending::Kind kind, LoadType type, std::uint8_t rd, std::uint64_t address) {
    pending_ = {};
    pending_.kind = kind;
    pending_.type = type;
    pending_.rd = rd;
    pending_.address = address;
    pending_.issued = core_.time();
    pending_.pc = core_.pc();
}

void RequesterEngine::begin_load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how) {
    begin(Pending::Kind::load, type, rd, address);
    pending_.reserve = how;
    pending_.slack = core_.block->slack_of(core_.op);
}

Access RequesterEngine::advance(std::uint64_t time) {
    const unsigned size = size_of(pending_.type);
    while (pending_.done < size) {
        const std::uint64_t at = pending_.address + pending_.done, line = line_of(at);
        const auto count = static_cast<unsigned>(std::min<std::uint64_t>(size - pending_.done, line + line_bytes - at));
        const std::uint8_t* const bytes = here(at, count, time);
        if (!bytes) {
            ask_for(at, count, time);
            if (core_.state == CoreState::runs) core_.sleep(CoreState::waits_memory, pending_.issued);
            return Access::blocked;
        }
        take_part(bytes, line, time);
    }
    finish(time, waited_for(core_.state == CoreState::waits_memory));
    return Access::done;
}

void RequesterEngine::take_part(const std::uint8_t* bytes, std::uint64_t line, std::uint64_t time) {
    reserve(pending_.reserve, line, time);
    const std::uint64_t at = pending_.address + pending_.done;
    const std::uint32_t count = std::min<std::uint32_t>(size_of(pending_.type) - pending_.done,
                                                        static_cast<std::uint32_t>(line + line_bytes - at));
    std::memcpy(reinterpret_cast<std::uint8_t*>(&pending_.raw) + pending_.done, bytes + (at - line), count);
    pending_.done += count;
}

// Nothing needs a load to be over for `slack` cycles behind its issue.
void RequesterEngine::finish(std::uint64_t usable, Stall why) {
    const RegisterPair found{pending_.raw, pending_.raw_high};
    core_.set_result(pending_.type, pending_.rd, found);
    if (check_ && pending_.kind == Pending::Kind::load)
        check_->loaded(tile_, pending_.address, size_of(pending_.type), pending_.raw, {pending_.pc, pending_.issued});
    if (core_.races && pending_.kind != Pending::Kind::load) {
        const bool compares = pending_.operation == AtomicOperation::compare_and_swap;
        core_.races->decided(
            tile_, compares ? is_expected(found, pending_.expected, size_of(pending_.type)) : found.low == 0, compares);
    }
    if (core_.state == CoreState::waits_memory) core_.data_came = usable;
    core_.state = CoreState::runs;
    const std::uint64_t needed = pending_.issued + pending_.slack;
    core_.stall(why, needed, usable);
    pending_.kind = Pending::Kind::none;
}

Message* RequesterEngine::atomic_at_home(MessageKind kind, std::uint64_t address, unsigned size,
                                         const AtomicOperands& operands) {
    Message* const message = post_.pool().make(kind, 0, line_of(address));
    message->offset = static_cast<std::uint8_t>(address % line_bytes);
    message->size = static_cast<std::uint8_t>(size);
    message->mask = mask_of(address, size);
    put_operands(*message, operands);
    return message;
}

void RequesterEngine::finish_atomic(Message* result, std::uint32_t fill) {
    if (check_) check_->synchronised(tile_, result->line + result->offset);
    const RegisterPair found = found_in(*result);
    pending_.raw = found.low;
    pending_.raw_high = found.high;
    finish(result->time + fill, Stall::atomic);
    post_.pool().release(result);
}

Access RequesterEngine::wait_for_store(std::uint64_t address, unsigned size, std::uint64_t value) {
    begin(Pending::Kind::store, LoadType::i64, 0, address);
    pending_.operand = value;
    pending_.done = size;
    pending_.slack = kind_.core.cost[static_cast<std::size_t>(Cost::store)];
    core_.sleep(CoreState::waits_memory, pending_.issued);
    return Access::blocked;
}

void RequesterEngine::finish_store(std::uint64_t time) {
    core_.data_came = time;
    core_.state = CoreState::runs;
    core_.stall(Stall::store_buffer, pending_.issued + pending_.slack, time);
    pending_.kind = Pending::Kind::none;
}

void RequesterEngine::reserve(Reserve how, std::uint64_t line, std::uint64_t time) {
    if (how == Reserve::start) {
        core_.reservation.start(line);
        reserved_at_ = time;
    }
    if (how == Reserve::add) core_.reservation.add(line);
}

void RequesterEngine::check_page(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what) {
    if (!post_.memory().allows(address, size, permission)) core_.wild_access(what, size, address);
}

void RequesterEngine::check_load(std::uint64_t address, unsigned size, Reserve how) {
    check_page(address, size, Permission::read, "a load");
    if (how != Reserve::no && address % size) core_.fault("a load-reserved at a misaligned address", 135);
    if (check_ && how == Reserve::start) check_->reads_anew(tile_, address);
}

void RequesterEngine::check_atomic(std::uint64_t address, unsigned size, const char* what) {
    check_page(address, size, Permission::read | Permission::write, what);
    if (address % size) core_.fault(std::string(what) + " at a misaligned address", 135);
}

}  // namespace croftsim
