#pragma once
// A tile's side of the user dynamic network (paper 001, sections III.A and IV.B). Programs send messages of words
// themselves, on a mesh of their own. Four queues take the messages of the tags they are mapped to; all others go to a
// fifth, the catch-all. Receiving waits while a queue is empty.
//
// Sending waits while the destination is full. The network between holds `buffer` words of each sender that have not
// yet found room in a queue; the next word waits in the core. A message for which there is no room also holds up those
// behind it, whatever their queue, because they come through the same port.

#include <array>
#include <cstdint>
#include <deque>

#include "base/archive.hpp"
#include "contract/post.hpp"
#include "core/core.hpp"

namespace croftsim {

class UserPort {
public:
    static constexpr std::uint32_t queues = 5, catch_all = 4;

    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t messages = 0, words = 0;  // sent
        std::uint64_t received = 0;             // words
        std::uint64_t unmapped = 0;             // messages that went to the catch-all
    };

    UserPort(std::uint32_t tile, const MachineDescription& machine, Core& core, Post& post)
        : tile_(tile), machine_(machine), core_(core), post_(post) {
        tags_.fill(no_tag);
    }

    // The work of the instructions, at core.time(). `to` is tag << 16 | the program's number of a core.
    Access send(std::uint64_t to, std::uint64_t word);
    Access open(std::uint64_t to, std::uint64_t words);
    Access push(std::uint64_t word);
    Access receive(std::uint8_t rd, std::uint32_t queue);
    std::uint64_t waiting(std::uint32_t queue) const { return queues_[queue].size(); }
    void map(std::uint64_t tag, std::uint32_t queue);

    // The sources of user-level interrupts that are pending: bit 16 + queue.
    std::uint64_t pending() const {
        std::uint64_t sources = 0;
        for (std::uint32_t queue = 0; queue < queues; ++queue)
            if (!queues_[queue].empty()) sources |= std::uint64_t{1} << (16 + queue);
        return sources;
    }

    bool handles(MessageKind kind) const {
        return kind == MessageKind::user_message || kind == MessageKind::user_credit;
    }
    // A message arrives at message->time. Takes it over.
    void receive(Message* message);
    // Whether that may interrupt the core.
    bool disturbs_core(const Message& message) const {
        return message.kind == MessageKind::user_message && core_.hart.interrupts.enabled &&
               (core_.hart.interrupts.sources >> (16 + queue_of(message.tag)) & 1);
    }
    const Statistics& statistics() const { return statistics_; }
    void serialise(Archive& archive) { archive(tags_, queues_, backlog_, under_way_, awaited_, open_, statistics_); }

private:
    static constexpr std::uint64_t no_tag = ~std::uint64_t{0};
    struct Word {
        static constexpr bool is_plain = true;
        std::uint64_t value;
        std::uint32_t source, epoch;  // for coherence_check.hpp
        std::uint64_t message;        // of its first word: the number, if that is recorded
    };
    struct Open {
        std::uint64_t to = 0, words_left = 0;
        std::vector<std::uint64_t> words;
        void serialise(Archive& archive) { archive(to, words_left, words); }
    };

    std::uint32_t queue_of(std::uint64_t tag) const {
        for (std::uint32_t queue = 0; queue < catch_all; ++queue)
            if (tags_[queue] == tag) return queue;
        return catch_all;
    }
    void check(std::uint64_t to) const;
    bool has_room(std::uint64_t words);
    void inject(std::uint64_t to, std::vector<std::uint64_t> words, Cost with);
    void take_in(std::uint64_t time);

    std::uint32_t tile_;
    const MachineDescription& machine_;
    Core& core_;
    Post& post_;
    std::array<std::uint64_t, catch_all> tags_;
    std::array<std::deque<Word>, queues> queues_;
    std::deque<Message*> backlog_;  // arrived, without room
    std::uint64_t under_way_ = 0;   // words of this sender that have not found room
    std::uint32_t awaited_ = 0;     // the queue for which the core sleeps
    Open open_;
    Statistics statistics_;
};
static_assert(is_listed<UserPort, 632>);

}  // namespace croftsim
