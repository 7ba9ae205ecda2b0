#pragma once
// A core's unit for user-level interrupts between cores (paper 002, sections IV.A and V.A). It has one-word requests
// and responses, one buffer for each, on a mesh of their own. The unit answers a request with a NACK at once if
// interrupts are disabled, if its buffer is taken, or if no program runs there. Any other request calls the receiver's
// handler, which answers it with an ACK of one word. A core has one request of its own under way at a time.

#include <cstdint>
#include <optional>

#include "base/archive.hpp"
#include "contract/post.hpp"
#include "core/core.hpp"

namespace croftsim {

class UliPort {
public:
    static constexpr std::uint32_t source = 24;  // of interrupts: its bit in uie, its number in ucause
    static constexpr std::uint64_t nack = ~std::uint64_t{0};

    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t requests = 0, nacks = 0;  // sent; refused among them
        std::uint64_t handled = 0;              // received and answered by the handler
        std::uint64_t latency = 0;              // cycles from each request to its response's arrival, together
    };

    UliPort(std::uint32_t tile, const MachineDescription& machine, Core& core, Post& post)
        : tile_(tile), machine_(machine), core_(core), post_(post) {}

    // The work of the instructions, at core.time(). `to` is the program's number of a core.
    Access request(std::uint64_t to, std::uint64_t word);
    Access response(std::uint8_t rd);
    Access respond(std::uint64_t to, std::uint64_t word);
    // The request that is to be handled: requester << 32 | low half of its word.
    std::uint64_t request_value() const {
        if (!request_) return 0;
        const auto requester = static_cast<std::uint32_t>(*request_ >> 32);
        return std::uint64_t{machine_.order.number_of(requester)} << 32 | (*request_ & 0xffffffffu);
    }

    std::uint64_t pending() const { return request_ && !taken_ ? std::uint64_t{1} << source : 0; }
    // The handler begins.
    void take() { taken_ = true; }
    // It has begun, and whoever records the run is told whose request it is about.
    void tell_taken();

    static bool handles(MessageKind kind) {
        return kind == MessageKind::uli_request || kind == MessageKind::uli_response;
    }
    void receive(Message* message);
    // The core leaves its program, for the kernel or for good: whoever waits for its handler is told.
    void leave(std::uint64_t time);
    // Of a core that is ahead: whether it listens by now need not be what it did when the request arrived.
    bool disturbs_core(const Message& message) const { return message.kind == MessageKind::uli_request; }
    const Statistics& statistics() const { return statistics_; }
    void serialise(Archive& archive) {
        archive(request_, taken_, awaits_, response_, response_from_, response_epoch_, asked_, statistics_);
    }

private:
    bool listens() const {
        const Hart::Interrupts& interrupts = core_.hart.interrupts;
        const bool runs = core_.state != CoreState::idle && core_.state != CoreState::in_kernel;
        return runs && !request_ && interrupts.enabled && (interrupts.sources >> source & 1);
    }
    void check(std::uint64_t to) const;
    void send(MessageKind kind, std::uint32_t to, std::uint64_t word, std::uint64_t time, std::uint32_t number);
    void tell(Flow what, std::uint64_t time, std::uint32_t requester, std::uint32_t number);

    std::uint32_t tile_;
    const MachineDescription& machine_;
    Core& core_;
    Post& post_;
    std::optional<std::uint64_t> request_;  // received, not yet answered
    bool taken_ = false;                    // its handler has begun
    bool awaits_ = false;                   // a response to the own request
    std::optional<std::uint64_t> response_;
    std::uint32_t response_from_ = 0, response_epoch_ = 0;
    std::uint64_t asked_ = 0;  // when
    // The numbers of requests, by each core's count. Not saved: a run that is recorded has no checkpoint.
    std::uint32_t request_number_ = 0, response_number_ = 0;
    Statistics statistics_;
};
static_assert(is_listed<UliPort, 128>);

}  // namespace croftsim
