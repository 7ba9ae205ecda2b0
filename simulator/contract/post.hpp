#pragma once
// How the parts of a node reach other nodes, and where lines live.

#include <cstdint>
#include <functional>

#include "contract/message.hpp"

namespace croftsim {

class AddressSpace;

class Post {
public:
    virtual ~Post() = default;
    // Hands a message to the network at `time`, which is not before what the node has done so far. Never to oneself.
    virtual void send(std::uint32_t source, Message* message, std::uint64_t time) = 0;
    // Says that the node will send something at `time` at the earliest, so that nobody relies on its silence.
    virtual void expect_send(std::uint32_t source, std::uint64_t time) = 0;
    // Delivers to oneself.
    virtual void send_self(std::uint32_t node, Message* message, std::uint64_t time) = 0;
    virtual MessagePool& pool() = 0;
    virtual AddressSpace& memory() = 0;
    static constexpr std::uint32_t no_home = ~std::uint32_t{0};
    // The home that the node has to ask; in an incoherent page that is the tile itself. no_home: the node asks memory.
    virtual std::uint32_t home_of(std::uint64_t line, std::uint32_t node) const = 0;
    virtual std::uint32_t controller_of(std::uint64_t line) const = 0;  // its node
};

// A memory system (coherence/memory_system.hpp) may do this beside while the machine stands still.
class Standstill : public Post {
public:
    virtual std::uint64_t stands_at() const = 0;
    // Messages that the network has not taken yet, and those on their way to a node.
    virtual void for_each_unrouted(const std::function<void(Message&)>& visit) = 0;
    virtual void for_each_arriving(std::uint32_t node, const std::function<void(Message&)>& visit) = 0;
    virtual void refresh(std::uint32_t node) = 0;  // it may act earlier than it was going to
    // Every message of the memory system that is under way arrives now, and so does whatever comes of it, until there
    // is none. From one node to another they arrive as they were sent, so a quicker network might have done the same.
    virtual void settle() = 0;
};

// Whether a message about a line inside is on its way to one of the first `nodes`. DRAM has its bytes at once, so
// messages from and to it count by who waits for them.
template <class Inside>
bool is_on_its_way(Standstill& post, std::uint32_t nodes, Inside inside) {
    bool found = false;
    const std::function<void(Message&)> look = [&](Message& message) {
        found |= message.kind < MessageKind::memory_read && inside(message.line);
    };
    post.for_each_unrouted(look);
    for (std::uint32_t node = 0; node < nodes; ++node) post.for_each_arriving(node, look);
    return found;
}

}  // namespace croftsim
