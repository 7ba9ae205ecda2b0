#include "coherence/gpu_l1.hpp"

#include <cstring>

#include "record/coherence_check.hpp"

namespace croftsim {

Message* GpuL1::request_for(std::uint64_t line, std::uint64_t mask, Reserve reserve, std::uint64_t time) {
    // The home is to answer with this core's own latest words, too.
    if (L1Line* const found = l1.find(line); found && reserve != Reserve::no) flush_line(*found, time);
    Message* message = post_.pool().make(MessageKind::read, 0, line);
    message->mask = mask;
    message->tracked = reserve != Reserve::no;
    return message;
}

void GpuL1::write_through(std::uint64_t line, std::uint64_t mask, const std::uint8_t* bytes, std::uint64_t time) {
    Message* message = post_.pool().make(MessageKind::write_through, 0, line);
    message->mask = mask;
    std::memcpy(message->bytes.data(), bytes, line_bytes);
    ++unacknowledged_;
    send(message, time);
    if (check_) check_->sent(tile_, line, mask);
}

void GpuL1::flush_line(L1Line& line, std::uint64_t time) {
    if (!line.dirty) return;
    write_through(line.address, line.dirty, line.bytes.data(), time);
    line.dirty = 0;
    changed(line);
}

void GpuL1::acknowledged(std::uint64_t, std::uint64_t time) {
    --unacknowledged_;
    wake_stores(time, unacknowledged_ == 0);
}

Access GpuL1::atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                     const AtomicOperands& operands) {
    if (awaits_prefetch(line_of(address))) return sleep(CoreState::waits_store);
    return ask_home(MessageKind::atomic, type, rd, address, "an atomic operation", operation, is_unsigned, operands);
}

Access GpuL1::store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) {
    if (awaits_prefetch(line_of(address))) return sleep(CoreState::waits_store);
    const bool held = core_.reservation.permits_store(line_of(address));
    core_.reservation.lose();
    if (!held) {
        core_.set_result(LoadType::i64, rd, 1);
        return Access::done;
    }
    return ask_home(MessageKind::store_conditional, type, rd, address, "a store-conditional", AtomicOperation::swap,
                    false, value);
}

Access GpuL1::ask_home(MessageKind kind, LoadType type, std::uint8_t rd, std::uint64_t address, const char* what,
                       AtomicOperation operation, bool is_unsigned, const AtomicOperands& operands) {
    const unsigned size = size_of(type);
    check_atomic(address, size, what);
    const std::uint64_t time = core_.time(), line = line_of(address);
    if (L1Line* const found = l1.find(line)) {
        flush_line(*found, time);
        keep_only(*found, ~mask_of(address, size));  // what the atomic leaves is at the home
    }
    begin(Pending::Kind::atomic, kind == MessageKind::store_conditional ? LoadType::i64 : type, rd, address);
    pending_.operation = operation;
    pending_.expected = operands.expected;
    Message* const message = atomic_at_home(kind, address, size, operands);
    message->operation = operation;
    message->is_unsigned = is_unsigned;
    send(message, time + kind_.l1d.hit);
    core_.sleep(CoreState::waits_memory, time);
    return Access::blocked;
}

}  // namespace croftsim
