#include "device/uli_port.hpp"

#include <string>

#include "record/coherence_check.hpp"
#include "record/race_detector.hpp"

namespace croftsim {

void UliPort::check(std::uint64_t to) const {
    if (!machine_.uli) core_.fault("the machine " + machine_.name + " has no user-level interrupts between cores", 132);
    const std::uint32_t own = machine_.order.number_of(tile_);
    if (to >= machine_.tiles() || to == own)
        core_.fault("a user-level interrupt from core " + std::to_string(own) + " to core " + std::to_string(to), 134);
}

void UliPort::send(MessageKind kind, std::uint32_t to, std::uint64_t word, std::uint64_t time, std::uint32_t number) {
    Message* message = post_.pool().make(kind, to, 0);
    message->word = word;
    message->number = number;
    if (core_.check) message->epoch = core_.check->epoch(tile_);
    if (core_.races) message->epoch = core_.races->sent(tile_);
    post_.send(tile_, message, time);
}

Access UliPort::request(std::uint64_t to, std::uint64_t word) {
    check(to);
    if (awaits_) core_.fault("croft.uli_request while another request waits for its response", 134);
    awaits_ = true;
    response_.reset();
    asked_ = core_.time();
    ++statistics_.requests;
    const auto number = static_cast<std::uint32_t>(statistics_.requests);
    tell(Flow::requests, core_.time(), tile_, number);
    send(MessageKind::uli_request, machine_.order.tile_of(to), word, core_.time() + 1, number);
    return Access::done;
}

Access UliPort::response(std::uint8_t rd) {
    check((machine_.order.number_of(tile_) + 1) % machine_.tiles());
    if (!awaits_) core_.fault("croft.uli_response without a request", 134);
    if (!response_) {
        core_.sleep(CoreState::waits_message, core_.time());
        return Access::retry;
    }
    core_.set_result(LoadType::i64, rd, *response_);
    if (core_.check && *response_ != nack) core_.check->learned(tile_, response_from_, response_epoch_);
    if (core_.races && *response_ != nack) core_.races->received(tile_, response_from_, response_epoch_);
    if (*response_ != nack) tell(Flow::is_answered, core_.time(), tile_, response_number_);
    awaits_ = false;
    return Access::done;
}

Access UliPort::respond(std::uint64_t to, std::uint64_t word) {
    check(to);
    const std::uint32_t requester = machine_.order.tile_of(to);
    if (!request_ || *request_ >> 32 != requester) core_.fault("croft.uli_respond to a core that has not asked", 134);
    request_.reset();
    taken_ = false;
    ++statistics_.handled;
    tell(Flow::responds, core_.time(), requester, request_number_);
    send(MessageKind::uli_response, requester, word, core_.time() + 1, request_number_);
    return Access::done;
}

void UliPort::receive(Message* message) {
    const std::uint64_t time = message->time;
    if (message->kind == MessageKind::uli_response) {
        response_ = message->word;
        response_from_ = message->source;
        response_epoch_ = message->epoch;
        response_number_ = message->number;
        statistics_.latency += time - asked_;
        if (message->word == nack) ++statistics_.nacks;
        if (core_.state == CoreState::waits_message) core_.wake(time, Stall::network);
        return post_.pool().release(message);
    }
    if (listens()) {
        request_ = std::uint64_t{message->source} << 32 | (message->word & 0xffffffffu);
        request_number_ = message->number;
        if (core_.check) core_.check->learned(tile_, message->source, message->epoch);
        if (core_.races) core_.races->received(tile_, message->source, message->epoch);
        if (core_.state == CoreState::waits_message) core_.wake(time, Stall::network);
        if (core_.state == CoreState::waits_line) core_.wake(time + 1, Stall::line);
        return post_.pool().release(message);
    }
    message->kind = MessageKind::uli_response;
    message->word = nack;
    message->destination = message->source;
    post_.send(tile_, message, time);
}

void UliPort::tell_taken() {
    tell(Flow::is_requested, core_.handler_since, static_cast<std::uint32_t>(*request_ >> 32), request_number_);
}

// A request and its response have numbers that no message of the user network has (user_port.cpp).
void UliPort::tell(Flow what, std::uint64_t time, std::uint32_t requester, std::uint32_t number) {
    if (!core_.log) return;
    const bool is_request = what == Flow::requests || what == Flow::is_requested;
    const std::uint64_t which = is_request ? 1 : 2;
    core_.log->tell(ExecutionLog::Flows{time, which << 62 | (std::uint64_t{requester} + 1) << 32 | number, what});
}

void UliPort::leave(std::uint64_t time) {
    if (!request_ || taken_) return;
    send(MessageKind::uli_response, static_cast<std::uint32_t>(*request_ >> 32), nack, time, 0);
    request_.reset();
}

}  // namespace croftsim
