#include "device/host_link.hpp"

#include <algorithm>
#include <utility>

namespace croftsim {

HostLink::HostLink(MachineServices& machine, const HostLinkDescription& description, HostSide& host,
                   std::uint64_t address, HostSide::Slots slots)
    : machine_(machine),
      description_(description),
      host_(host),
      address_(address),
      slots_(slots),
      states_(slots.input + slots.output, Slot::free),
      input_{machine.now()},
      output_{machine.now()} {
    for (std::uint64_t slot = 0; slot < slots.input; ++slot) free_inputs_.push_back(slot);
    for (std::uint64_t slot = slots.input; slot < states_.size(); ++slot) free_outputs_.push_back(slot);
    start_and_plan();
}

// ---- what the program asks for

std::optional<std::int64_t> HostLink::receive(std::uint32_t thread) {
    auto got = next_ready();
    if (!got) receivers_.push_back(thread);
    return got;
}

std::optional<std::int64_t> HostLink::acquire(std::uint32_t thread) {
    auto got = next_free();
    if (!got) acquirers_.push_back(thread);
    return got;
}

std::optional<std::int64_t> HostLink::close(std::uint32_t thread) {
    closing_ = true;
    // Threads that wait here may have to be told: at once, but not before this call's own thread is settled.
    event_ = machine_.now();
    if (all_delivered()) return 0;
    closers_.push_back(thread);
    return std::nullopt;
}

void HostLink::abandon() {
    closing_ = host_knows_ = true;
    event_ = machine_.now();
}

bool HostLink::release(std::uint64_t slot) {
    if (slot >= states_.size() || states_[slot] != Slot::held) return false;
    states_[slot] = Slot::free;
    (slot < slots_.input ? free_inputs_ : free_outputs_).push_back(slot);
    if (slot >= slots_.input) event_ = std::min(event_, machine_.now());  // somebody may wait for it
    start_and_plan();
    return true;
}

bool HostLink::send(std::uint64_t slot, std::uint64_t bytes) {
    if (slot < slots_.input || slot >= states_.size() || states_[slot] != Slot::held || bytes > description_.slot)
        return false;
    states_[slot] = Slot::linked;
    to_send_.push_back({slot, bytes, machine_.now()});
    start_and_plan();
    return true;
}

std::optional<std::int64_t> HostLink::next_ready() {
    if (!ready_.empty()) {
        const std::int64_t message = ready_.front();
        ready_.pop_front();
        states_[static_cast<std::size_t>(message & 0xffff)] = Slot::held;
        return message;
    }
    return stream_ended_ || closing_ ? std::optional(end_of_stream) : std::nullopt;
}

std::optional<std::int64_t> HostLink::next_free() {
    if (closing_) return end_of_stream;
    if (free_outputs_.empty()) return std::nullopt;
    const std::uint64_t slot = free_outputs_.front();
    free_outputs_.pop_front();
    states_[slot] = Slot::held;
    return static_cast<std::int64_t>(slot);
}

bool HostLink::all_delivered() {
    if (!closing_ || !to_send_.empty() || !output_.under_way.empty()) return false;
    if (!std::exchange(host_knows_, true)) host_.closed();
    return true;
}

// ---- what happens on the link

std::vector<HostLink::Wake> HostLink::act() {
    event_ = never;
    arrive(machine_.now());
    start_and_plan();
    std::vector<Wake> woken;
    const auto serve = [&woken](std::deque<std::uint32_t>& waiting, auto get) {
        while (!waiting.empty()) {
            const std::optional<std::int64_t> got = get();
            if (!got) return;
            woken.push_back({waiting.front(), *got});
            waiting.pop_front();
        }
    };
    serve(receivers_, [&] { return next_ready(); });
    serve(acquirers_, [&] { return next_free(); });
    serve(closers_, [&] { return all_delivered() ? std::optional(std::int64_t{0}) : std::nullopt; });
    return woken;
}

void HostLink::arrive(std::uint64_t now) {
    while (!input_.under_way.empty() && input_.under_way.front().arrival <= now) {
        const Message message = std::move(input_.under_way.front());
        input_.under_way.pop_front();
        machine_.device_write(address_of(message.slot), message.bytes);
        ready_.push_back(static_cast<std::int64_t>(message.slot | message.bytes.size() << 16));
    }
    if (end_arrives_ <= now) stream_ended_ = true;
    while (!output_.under_way.empty() && output_.under_way.front().arrival <= now) {
        Message message = std::move(output_.under_way.front());
        output_.under_way.pop_front();
        states_[message.slot] = Slot::free;
        free_outputs_.push_back(message.slot);
        host_.deliver(std::move(message.bytes), now);
    }
}

// Starts what can start now, and finds when something happens next.
void HostLink::start_and_plan() {
    const std::uint64_t now = machine_.now();
    std::uint64_t there = host_.next(now);
    while (!free_inputs_.empty() && there <= now && input_.free_at <= now) {
        const std::uint64_t slot = free_inputs_.front();
        free_inputs_.pop_front();
        states_[slot] = Slot::linked;
        std::vector<std::uint8_t> message = host_.take();
        if (message.size() > description_.slot)
            throw GuestFault(0, "the host sends a message of " + std::to_string(message.size()) +
                                    " bytes, and a slot of the link has " + std::to_string(description_.slot));
        launch(input_, statistics_[0], there, {0, slot, std::move(message)});
        there = host_.next(now);
    }
    const bool all_taken = host_.ended();
    if (all_taken && end_arrives_ == never)
        end_arrives_ = std::max(now, input_.free_at) + description_.overhead + description_.latency;

    bool no_buffer = false;
    while (!to_send_.empty() && output_.free_at <= now) {
        no_buffer = !host_.reserve();
        if (no_buffer) break;
        const Sent sent = to_send_.front();
        to_send_.pop_front();
        std::vector<std::uint8_t> bytes(sent.bytes);
        machine_.device_read(address_of(sent.slot), bytes);
        launch(output_, statistics_[1], sent.since, {0, sent.slot, std::move(bytes)});
    }

    const auto at = [&](std::uint64_t time) { event_ = std::min(event_, time); };
    if (!input_.under_way.empty()) at(input_.under_way.front().arrival);
    if (!output_.under_way.empty()) at(output_.under_way.front().arrival);
    if (!stream_ended_) at(end_arrives_);
    if (!free_inputs_.empty() && there != never) at(std::max(there, input_.free_at));
    if (!to_send_.empty() && output_.free_at > now) at(output_.free_at);
    const bool depends = !closing_ && !all_taken && !free_inputs_.empty() && there == never;
    look_ = host_.live() && (depends || no_buffer) ? now + look_every : never;
}

void HostLink::launch(Direction& direction, LinkStatistics& counts, std::uint64_t there, Message message) {
    const std::uint64_t now = machine_.now(), bytes = message.bytes.size();
    const std::uint64_t rate = description_.bytes_per_1000_cycles;
    const std::uint64_t transfer = description_.overhead + (bytes * 1000 + rate - 1) / rate;
    ++counts.messages;
    counts.bytes += bytes;
    counts.busy += transfer;
    counts.waited += now - std::max(there, direction.free_at);
    direction.free_at = now + transfer;
    message.arrival = direction.free_at + description_.latency;
    direction.under_way.push_back(std::move(message));
}

}  // namespace croftsim
