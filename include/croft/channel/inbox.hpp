#pragma once
// Many to one, where the senders come and go. A sender joins at any time and from any thread. It gets a channel of its
// own into the inbox (channel.hpp, with all its calls), until it lets go of it.
//
//     croft::inbox<order> orders(64);                                          // slots for each sender
//     std::jthread client([&] { auto sender = orders.join(); sender->send(order{1}); });
//     while (auto next = orders.receive()) handle(*next);                      // until closed, and all have gone
//
// The receiver has the calls of many_to_one.hpp, and its choice is as fair; a sender that has joined is looked at once
// a round. The end: after close() nobody joins any more, and the stream ends when all who have joined have gone and
// their messages were received. After leave(), join() throws `disconnected` as well as the calls of a sender without
// room.
//
// A channel is used again for the next who joins, so there are never more than there were senders at a time. All
// senders have to have gone before the inbox is destroyed.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/fair_choice.hpp>
#include <croft/channel/one_caller.hpp>
#include <croft/channel/taken.hpp>
#include <croft/port/misuse.hpp>

namespace croft {

template <class Message, class Policies = policies>
class inbox : public detail::timed_receiving<inbox<Message, Policies>, Message> {
    using wait_policy = typename Policies::wait;
    template <class T>
    using atomic = typename Policies::template atomic<T>;

public:
    using channel_type = channel<Message, Policies>;

private:
    struct member : channel_type {
        member(std::size_t degree, wait_policy* receiver) : channel_type(degree, detail::ends{}, nullptr, receiver) {}

        atomic<member*> next{nullptr};  // in a list
        atomic<std::uint32_t> done{0};  // who has done with it: see release()
    };

public:
    // A sender's place. One thread at a time uses it. Letting go of it waits for a slot to say so in, as close() does.
    class sender {
    public:
        sender(sender&& from) noexcept : inbox_(from.inbox_), member_(std::exchange(from.member_, nullptr)) {}
        sender& operator=(sender&& from) noexcept {
            std::swap(inbox_, from.inbox_);
            std::swap(member_, from.member_);
            return *this;
        }
        ~sender() { close(); }
        // Goes, before this is destroyed.
        void close() {
            if (!member_) return;
            member_->close();
            inbox_->release(std::exchange(member_, nullptr), by_sender);
        }
        channel_type& operator*() const { return *operator->(); }
        channel_type* operator->() const {
            port::check_use(member_ != nullptr, "croft::inbox: a sender is used that has gone");
            return member_;
        }

    private:
        friend class inbox;
        sender(inbox* in, member* as) : inbox_(in), member_(as) {}

        inbox* inbox_;
        member* member_;
    };

    // `degree` slots for each sender. Throws std::invalid_argument for none.
    explicit inbox(std::size_t degree) : degree_(degree), choice_() {
        if (degree == 0) throw std::invalid_argument("croft::inbox: a sender needs at least one slot");
    }
    ~inbox() {
        receiver_.destroy(detail::of_receiver);
        for (std::size_t i = 0; i < choice_.open_count; ++i) {
            auto* const one = static_cast<member*>(choice_.open[i].channel);
            push(arrived_, one, one);
        }
        for (member* one = arrived_.load(std::memory_order_relaxed); one;) {
            if constexpr (detail::caller_check<Policies>::asserts)
                port::check_use([&] { return (one->done.load(std::memory_order_relaxed) & by_sender) != 0; },
                                "croft::inbox: destroyed before all senders have gone");
            delete std::exchange(one, one->next.load(std::memory_order_relaxed));
        }
        for (member* one = spare_.load(std::memory_order_relaxed); one;)
            delete std::exchange(one, one->next.load(std::memory_order_relaxed));
    }
    inbox(const inbox&) = delete;
    inbox& operator=(const inbox&) = delete;

    // ---- for everybody ----

    // Throws `disconnected` if the inbox is closed, or its receiver has left; std::bad_alloc.
    sender join() {
        // Counted first. So a receiver that sees nobody counted behind the mark that it is closed has seen all who were
        // to come. Relaxed: those who come later find the mark in the same word.
        if (state_.fetch_add(one_sender, std::memory_order_relaxed) & (closed | left)) refuse();
        member* joined = take_spare();
        try {
            if (!joined) joined = new member(degree_, &waiter_);
        } catch (...) {
            uncount();
            throw;
        }
        // Acquire and release: either leave() finds it in the list, or this finds what leave() has stored before it
        // took the list. No ring: there is nothing to be received yet, and the ring for the first message comes after
        // this.
        push(arrived_, joined, joined);
        if (state_.load(std::memory_order_relaxed) & left) {
            joined->done.store(by_sender, std::memory_order_relaxed);  // nobody else does anything with it any more
            throw disconnected("croft::inbox: its receiver has left");
        }
        return sender(this, joined);
    }

    // Nobody joins from now on.
    void close() {
        state_.fetch_or(closed, std::memory_order_release);
        waiter_.notify();
    }

    wait_policy& waiter() { return waiter_; }

    // ---- the receiver's side ----

    // Waits for a message; null when the inbox is closed and everybody has gone.
    Message* receive_in_place() {
        const auto call = begin_receive();
        return next_message();
    }
    // The same without waiting: null also if there is no message now.
    Message* try_receive_in_place() {
        const auto call = begin_receive();
        return message_now();
    }
    // The message received last may be overwritten.
    void set_ack() {
        const auto call = begin_receive();
        read();
    }
    std::optional<Message> receive() {
        const auto call = begin_receive();
        return take(next_message());
    }
    std::optional<Message> try_receive() {
        const auto call = begin_receive();
        return take(message_now());
    }

    // How many senders the receiver knows of: they have joined, and it has not come to their end.
    std::size_t senders() const { return choice_.open_count; }
    // Whether the inbox is closed and everybody has gone. Acquire: all that those did before is then visible.
    bool ended() const { return state_.load(std::memory_order_acquire) == closed; }

    // Whether receive_in_place() would not wait, or for no reason; for who waits elsewhere as well (wait_any.hpp).
    template <class Load>
    bool may_receive(Load load) {
        return choice_.holds || choice_.find(load) || load(arrived_, detail::plain_lines()) != nullptr ||
               load(state_, detail::plain_lines()) == closed;
    }

    void flush_acks() {
        for (std::size_t i = 0; i < choice_.open_count; ++i) choice_.open[i].channel->flush_acks();
    }

    // The receiver's last call: it receives no more.
    void leave() {
        auto call = begin_receive();
        state_.fetch_or(closed | left, std::memory_order_release);
        const arrivals all = take_list();
        for (member* one = all.first; one; one = one->next.load(std::memory_order_relaxed)) one->leave();
        if (all.first) push(arrived_, all.first, all.last);
        for (std::size_t i = 0; i < choice_.open_count; ++i) choice_.open[i].channel->leave();
        call.finish();
    }

private:
    friend class detail::timed_receiving<inbox, Message>;
    using choice = detail::fair_choice<channel_type>;

    static_assert(Policies::receivers_leave, "an inbox needs policies by which a receiver may leave: policies.hpp");

    // state_ holds two marks, and how many have joined whose end was not seen.
    static constexpr std::uint32_t closed = 1, left = 2, one_sender = 4;
    // The bits of a member's `done`.
    static constexpr std::uint32_t by_sender = 1, by_receiver = 2;

    auto begin_receive() { return receiver_.begin(detail::of_receiver); }
    Message* next_message() {
        for (;;) {
            if (Message* const message = look()) return message;
            if (ended()) return nullptr;
            flush_acks();
            waiter_.wait([this](auto load) { return this->may_receive(load); });
        }
    }
    Message* message_now() {
        Message* const message = look();
        if (!message) flush_acks();
        return message;
    }
    void read() {
        port::check_use(choice_.holds, "croft::inbox: set_ack() without a message");
        choice_.set_ack();
    }
    Message* look() {
        if (choice_.holds) return choice_.holds;
        for (;;) {
            // Between two rounds. So senders that always have something do not keep a sender waiting that has joined.
            if (choice_.next == 0) adopt();
            if (choice_.open_count == 0 || (!choice_.next_is_ready() && !choice_.find(detail::relaxed_load{}))) {
                if (!adopt()) return nullptr;
            } else if (choice_.next_is_ready()) {
                Message* const message = choice_.take_next([this](const auto& one) { part_with(*one.channel); });
                if (message) return message;
            }
        }
    }
    template <class End>
    Message* await_message(const End& end) {
        const auto call = begin_receive();
        for (;;) {
            if (Message* const message = message_now()) return message;
            if (ended()) return nullptr;
            if (!waits::wait_until(waiter_, [this](auto load) { return this->may_receive(load); }, end))
                return message_now();
        }
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        return detail::taken(*slot, [this] { read(); });
    }

    // Takes in those who have joined; whether there was one. Acquire: they are complete; release: see join().
    bool adopt() { return arrived_.load(std::memory_order_relaxed) && take_arrived(); }
    bool take_arrived() {
        open_.resize(choice_.open_count);  // those who have gone are out
        const arrivals all = take_list();
        try {
            make_room(open_, all.count);
            choice_.open = open_.data();
            if constexpr (choice::keeps_flags) {
                flags_.resize(choice_.open_count);
                make_room(flags_, all.count);
                choice_.flags = flags_.data();
            }
        } catch (...) {
            if (all.first) push(arrived_, all.first, all.last);  // nobody is lost for want of memory
            throw;
        }
        for (member* one = all.first; one; one = one->next.load(std::memory_order_relaxed)) open_.push_back({one, 0});
        std::reverse(open_.begin() + static_cast<std::ptrdiff_t>(choice_.open_count), open_.end());
        if constexpr (choice::keeps_flags)
            for (std::size_t i = choice_.open_count; i < open_.size(); ++i) flags_.push_back(choice::flag_of(open_[i]));
        choice_.open_count = open_.size();
        return all.count > 0;
    }
    struct arrivals {
        member *first, *last;
        std::size_t count;
    };
    // The exchange comes before or after each push() of join(), and leave() needs it even if it finds nobody.
    arrivals take_list() {
        arrivals all{arrived_.exchange(nullptr, std::memory_order_acq_rel), nullptr, 0};
        for (member* one = all.first; one; one = one->next.load(std::memory_order_relaxed)) {
            all.last = one;
            ++all.count;
        }
        return all;
    }
    // Twice as much at least, like push_back().
    template <class T>
    static void make_room(std::vector<T>& in, std::size_t more) {
        if (in.capacity() - in.size() < more) in.reserve(std::max(in.size() + more, 2 * in.capacity()));
    }
    // The end of its stream was seen.
    void part_with(channel_type& of) {
        of.reopen();
        state_.fetch_sub(one_sender, std::memory_order_relaxed);  // the receiver's own look at it follows
        release(static_cast<member*>(&of), by_receiver);
    }
    // The channel may be used again when both its sender and its receiver have done with it. A sender still has things
    // to do when its end can be seen. Acquire and release: all that both did comes before the next owner's actions.
    void release(member* one, std::uint32_t who) {
        if (one->done.fetch_or(who, std::memory_order_acq_rel) == 0) return;
        one->done.store(0, std::memory_order_relaxed);  // push() releases it
        push(spare_, one, one);
    }
    // This takes all and puts the others back. So no list is ever taken apart while another thread knows its first
    // (ABA). A thread that comes meanwhile finds none, and makes one.
    member* take_spare() {
        if (!spare_.load(std::memory_order_relaxed)) return nullptr;
        member* const first = spare_.exchange(nullptr, std::memory_order_acquire);
        if (!first) return nullptr;
        if (member* const others = first->next.load(std::memory_order_relaxed)) {
            member* last = others;
            while (member* const next = last->next.load(std::memory_order_relaxed)) last = next;
            push(spare_, others, last);
        }
        return first;
    }
    static void push(atomic<member*>& list, member* first, member* last) {
        member* head = list.load(std::memory_order_relaxed);
        do last->next.store(head, std::memory_order_relaxed);
        while (!list.compare_exchange_weak(head, first, std::memory_order_acq_rel, std::memory_order_relaxed));
    }
    [[noreturn]] void refuse() {
        uncount();
        throw disconnected("croft::inbox: nobody can join any more: it is closed, or its receiver has left");
    }
    void uncount() {
        state_.fetch_sub(one_sender, std::memory_order_release);
        waiter_.notify();  // it may have looked meanwhile
    }

    [[no_unique_address]] detail::caller_check<Policies> receiver_;
    wait_policy waiter_;
    std::size_t degree_;
    alignas(port::cache_line) atomic<std::uint32_t> state_{0};
    atomic<member*> arrived_{nullptr};
    atomic<member*> spare_{nullptr};
    // The receiver's own.
    alignas(port::cache_line) choice choice_;
    std::vector<typename choice::entry> open_;
    std::vector<typename choice::pending> flags_;
};

}  // namespace croft
