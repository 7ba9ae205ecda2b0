#pragma once
// lock_queue.hpp behind the names of channel and many_to_one, for patterns whose messages go by value. That is a map
// whose sink takes parts, run with croft::baseline::locked and a thread a role. (Nobody can wait for a lock and for
// something else.) A many-to-one queue is one queue that all senders share. A message in it is accompanied by its
// sender's number, which last_sender() tells.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/paper/channel/lock_queue.hpp>

namespace croft {

namespace events {
// There are none: a thread waits at a condition variable.
struct locks {};
}  // namespace events

namespace baseline {

struct locked : policies {
    using events = croft::events::locks;
};

template <class Policies>
concept locks = std::same_as<typename Policies::events, croft::events::locks>;

}  // namespace baseline

template <class Message, class Policies>
    requires baseline::locks<Policies>
class channel<Message, Policies> : public lock_queue<Message> {
public:
    // Where its sides run, and with what they would wait, makes no difference.
    template <class... Waiters>
    explicit channel(std::size_t degree, detail::ends = {}, Waiters*...) : lock_queue<Message>(degree) {}
};

template <class Message, class Policies>
    requires baseline::locks<Policies>
class many_to_one<Message, Policies> {
    struct signed_message {
        std::uint32_t sender;
        Message content;
    };

public:
    class channel_type {
    public:
        channel_type(lock_queue<signed_message>& queue, std::size_t number)
            : queue_(&queue), number_(static_cast<std::uint32_t>(number)) {}
        void send(Message message) { queue_->send({number_, std::move(message)}); }
        void close() { queue_->close(); }

    private:
        lock_queue<signed_message>* queue_;
        std::uint32_t number_;
    };

    // Room for `degree` messages of each sender, all together.
    many_to_one(std::size_t senders, std::size_t degree) : queue_(senders * degree, senders) {
        for (std::size_t i = 0; i < senders; ++i) senders_.emplace_back(queue_, i);
    }
    template <class EndsOf, class... Waiters>
    many_to_one(std::size_t senders, std::size_t degree, const EndsOf&, const Waiters&...)
        : many_to_one(senders, degree) {}

    std::size_t size() const { return senders_.size(); }
    channel_type& sender(std::size_t i) { return senders_[i]; }

    std::optional<Message> receive() {
        std::optional<signed_message> taken = queue_.receive();
        if (!taken) return std::nullopt;
        last_ = taken->sender;
        return std::move(taken->content);
    }
    std::size_t last_sender() const { return last_; }
    bool ended() const { return queue_.ended(); }

private:
    lock_queue<signed_message> queue_;
    std::vector<channel_type> senders_;
    std::uint32_t last_ = 0;
};

}  // namespace croft
