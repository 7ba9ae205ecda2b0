#include "device/copy_engine.hpp"

#include <algorithm>
#include <cstring>

#include "base/hexadecimal.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

Access CopyEngine::start(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    const AddressSpace& memory = post_.memory();
    if (!memory.allows(from, bytes, Permission::read) || !memory.allows(to, bytes, Permission::write))
        core_.fault("wild access: a DMA copy of " + std::to_string(bytes) + " bytes from " + hexadecimal(from) +
                        " to " + hexadecimal(to),
                    139);
    if (busy()) {
        core_.sleep(CoreState::waits_copy, core_.time());
        return Access::retry;
    }
    to_ = to;
    from_ = from;
    left_ = bytes;
    ++statistics_.copies;
    statistics_.bytes += bytes;
    go_on(core_.time());
    return Access::done;
}

void CopyEngine::go_on(std::uint64_t time) {
    while (left_ > 0 && under_way_ < most_under_way) {
        const std::uint64_t piece = std::min({left_, line_bytes - to_ % line_bytes, line_bytes - from_ % line_bytes});
        Message* message = post_.pool().make(MessageKind::read, 0, line_of(from_));
        message->copy_to = to_;
        message->offset = static_cast<std::uint8_t>(from_ % line_bytes);
        message->size = static_cast<std::uint8_t>(piece);
        to_ += piece;
        from_ += piece;
        left_ -= piece;
        ++under_way_;
        ask(message, message->line, time);
    }
}

void CopyEngine::ask(Message* message, std::uint64_t line, std::uint64_t time) {
    message->line = line;
    message->requester = tile_;
    message->engine = true;
    message->destination = post_.home_of(line, tile_);
    if (message->destination == tile_) {
        message->time = time;
        return to_home_(message);
    }
    post_.send(tile_, message, time);
}

void CopyEngine::receive(Message* message) {
    const std::uint64_t time = message->time;
    if (message->kind == MessageKind::data) {
        const std::uint64_t to = message->copy_to, at = to % line_bytes;
        const std::array<std::uint8_t, line_bytes> line = message->bytes;
        std::memcpy(message->bytes.data() + at, line.data() + message->offset, message->size);
        message->mask = (message->size == line_bytes ? ~std::uint64_t{0} : (std::uint64_t{1} << message->size) - 1)
                        << at;
        message->fills_line = message->size == line_bytes;
        message->kind = MessageKind::write_through;
        return ask(message, line_of(to), time);
    }
    post_.pool().release(message);
    --under_way_;
    go_on(time);
    if (!busy() && core_.state == CoreState::waits_copy) core_.wake(time, Stall::network);
}

}  // namespace croftsim
