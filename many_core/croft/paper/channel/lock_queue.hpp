#pragma once
// The bounded buffer of textbooks: a ring of K messages behind one lock, with two conditions, "there is room" and
// "there is a message". (Hoare, "Monitors: an operating system structuring concept", CACM 17(10), 1974.)
//
// A baseline, with the calls by value of croft::channel. Any number of senders may share it, so this one queue is also
// its many-to-one form. It ends when each of `senders` has closed it, and sender(i) is the queue itself, whoever asks.
// There is one receiver, as with its siblings, none of which takes a lock (null_slot_queue.hpp, unbounded_queue.hpp,
// lamport_queue.hpp). No message is handled in place: the lock would have to be held meanwhile.
//
// Waiting is the conditions' own, so this is no policy of the channel. Lock and Condition are std::mutex and
// std::condition_variable, or what looks like them.

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace croft {

template <class Message, class Lock = std::mutex, class Condition = std::condition_variable>
class lock_queue {
public:
    using message_type = Message;
    using channel_type = lock_queue;

    // Throws std::invalid_argument for a degree or a number of senders of 0.
    explicit lock_queue(std::size_t degree, std::size_t senders = 1)
        : messages_(degree), senders_(senders), open_(senders) {
        if (degree == 0) throw std::invalid_argument("croft::lock_queue: a queue needs room for at least one message");
        if (senders == 0) throw std::invalid_argument("croft::lock_queue: there has to be at least one sender");
    }
    lock_queue(const lock_queue&) = delete;
    lock_queue& operator=(const lock_queue&) = delete;

    std::size_t size() const { return senders_; }
    lock_queue& sender(std::size_t) { return *this; }

    // Waits for room.
    void send(Message message) {
        std::unique_lock lock(lock_);
        room_.wait(lock, [this] { return count_ < messages_.size(); });
        put(std::move(message));
    }
    // False, and the message untouched, if there is no room.
    bool try_send(Message&& message) {
        const std::unique_lock lock(lock_);
        if (count_ == messages_.size()) return false;
        put(std::move(message));
        return true;
    }
    bool try_send(const Message& message) {
        const std::unique_lock lock(lock_);
        if (count_ == messages_.size()) return false;
        put(message);
        return true;
    }
    // No message will follow from this sender.
    void close() {
        const std::unique_lock lock(lock_);
        if (open_ > 0) --open_;
        message_or_end_.notify_one();
    }

    // Waits for a message; nothing at the end of the stream.
    std::optional<Message> receive() {
        std::unique_lock lock(lock_);
        message_or_end_.wait(lock, [this] { return count_ > 0 || open_ == 0; });
        return take();
    }
    // Nothing also if there is no message now. ended() tells which.
    std::optional<Message> try_receive() {
        const std::unique_lock lock(lock_);
        return take();
    }
    // Whether the receiver has come to the end of the stream.
    bool ended() const {
        const std::unique_lock lock(lock_);
        return count_ == 0 && open_ == 0;
    }

private:
    // Notifying under the lock: otherwise the queue could be destroyed, by a receiver that has seen the message, before
    // the call is made.
    template <class Value>
    void put(Value&& message) {
        messages_[(first_ + count_) % messages_.size()] = std::forward<Value>(message);
        ++count_;
        message_or_end_.notify_one();
    }
    std::optional<Message> take() {
        if (count_ == 0) return std::nullopt;
        std::optional<Message> message(std::move(messages_[first_]));
        first_ = (first_ + 1) % messages_.size();
        --count_;
        room_.notify_one();
        return message;
    }

    mutable Lock lock_;
    Condition room_, message_or_end_;
    std::vector<Message> messages_;  // a ring
    std::size_t first_ = 0, count_ = 0;
    std::size_t senders_, open_;
};

}  // namespace croft
