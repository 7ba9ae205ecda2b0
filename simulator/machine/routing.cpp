// Messages between the nodes: when they leave, over which network, how long they are, and when they arrive.

#include <algorithm>
#include <bit>
#include <cassert>

#include "contract/unexpected.hpp"
#include "machine/machine.hpp"

namespace croftsim {

void Machine::send(std::uint32_t source, Message* message, std::uint64_t time) {
    message->source = source;
    message->sequence = ++sequence_[source];
    message->time = time;
    if (time < now_)
        throw SimulatorFault("node " + std::to_string(source) + " sends a message back in time, to cycle " +
                             std::to_string(time) + " at " + std::to_string(now_));
    if (settling_) {
        if (place_of(source) != place_of(message->destination)) count(*message);
        return settling_->push_back(message);
    }
    if (message->destination >= system_node_) system_->sent_to(message->destination - system_node_, message->line);
    if (const std::uint32_t place = place_of(source); place == place_of(message->destination))
        return arrive_within(place, message);
    outbox_.push(message);
    expect_send(source, time);
}

// It takes no network from one part of a tile to another.
void Machine::arrive_within(std::uint32_t node, Message* message) {
    events_of(node).push(message);
    if (node < tiles_.size()) tiles_[node]->core.beware(message->time);
    refresh(node);
}

// A node that runs ahead of the others alone relies on their being idle. Its message may end that.
void Machine::expect_send(std::uint32_t source, std::uint64_t time) {
    const std::uint64_t arrival = time + least_latency();
    horizon_ = std::min(horizon_, arrival);
    source = place_of(source);
    if (source < tiles_.size()) tiles_[source]->core.beware(arrival);
}

void Machine::send_self(std::uint32_t node, Message* message, std::uint64_t time) {
    message->source = node;
    message->sequence = ++sequence_[node];
    message->time = time;
    if (settling_) return settling_->push_back(message);
    arrive_within(place_of(node), message);
}

void Machine::route(std::uint64_t before) {
    assert(outbox_.next() >= routed_ && "a message was injected behind the network's back");
    routed_ = before;
    outbox_.take_before(before, [&](Message* message) {
        const auto [network, inject, eject] = way_of(message->kind);
        const std::uint32_t length = flits(*message);
        const std::uint32_t from = place_of(message->source), to = place_of(message->destination);
        const std::uint64_t entered = message->time + inject;
        const auto [left, hops] =
            length > 0 ? network.send(from, to, length, entered) : network.signal(from, to, entered);
        count(*message, length, hops);
        const std::uint32_t which = &network == &coherence_network_ ? 0 : &network == &memory_network_ ? 1 : 2;
        message->time = perturbation_.delay(which, from, to, left + eject + slack());
        const std::uint32_t node = message->destination;
        if (node >= system_node_) system_->arrives_at(node - system_node_, message->line);
        events_of(to).push(message);
        refresh(to);
    });
}

void Machine::count(const Message& message) {
    count(message, flits(message),
          way_of(message.kind).network.hops(place_of(message.source), place_of(message.destination)));
}

void Machine::count(const Message& message, std::uint32_t flits, std::uint32_t hops) {
    Traffic& traffic = traffic_[static_cast<std::size_t>(message.kind)];
    ++traffic.messages;
    traffic.flits += flits;
    traffic.hops += hops;
    requests_.sent(message);
    if (recorder_) recorder_->sent(message, hops);
}

Machine::Way Machine::way_of(MessageKind kind) {
    if (kind >= MessageKind::uli_request) return {user_network_, description_.uli->inject, description_.uli->eject};
    if (kind >= MessageKind::user_message)
        return {user_network_, description_.user_network->inject, description_.user_network->eject};
    const NetworkDescription& network = description_.network;
    return {kind >= MessageKind::memory_read ? memory_network_ : coherence_network_, network.inject, network.eject};
}

std::uint32_t Machine::flits(const Message& message) const {
    std::uint32_t payload = 0;
    switch (message.kind) {
        case MessageKind::user_message:  // a word is a register here and 32 bits on the chip: one flit
            return description_.network.header_flits + static_cast<std::uint32_t>(pool_.words(message).size());
        case MessageKind::user_credit:
            return 0;  // the links' own flow control
        case MessageKind::data:
            if (message.mask) {  // not all of the line, perhaps
                payload = message.no_payload ? 0 : static_cast<std::uint32_t>(std::popcount(message.mask));
                break;
            }
            payload = line_bytes;
            break;
        case MessageKind::write_back:
        case MessageKind::recall_answer:
            if (message.no_payload) break;
            payload = static_cast<std::uint32_t>(std::popcount(message.mask));
            break;
        case MessageKind::write_data:
        case MessageKind::memory_data:
        case MessageKind::memory_write:
            payload = line_bytes;
            break;
        case MessageKind::write_through: {  // whole 32-bit words, as on the chip
            const std::uint64_t words =
                (message.mask | message.mask >> 1 | message.mask >> 2 | message.mask >> 3) & 0x1111111111111111u;
            // The product's top digit (base 16) is the number of ones; sixteen shows as zero.
            const std::uint64_t digit = words * 0x1111111111111111u >> 60;
            payload = 4 * static_cast<std::uint32_t>(digit ? digit : 16);
            break;
        }
        case MessageKind::atomic:
            payload = message.operation == AtomicOperation::compare_and_swap ? 2u * message.size : message.size;
            break;
        case MessageKind::store_conditional:
        case MessageKind::atomic_result:
            payload = message.size;
            break;
        default:
            break;
    }
    if (payload > 0 && description_.shared && description_.shared->data == SharedCacheDescription::Data::lines)
        payload = line_bytes;
    const NetworkDescription& network = description_.network;
    return network.header_flits + (payload + network.flit - 1) / network.flit;
}

std::uint32_t Machine::controller_of(std::uint64_t line) const {
    if (const Page* page = memory_.find(line); page && page->controller != Page::striped)
        return static_cast<std::uint32_t>(tiles_.size() + page->controller);
    const std::uint64_t stripe = line / description_.memory.stripe;
    return static_cast<std::uint32_t>(tiles_.size() + stripe % controllers_.size());
}

}  // namespace croftsim
