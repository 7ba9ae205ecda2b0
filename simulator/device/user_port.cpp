#include "device/user_port.hpp"

#include <string>

#include "record/coherence_check.hpp"
#include "record/race_detector.hpp"

namespace croftsim {
namespace {

// The message's own number. It is not 0, so that 0 can stand for none.
std::uint64_t flow_of(std::uint32_t source, std::uint32_t message) {
    return (std::uint64_t{source} + 1) << 32 | message;
}

}  // namespace

void UserPort::check(std::uint64_t to) const {
    if (!machine_.user_network) core_.fault("the machine " + machine_.name + " has no user network", 132);
    if ((to & 0xffff) >= machine_.tiles())
        core_.fault("a message to core " + std::to_string(to & 0xffff) + ", but the mesh has " +
                        std::to_string(machine_.tiles()) + " tiles",
                    134);
}

bool UserPort::has_room(std::uint64_t words) {
    if (under_way_ == 0 || under_way_ + words <= machine_.user_network->buffer) return true;
    core_.sleep(CoreState::waits_network, core_.time());
    return false;
}

void UserPort::inject(std::uint64_t to, std::vector<std::uint64_t> words, Cost with) {
    Message* message = post_.pool().make(MessageKind::user_message, machine_.order.tile_of(to & 0xffff), 0);
    message->tag = to >> 16;
    ++statistics_.messages;
    statistics_.words += words.size();
    under_way_ += words.size();
    post_.pool().put_words(*message, std::move(words));
    if (core_.log) {
        message->number = static_cast<std::uint32_t>(statistics_.messages);
        core_.log->tell(ExecutionLog::Flows{core_.time(), flow_of(tile_, message->number), Flow::sends});
    }
    if (core_.check) message->epoch = core_.check->epoch(tile_);
    if (core_.races) message->epoch = core_.races->sent(tile_);
    // The instruction's own cycles come first.
    const std::uint64_t time = core_.time() + machine_.kind_of(tile_).core.cost[static_cast<std::size_t>(with)];
    if (message->destination == tile_)
        post_.send_self(tile_, message, time);
    else
        post_.send(tile_, message, time);
}

Access UserPort::send(std::uint64_t to, std::uint64_t word) {
    check(to);
    if (open_.words_left > 0) core_.fault("croft.send inside an open message", 134);
    if (!has_room(1)) return Access::retry;
    inject(to, {word}, Cost::send);
    return Access::done;
}

Access UserPort::open(std::uint64_t to, std::uint64_t words) {
    check(to);
    if (open_.words_left > 0) core_.fault("croft.open inside an open message", 134);
    if (words == 0 || words >= machine_.user_network->words)
        core_.fault("a message of " + std::to_string(words) + " words: there may be 1 to " +
                        std::to_string(machine_.user_network->words - 1),
                    134);
    open_ = {to, words, {}};
    return Access::done;
}

Access UserPort::push(std::uint64_t word) {
    if (open_.words_left == 0) core_.fault("croft.push without an open message", 134);
    if (open_.words_left == 1 && !has_room(open_.words.size() + 1)) return Access::retry;
    open_.words.push_back(word);
    if (--open_.words_left == 0) inject(open_.to, std::move(open_.words), Cost::push);
    return Access::done;
}

Access UserPort::receive(std::uint8_t rd, std::uint32_t queue) {
    check(0);
    if (queue >= queues) core_.fault("croft.receive from queue " + std::to_string(queue), 132);
    auto& words = queues_[queue];
    if (words.empty()) {
        awaited_ = queue;
        core_.sleep(CoreState::waits_message, core_.time());
        return Access::retry;
    }
    core_.set_result(LoadType::i64, rd, words.front().value);
    if (core_.check) core_.check->learned(tile_, words.front().source, words.front().epoch);
    if (core_.races) core_.races->received(tile_, words.front().source, words.front().epoch);
    if (core_.log && words.front().message)
        core_.log->tell(ExecutionLog::Flows{core_.time(), words.front().message, Flow::receives});
    words.pop_front();
    ++statistics_.received;
    take_in(core_.time());
    return Access::done;
}

void UserPort::map(std::uint64_t tag, std::uint32_t queue) {
    check(0);
    if (queue >= catch_all) core_.fault("croft.map of queue " + std::to_string(queue), 132);
    tags_[queue] = tag & 0xffffffffffffu;
}

void UserPort::receive(Message* message) {
    const std::uint64_t time = message->time;
    if (message->kind == MessageKind::user_credit) {
        under_way_ -= message->room;
        post_.pool().release(message);
        if (core_.state == CoreState::waits_network) core_.wake(time, Stall::network);
        return;
    }
    backlog_.push_back(message);
    take_in(time);
}

// Messages that have arrived go into the queues, in the order of arrival, as far as there is room.
void UserPort::take_in(std::uint64_t time) {
    while (!backlog_.empty()) {
        Message* message = backlog_.front();
        const std::uint32_t queue = queue_of(message->tag);
        auto& words = queues_[queue];
        if (words.size() + post_.pool().words(*message).size() > machine_.user_network->words) return;
        backlog_.pop_front();
        if (queue == catch_all) ++statistics_.unmapped;
        std::uint64_t number = core_.log ? flow_of(message->source, message->number) : 0;
        const std::vector<std::uint64_t> taken = post_.pool().take_words(*message);
        for (const std::uint64_t word : taken) {
            words.push_back({word, message->source, message->epoch, number});
            number = 0;
        }
        const bool interrupts = core_.hart.interrupts.enabled && (core_.hart.interrupts.sources >> (16 + queue) & 1);
        if (core_.state == CoreState::waits_message && (awaited_ == queue || interrupts))
            core_.wake(time, Stall::network);
        if (core_.state == CoreState::waits_line && interrupts) core_.wake(time + 1, Stall::line);
        // The sender learns that there is room for more.
        message->kind = MessageKind::user_credit;
        message->room = taken.size();
        message->destination = message->source;
        if (message->destination == tile_)
            post_.send_self(tile_, message, time + 1);
        else
            post_.send(tile_, message, time);
    }
}

}  // namespace croftsim
