#include "machine/contention_probe.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "contract/description.hpp"
#include "contract/post.hpp"
#include "machine/event_queue.hpp"
#include "memory/address_space.hpp"
#include "memory/controller.hpp"

namespace croftsim {
namespace {

class ContentionProbe final : private Post {
public:
    ContentionProbe(std::uint32_t clients, std::uint32_t service, std::uint32_t base_latency, std::uint32_t think,
                    std::uint64_t seed)
        : there_((base_latency - service) / 2),
          back_(base_latency - service - there_),
          think_(think),
          random_(seed),
          sent_at_(clients),
          server_(clients, described(service), any_clock, *this) {
        for (std::uint32_t client = 0; client < clients; ++client)
            ask(client, pool_.make(MessageKind::memory_read, clients, 0), 0);
    }

    ContentionResult run(std::uint64_t requests) {
        const std::uint64_t left_out = requests / 10;
        double responses = 0;
        std::uint64_t begin = 0, busy = 0, now = 0;
        for (std::uint64_t answered = 0; answered < left_out + requests;) {
            // The server comes before the clients at the same time: no matter which comes first, as long as it is
            // always the same.
            if (to_server_.next() <= to_clients_.next()) {
                server_.receive(to_server_.pop());
                continue;
            }
            Message* answer = to_clients_.pop();
            now = answer->time;
            const std::uint32_t client = answer->destination;
            if (answered++ == left_out) {
                begin = now;
                busy = server_.statistics().busy;
            }
            if (answered > left_out) responses += static_cast<double>(now - sent_at_[client]);
            answer->kind = MessageKind::memory_read;
            ask(client, answer, now);
        }
        const auto worked = static_cast<double>(server_.statistics().busy - busy);
        return {responses / static_cast<double>(requests), now > begin ? worked / static_cast<double>(now - begin) : 0,
                requests};
    }

private:
    static MemoryDescription described(std::uint32_t service) {
        MemoryDescription shape;
        shape.latency = shape.occupancy = service;
        return shape;
    }

    static constexpr double any_clock = 1;  // of a server without DRAM

    // The client begins to think at `time`, then sends its request.
    void ask(std::uint32_t client, Message* message, std::uint64_t time) {
        const double uniform = (static_cast<double>(random_.next() >> 11) + 0.5) * 0x1p-53;  // above 0, below 1
        const auto thought = static_cast<std::uint64_t>(std::llround(-std::log(uniform) * think_));
        sent_at_[client] = time + thought;
        message->source = client;
        message->sequence = ++sequence_;
        message->time = sent_at_[client] + there_;
        to_server_.push(message);
    }

    // Post: what the server does
    void send(std::uint32_t source, Message* message, std::uint64_t time) override {
        message->source = source;
        message->sequence = ++sequence_;
        message->time = time + back_;
        to_clients_.push(message);
    }
    MessagePool& pool() override { return pool_; }

    // Post: what it has no use for
    void expect_send(std::uint32_t, std::uint64_t) override {}
    void send_self(std::uint32_t node, Message* message, std::uint64_t time) override { send(node, message, time); }
    AddressSpace& memory() override { return memory_; }
    std::uint32_t home_of(std::uint64_t, std::uint32_t) const override { return 0; }
    std::uint32_t controller_of(std::uint64_t) const override { return 0; }

    std::uint32_t there_, back_, think_;
    SplitMix64 random_;
    std::vector<std::uint64_t> sent_at_;  // each client's request that is under way
    MessagePool pool_;
    AddressSpace memory_;
    EventQueue to_server_, to_clients_;
    std::uint64_t sequence_ = 0;
    MemoryController server_;
};

}  // namespace

ContentionResult contention(std::uint32_t clients, std::uint32_t service, std::uint32_t base_latency,
                            std::uint32_t think, std::uint64_t requests, std::uint64_t seed) {
    if (clients == 0 || requests == 0)
        throw std::invalid_argument("contention takes at least one client and one request");
    if (base_latency < service) throw std::invalid_argument("a base latency includes the service, so it is no shorter");
    return ContentionProbe(clients, service, base_latency, think, seed).run(requests);
}

}  // namespace croftsim
