#pragma once
// The link to a host, like the PCIe link of a card (paper 003, IV.C). It moves messages between the host and slots in
// the program's memory. Each direction is a channel of slots. Ready and ack are the system calls of link_calls.cpp on
// this side, and buffers of the host's on the other.
//
// A message starts when it is there, a slot (or a buffer) is free for it, and its direction of the link is free. It
// keeps the direction for overhead + bytes / bandwidth cycles and arrives a latency after that. The directions do not
// hinder each other. A message to the program is in its memory from its arrival on, and not before. A message to the
// host is read when it starts. The end of the stream travels behind the last message, as one of no bytes.
//
// Free slots are used in the order in which they were given back. So if the program is slow with one slot, it does not
// hold up the others.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"
#include "contract/machine_services.hpp"
#include "host/host_side.hpp"

namespace croftsim {

struct LinkStatistics {
    static constexpr bool is_plain = true;
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t busy = 0;    // cycles
    std::uint64_t waited = 0;  // cycles in which the direction was free, and a message there, but no slot or buffer
};

class HostLink {
public:
    static constexpr std::uint64_t never = HostSide::never;
    static constexpr std::uint32_t most_slots = 1024;    // each way
    static constexpr std::int64_t end_of_stream = -1;    // in place of a message
    static constexpr std::uint64_t look_every = 10'000;  // cycles; at a host in real time

    // The result for a thread that waited.
    struct Wake {
        std::uint32_t thread;
        std::int64_t result;
    };

    // The slots lie one after the other at `address`, those for input first.
    HostLink(MachineServices& machine, const HostLinkDescription& description, HostSide& host, std::uint64_t address,
             HostSide::Slots slots);

    // Each does what a system call asks for; none if the thread has to wait for it.
    std::optional<std::int64_t> receive(std::uint32_t thread);  // a slot | bytes << 16, or end_of_stream
    std::optional<std::int64_t> acquire(std::uint32_t thread);  // a slot for output; counted on from the input slots
    std::optional<std::int64_t> close(std::uint32_t thread);    // 0, when everything sent has arrived
    // Nobody is to wait here any longer; the host is not told that the results have ended, because they have not.
    void abandon();
    // False for a slot that the program does not hold.
    bool release(std::uint64_t slot);
    bool send(std::uint64_t slot, std::uint64_t bytes);
    bool is_closed() const { return closing_; }

    std::uint64_t next_event() const { return event_; }
    // When to look at the host next, beside that; `never` if nothing depends on it.
    std::uint64_t next_look() const { return look_; }
    // Everything that is due now; returns who goes on.
    std::vector<Wake> act();
    // In real time, until the host has done something or so long.
    void wait_for_host() { host_.wait(std::chrono::milliseconds(100)); }

    void serialise(Archive& archive) {
        archive(address_, slots_, states_, free_inputs_, free_outputs_, ready_, to_send_, input_, output_, receivers_,
                acquirers_, closers_, end_arrives_, stream_ended_, closing_, host_knows_, event_, look_, statistics_);
    }

    // To the program, and to the host.
    const std::array<LinkStatistics, 2>& statistics() const { return statistics_; }

private:
    enum class Slot : std::uint8_t { free, linked, held };  // held: by the program
    struct Message {
        std::uint64_t arrival;
        std::uint64_t slot;
        std::vector<std::uint8_t> bytes;
        void serialise(Archive& archive) { archive(arrival, slot, bytes); }
    };
    struct Direction {
        std::uint64_t free_at;
        std::deque<Message> under_way{};  // in the order of arrival
        void serialise(Archive& archive) { archive(free_at, under_way); }
    };
    struct Sent {
        static constexpr bool is_plain = true;
        std::uint64_t slot, bytes, since;
    };

    std::uint64_t address_of(std::uint64_t slot) const { return address_ + slot * description_.slot; }
    // `there`: since when the message waits.
    void launch(Direction& direction, LinkStatistics& counts, std::uint64_t there, Message message);
    void arrive(std::uint64_t now);
    std::optional<std::int64_t> next_ready();
    std::optional<std::int64_t> next_free();
    bool all_delivered();
    void start_and_plan();

    MachineServices& machine_;
    const HostLinkDescription description_;
    HostSide& host_;
    std::uint64_t address_;
    HostSide::Slots slots_;
    std::vector<Slot> states_;
    std::deque<std::uint64_t> free_inputs_, free_outputs_;
    std::deque<std::int64_t> ready_;  // a slot | bytes << 16
    std::deque<Sent> to_send_;
    Direction input_, output_;
    std::deque<std::uint32_t> receivers_, acquirers_, closers_;  // threads that wait, the longest first
    std::uint64_t end_arrives_ = never;
    bool stream_ended_ = false, closing_ = false;
    bool host_knows_ = false;  // that it is closed; of an abandoned link there is nothing for it to know
    std::uint64_t event_ = never, look_ = never;
    std::array<LinkStatistics, 2> statistics_;
};
static_assert(is_listed<HostLink, 904>);

}  // namespace croftsim
