#pragma once
// The one-to-many channel: one sender, N symmetric channels out of it, each message to one receiver. It mirrors
// many_to_one.hpp: the sender chooses a channel with a free slot, as the receiver there chooses one with a message,
// with the same fairness. Nothing is broadcast.
//
// acquire() takes any receiver with room (on demand); acquire(i) takes receiver i and waits for it (round-robin, or any
// other plan). Receivers use receiver(i) like any channel. Nothing goes on demand to one that has left; when all have,
// the sender gets `disconnected`.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/one_caller.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/misuse.hpp>

namespace croft {

template <class Message, class Policies = policies>
class one_to_many : public detail::timed_sending<one_to_many<Message, Policies>, Message> {
    using wait_policy = typename Policies::wait;

public:
    using message_type = Message;
    using channel_type = channel<Message, Policies>;

    // `degree` slots for each receiver; `ends_of(i)`: its ends, or its home.
    one_to_many(std::size_t receivers, std::size_t degree)
        : one_to_many(receivers, degree, [](std::size_t) { return detail::ends{}; }) {}
    template <class EndsOf>
    one_to_many(std::size_t receivers, std::size_t degree, EndsOf ends_of)
        : side_(1, home_of(checked(receivers, ends_of)).of_sender()) {
        side_[0] = {receivers - 1, false};
        for (std::size_t i = 0; i < receivers; ++i)
            channels_.push_back(std::make_unique<channel_type>(degree, ends_of(i), &waiter_, nullptr));
    }

    ~one_to_many() { sender_.destroy(detail::of_sender); }

    std::size_t size() const { return channels_.size(); }
    channel_type& receiver(std::size_t i) {
        check_number(i);
        return *channels_[i];
    }
    wait_policy& waiter() { return waiter_; }

    // Waits for a free slot of any receiver; until publish(), the same one again.
    Message& acquire() {
        const auto call = begin_send();
        return next_slot();
    }
    // The same without waiting: null if no receiver has room.
    Message* try_acquire() {
        const auto call = begin_send();
        return has_room() ? &free_slot() : nullptr;
    }
    // Waits for a free slot of receiver i.
    Message& acquire(std::size_t i) {
        const auto call = begin_send();
        check_number(i);
        Message& slot = channels_[i]->acquire();
        side_[0] = {i, true};
        return slot;
    }
    void publish() {
        const auto call = begin_send();
        written();
    }
    void send(Message message) {
        const auto call = begin_send();
        write(std::move(message));
    }
    // False, and the message untouched, if no receiver has room.
    bool try_send(Message&& message) {
        const auto call = begin_send();
        if (!has_room()) return false;
        write(std::move(message));
        return true;
    }
    bool try_send(const Message& message) {
        const auto call = begin_send();
        if (!has_room()) return false;
        write(Message(message));
        return true;
    }
    // Whether there is a receiver with room, and whether all have left; looked at by `load` (wait.hpp).
    template <class Load>
    bool may_send(Load load) {
        if (side_[0].holds) return true;
        for (auto& channel : channels_)
            if (!channel->has_left(load) && channel->may_send(load)) return true;
        return false;
    }
    template <class Load>
    bool has_left(Load load) const {
        for (const auto& channel : channels_)
            if (!channel->has_left(load)) return false;
        return true;
    }
    // Whether close() would not wait: there is room at every receiver that has not left.
    template <class Load>
    bool may_close(Load load) {
        for (auto& channel : channels_)
            if (!channel->may_close(load)) return false;
        return true;
    }
    // The receiver that the slot acquired last belongs to.
    std::size_t last_receiver() const { return side_[0].last; }

    void close() {
        auto call = begin_send();
        for (auto& channel : channels_) channel->close();
        call.finish();
    }

private:
    friend class detail::timed_sending<one_to_many, Message>;

    struct sender_side {
        std::size_t last;  // the receiver whose slot was acquired last
        bool holds;        // it was not published yet
    };
    using home = typename Policies::home;
    using sender_lines = decltype(std::declval<const home&>().of_sender());

    static home home_of(detail::ends cores) { return home::between(cores); }
    static home home_of(home where) { return where; }
    template <class EndsOf>
    static auto checked(std::size_t receivers, EndsOf& ends_of) {
        if (receivers == 0) throw std::invalid_argument("croft::one_to_many: there has to be at least one receiver");
        return ends_of(std::size_t{0});
    }

    [[gnu::always_inline]] auto begin_send() { return sender_.begin(detail::of_sender); }
    void check_number(std::size_t i) const {
        port::check_use(i < channels_.size(), "croft::one_to_many: a receiver of a number that none has");
    }
    Message& next_slot() {
        while (!has_room()) waiter_.wait([this](auto load) { return this->has_news(load); });
        return free_slot();
    }
    void written() {
        port::check_use(side_[0].holds, "croft::one_to_many: publish() without an acquire()");
        side_[0].holds = false;
        channels_[side_[0].last]->publish();
    }
    void write(Message message) {
        next_slot() = std::move(message);
        written();
    }

    // Makes the next receiver with room, in fair order, the last one.
    bool find_free() {
        std::size_t i = side_[0].last;
        for (std::size_t seen = 0; seen < channels_.size(); ++seen) {
            if (++i == channels_.size()) i = 0;
            if (channels_[i]->may_send(detail::relaxed_load{}) && !channels_[i]->disconnected()) {
                side_[0].last = i;
                return true;
            }
        }
        return false;
    }
    bool has_room() {
        if (side_[0].holds || find_free()) return true;
        if (has_left(detail::acquire_load{})) [[unlikely]]
            throw disconnected("croft::one_to_many: all receivers have left");
        return false;
    }
    Message& free_slot() {
        side_[0].holds = true;
        return channels_[side_[0].last]->acquire();
    }
    template <class End>
    bool await_room(const End& end) {
        const auto call = begin_send();
        while (!has_room())
            if (!waits::wait_until(waiter_, [this](auto load) { return this->has_news(load); }, end)) return has_room();
        return true;
    }
    template <class Load>
    bool has_news(Load load) {
        return may_send(load) || has_left(load);
    }

    [[no_unique_address]] detail::caller_check<Policies> sender_;
    wait_policy waiter_;
    std::vector<std::unique_ptr<channel_type>> channels_;
    detail::line_array<sender_side, sender_lines> side_;  // in its own line: see channel.hpp
};

}  // namespace croft
