#pragma once
// A memory controller: serves lines one after another, each after a fixed latency. It is the time of DRAM only; the
// bytes move at the home (coherence/home.cpp), which is the only one to ask for them.

#include <cstdint>

#include "contract/archive.hpp"
#include "contract/event_queue.hpp"
#include "contract/post.hpp"
#include "contract/unexpected.hpp"

namespace croftsim {

class MemoryController {
public:
    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t reads = 0, writes = 0, busy = 0, waited = 0;
    };

    MemoryController(std::uint32_t node, const MemoryDescription& shape, Post& post)
        : node_(node), shape_(shape), post_(post) {}

    void receive(Message* message) {
        const std::uint64_t start = message->time > free_ ? message->time : free_;
        statistics_.waited += start - message->time;
        statistics_.busy += shape_.occupancy;
        free_ = start + shape_.occupancy;
        if (message->kind == MessageKind::memory_write) {
            ++statistics_.writes;
            if (!message->awaited) return post_.pool().release(message);
            message->kind = MessageKind::memory_ack;
            message->destination = message->source;
            return post_.send(node_, message, start + shape_.write_latency);
        }
        expect(message->kind == MessageKind::memory_read, *message);
        ++statistics_.reads;
        message->kind = MessageKind::memory_data;
        message->destination = message->source;
        post_.send(node_, message, start + shape_.latency);
    }
    const Statistics& statistics() const { return statistics_; }
    void serialise(Archive& archive) { archive(free_, statistics_); }

private:
    std::uint32_t node_;
    MemoryDescription shape_;
    Post& post_;
    std::uint64_t free_ = 0;
    Statistics statistics_;
};
static_assert(is_listed<MemoryController, 104>);

}  // namespace croftsim
