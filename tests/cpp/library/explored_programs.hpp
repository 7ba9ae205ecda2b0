#pragma once
// The programs that the explorer runs, for any channel, and how a test asks about them.

#include <croft/channel/channel.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/request_reply.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "explored.hpp"

namespace explorer {

template <class World>
using bell = croft::waits::doorbell<atomic, World>;

// A channel's slots, which at each look that counts tell the explorer what the looking side knows.
template <class Events>
struct known {
    template <class Message, class Policies>
    struct storage : Events::template storage<Message, Policies> {
        using base = typename Events::template storage<Message, Policies>;
        using base::base;

        template <class Load>
        bool has_ack(typename base::sender_state& at, Load load) const {
            if constexpr (std::is_same_v<Load, croft::detail::acquire_load>) tell(at);
            return base::has_ack(at, load);
        }
        template <class Load>
        bool has_ready(const typename base::receiver_state& at, Load load) const {
            if constexpr (std::is_same_v<Load, croft::detail::acquire_load>) tell(at);
            return base::has_ready(at, load);
        }

    private:
        template <class State>
        void tell(const State& at) const {
            machine& explored = *machine::current();
            if constexpr (requires { at.takes; }) {  // of a list of rings
                explored.knows(std::array<std::uint64_t, 3>{at.index, at.takes, this->filled_->next.where()});
            } else if constexpr (requires { at.gives; }) {
                explored.knows(std::array<std::uint64_t, 3>{at.index, at.gives, this->emptied_->next.where()});
            } else if constexpr (requires { at.slot; }) {  // of packed slots; pointers differ from run to run
                const auto from_first = [&at](const auto* slot) {
                    return static_cast<std::uint64_t>(reinterpret_cast<const char*>(slot) -
                                                      reinterpret_cast<const char*>(at.first));
                };
                if constexpr (requires { at.sent; })
                    explored.knows(std::array<std::uint64_t, 6>{from_first(at.at), from_first(at.slot),
                                                                from_first(at.stop), at.before, at.sent, at.seen_done});
                else
                    explored.knows(std::array<std::uint64_t, 12>{
                        from_first(at.at), from_first(at.slot), from_first(at.stop), at.before, at.done, at.told,
                        from_first(at.filled), at.patience, at.in_vain, at.full_lines, at.ahead, at.known_full});
            } else if constexpr (requires { at.first; }) {  // of slots with flags
                explored.knows(std::array{static_cast<std::uint32_t>(at.at - at.first), at.turn});
            } else if constexpr (requires { at.message; }) {  // a pointer under way; between two messages it is none
                explored.knows(std::array{at.index});
            } else {
                static_assert(std::has_unique_object_representations_v<State> && sizeof(State) % 4 == 0);
                explored.knows(std::bit_cast<std::array<std::uint32_t, sizeof(State) / 4>>(at));
            }
        }
    };
};

// Packed slots whose receiver looks further ahead than a ring so short is worth.
struct far_ahead {
    template <class Message, class Policies>
    struct storage : croft::events::packed::storage<Message, Policies> {
        storage(std::size_t degree, typename Policies::home where, croft::detail::ends cores)
            : croft::events::packed::storage<Message, Policies>(degree, where, cores) {
            this->most_ahead_ = 4;
        }
    };
};

template <class Events, class Wait = bell<asymmetric>>
struct modelled : croft::policies {
    using events = Events;
    using wait = Wait;
    template <class T>
    using atomic = explorer::atomic<T>;
};

// Number `i` of a stream is sent, and read where it lies. Messages are data themselves, or pointers to data.
struct by_value {
    using message = data;
    template <class Channel>
    void send(Channel& channel, std::uint32_t i) {
        channel.acquire().set(100 + i);
        channel.publish();
    }
    static std::uint32_t read(data& message) { return message.get(); }
};
// A message as large as a line.
struct wide : by_value {
    struct message : data {
        char filler[croft::port::cache_line];
    };
};
struct by_pointer {
    using message = data*;
    std::array<data, 4> pointees;
    template <class Channel>
    void send(Channel& channel, std::uint32_t i) {
        pointees[i].set(100 + i);
        channel.send(&pointees[i]);
    }
    static std::uint32_t read(data* message) { return message->get(); }
};

// One sender, `Messages` messages and the end, one receiver.
//
// At each look that counts, the sides know how many messages they have handled, and what the channel keeps for them.
// `known` tells the explorer both.
template <class Policies, std::size_t Degree, std::uint32_t Messages, class Kind = by_value>
struct stream {
    croft::channel<typename Kind::message, Policies> channel{Degree};
    Kind kind;
    std::uint32_t received = 0;

    static void handled(std::uint32_t number) { machine::current()->handled(number); }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < Messages; ++i) {
                        handled(i);
                        kind.send(channel, i);
                    }
                    handled(Messages);
                    channel.close();
                },
                [this] {
                    for (;;) {
                        handled(received);
                        const auto message = channel.receive_in_place();
                        if (!message) return;
                        if (Kind::read(*message) != 100 + received)
                            machine::current()->fail("a message is not what was sent");
                        if (++received > Messages) return machine::current()->fail("more messages than were sent");
                        channel.set_ack();
                    }
                }};
    }
    std::string check() const { return received == Messages ? "" : "messages were lost"; }
};

// The same by ranges. One call sends all messages. The receiver takes what has come, reads all of it, and acknowledges
// now all, now all but one.
template <class Policies, std::size_t Degree, std::uint32_t Messages>
struct ranges {
    // Only what lies in a slot is shared, and data; elsewhere it is a number.
    class message {
    public:
        message() : in_slot_(std::make_unique<data>()) {}
        explicit message(std::uint32_t number) : number_(number) {}
        message(message&&) = default;
        message& operator=(message&& from) {
            in_slot_->set(from.number_);
            return *this;
        }
        std::uint32_t get() const { return in_slot_->get(); }

    private:
        std::unique_ptr<data> in_slot_;
        std::uint32_t number_ = 0;
    };
    croft::channel<message, Policies> channel{Degree};
    std::uint32_t received = 0;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    machine::current()->handled(0);
                    const auto all = std::views::iota(100u, 100u + Messages);
                    channel.send(all.begin(), all.end());
                    machine::current()->handled(Messages);
                    channel.close();
                },
                [this] {
                    for (;;) {
                        machine::current()->handled(received);
                        const auto some = channel.receive_some_in_place();
                        if (some.empty()) return;
                        for (std::uint32_t i = 0; i < some.size(); ++i)
                            if (some[i].get() != 100 + received + i)
                                machine::current()->fail("a message is not what was sent");
                        const std::size_t taken = some.size() - (some.size() > 1 && received % 2 == 0);
                        received += static_cast<std::uint32_t>(taken);
                        if (received > Messages) return machine::current()->fail("more messages than were sent");
                        channel.set_ack(taken);
                    }
                }};
    }
    std::string check() const { return received == Messages ? "" : "messages were lost"; }
};

// One sender, `Messages` messages and the end, one receiver. Both wait for a bounded time first, and lose their
// patience at any moment of it, or never.
template <class Policies, std::size_t Degree, std::uint32_t Messages>
struct impatient_stream {
    croft::channel<data, Policies> channel{Degree};
    std::uint32_t received = 0;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < Messages; ++i) {
                        machine::current()->handled(3 * i);
                        data* slot = channel.acquire_until(croft::detail::deadline());
                        machine::current()->handled(3 * i + 2);
                        if (!slot) slot = &channel.acquire();
                        slot->set(100 + i);
                        channel.publish();
                    }
                    machine::current()->handled(3 * Messages);
                    channel.close();
                },
                [this] {
                    for (;;) {
                        machine::current()->handled(3 * received);
                        data* message = channel.receive_in_place_until(croft::detail::deadline());
                        machine::current()->handled(3 * received + 2);
                        if (!message) message = channel.receive_in_place();
                        if (!message) return;
                        if (message->get() != 100 + received)
                            machine::current()->fail("a message is not what was sent");
                        if (++received > Messages) return machine::current()->fail("more messages than were sent");
                        channel.set_ack();
                    }
                }};
    }
    std::string check() const { return received == Messages ? "" : "messages were lost"; }
};

// A sender sends for as long as anybody listens, and more than there is room for. A receiver takes `Taken` messages,
// writes why it leaves, and leaves.
template <class Policies, std::size_t Degree, std::uint32_t Taken, bool Timed = false>
struct leaving {
    croft::channel<data, Policies> channel{Degree};
    data why;
    bool told = false;

    bool send(std::uint32_t i) {
        try {
            data* const slot = Timed ? channel.acquire_until(croft::detail::deadline()) : &channel.acquire();
            if (!slot) return true;
            slot->set(100 + i);
            channel.publish();
            return true;
        } catch (const croft::disconnected&) {
            return false;
        }
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    std::uint32_t sent = 0;
                    do {
                        machine::current()->handled(sent);
                        if (sent > Degree + Taken) return;  // then it could not know
                    } while (send(sent++));
                    told = true;
                    if (why.get() != 7) machine::current()->fail("it cannot be seen why the receiver left");
                },
                [this] {
                    for (std::uint32_t i = 0; i < Taken; ++i) {
                        machine::current()->handled(i);
                        channel.receive_in_place();
                        channel.set_ack();
                    }
                    channel.flush_acks();
                    machine::current()->handled(Taken);
                    why.set(7);
                    channel.leave();
                }};
    }
    std::string check() const { return told || Timed ? "" : "the sender was not told that nobody listens"; }
};

// A server that answers one request of two, leaves, and whose client wants to know.
template <class Wait>
struct deserted {
    struct policies : modelled<croft::events::best, Wait> {};
    croft::request_reply<data, data, policies> channel;
    bool told = false;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    channel.request().set(1);
                    channel.publish();
                    if (channel.await_reply().get() != 2) machine::current()->fail("a wrong reply");
                    channel.request().set(3);
                    channel.publish();
                    try {
                        channel.await_reply();
                    } catch (const croft::disconnected&) {
                        told = true;
                    }
                },
                [this] {
                    channel.reply().set(channel.receive_in_place()->get() + 1);
                    channel.publish_reply();
                    channel.leave();
                }};
    }
    std::string check() const { return told ? "" : "the client was not told that nobody answers"; }
};

// The same stream to a receiver that registers a listener when it finds nothing, as a coroutine does, and is told. Then
// it goes on elsewhere, by a word of its own for which a thread sleeps: nothing else of the scheduler's queue matters.
// It must not be told twice for one registration, nor without one.
template <class World, std::uint32_t Messages>
struct told_receiver {
    struct policies : modelled<known<croft::events::flags<croft::events::turns>>, bell<World>> {};
    struct listener final : croft::waits::ring_listener {
        void rung() override {
            if (awaits.get() != 1) machine::current()->fail("told of nothing");
            if (told.exchange(1, std::memory_order_release) != 0) machine::current()->fail("told twice");
            World::wake_one(told);
        }
        atomic<std::uint32_t> told{0};
        data awaits;  // what the receiver knows when it registers, and the ringer reads
    };
    croft::channel<data, policies> channel{1};
    listener receiver;
    std::uint32_t received = 0;

    void receive() {
        for (;;) {
            machine::current()->handled(received);
            if (channel.may_receive(croft::detail::acquire_load{})) {
                data* const message = channel.front();
                if (!message) return;
                if (message->get() != 100 + received) machine::current()->fail("a message is not what was sent");
                if (++received > Messages) return machine::current()->fail("more messages than were sent");
                channel.set_ack();
                continue;
            }
            channel.flush_acks();
            const auto scan = [this](auto load) {
                receiver.awaits.set(1);  // behind the heavy fence, as is who is to be told
                return channel.may_receive(load);
            };
            if (!channel.receiver_waiter().tell_when_rung(scan, receiver)) continue;
            while (receiver.told.load(std::memory_order_acquire) == 0) World::sleep_while(receiver.told, 0);
            receiver.told.store(0, std::memory_order_relaxed);  // what it is told next comes after a ring of its own
        }
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < Messages; ++i) {
                        machine::current()->handled(i);
                        channel.acquire().set(100 + i);
                        channel.publish();
                    }
                    machine::current()->handled(Messages);
                    channel.close();
                },
                [this] { receive(); }};
    }
    std::string check() const { return received == Messages ? "" : "messages were lost"; }
};

// Two senders who ring one receiver.
template <class Policies, class Kind = by_value>
struct two_senders {
    croft::many_to_one<typename Kind::message, Policies> channel{2, 1};
    Kind kind;
    std::vector<std::uint32_t> got;

    std::vector<std::function<void()>> threads() {
        const auto send = [this](std::uint32_t who) { kind.send(channel.sender(who), who); };
        return {[send] { send(0); }, [send] { send(1); },
                [this] {
                    for (int i = 0; i < 2; ++i) {
                        got.push_back(Kind::read(*channel.receive_in_place()));
                        channel.set_ack();
                    }
                }};
    }
    std::string check() const {
        return got.size() == 2 && got[0] + got[1] == 201 && got[0] != got[1] ? "" : "messages were lost or repeated";
    }
};

// One who sends, among others who are idle.
template <class Policies>
struct among_idle {
    croft::many_to_one<data, Policies> channel{6, 1};
    by_value kind;
    std::vector<std::uint32_t> got;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < 2; ++i) kind.send(channel.sender(4), i);
                },
                [this] {
                    while (got.size() < 2) {
                        got.push_back(by_value::read(*channel.receive_in_place()));
                        channel.set_ack();
                    }
                }};
    }
    std::string check() const {
        return got == std::vector<std::uint32_t>{100, 101} ? "" : "messages were lost, repeated or exchanged";
    }
};

// A thread that the explorer abandons must not begin to wait in a destructor.
template <class Sender>
union undestroyed {
    explicit undestroyed(Sender&& sender) : it(std::move(sender)) {}
    ~undestroyed() {}
    auto* operator->() const { return it.operator->(); }

    mutable Sender it;
};

// A doorbell whose owner tells the explorer what it knows when it begins to wait.
template <class World>
struct telling_bell : bell<World> {
    std::function<void()> tell;
    template <class Scan>
    void wait(Scan scan) {
        if (tell) tell();
        bell<World>::wait(scan);
    }
};

// A sender who comes to an inbox, says one thing, goes, and closes it. Somebody was there before, whose channel is used
// again.
template <class Policies>
struct comer {
    croft::inbox<data, Policies> inbox{2};  // room for the end
    std::uint32_t received = 0;

    comer() {
        inbox.join().close();
        inbox.try_receive_in_place();
        // All it knows: whether the sender has come, has been heard, has gone.
        inbox.waiter().tell = [this] {
            machine::current()->knows(std::array<std::uint64_t, 2>{received, inbox.senders()});
        };
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    const undestroyed sender(inbox.join());
                    sender->acquire().set(5);
                    sender->publish();
                    sender.it.close();
                    inbox.close();
                },
                [this] {
                    while (data* const message = inbox.receive_in_place()) {
                        if (message->get() != 5) machine::current()->fail("a message is not what was sent");
                        ++received;
                        inbox.set_ack();
                    }
                }};
    }
    std::string check() const { return received == 1 ? "" : "messages were lost"; }
};

// A sender that comes to an inbox that is left, or says more there than there is room for, is told.
template <class Policies>
struct left_inbox {
    croft::inbox<data, Policies> inbox{1};
    bool told = false;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    try {
                        const undestroyed sender(inbox.join());
                        for (std::uint32_t i = 0; i < 2; ++i) {
                            sender->acquire().set(i);
                            sender->publish();
                        }
                    } catch (const croft::disconnected&) {
                        told = true;
                    }
                },
                [this] { inbox.leave(); }};
    }
    std::string check() const { return told ? "" : "the sender was not told that nobody listens"; }
};

// A client's requests, and its server.
template <class Wait, std::uint32_t Requests>
struct conversation {
    struct policies : modelled<croft::events::best, Wait> {};
    croft::request_reply<data, data, policies> channel;
    std::uint32_t served = 0;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < Requests; ++i) {
                        machine::current()->handled(i);
                        channel.request().set(100 + i);
                        channel.publish();
                        machine::current()->knows(std::array{0});
                        if (channel.await_reply().get() != 200 + i) machine::current()->fail("a wrong reply");
                    }
                    channel.close();
                },
                [this] {
                    for (;;) {
                        machine::current()->handled(served);
                        machine::current()->knows(std::array{0});
                        data* const request = channel.receive_in_place();
                        if (!request) return;
                        channel.reply().set(request->get() + 100);
                        ++served;
                        channel.publish_reply();
                    }
                }};
    }
    std::string check() const { return served == Requests ? "" : "requests were lost"; }
};

// The bare race of sleep.md: one sleeper, one event.
template <class Wait>
struct one_event {
    atomic<std::uint32_t> event{0};
    Wait waiter;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    event.store(1, std::memory_order_release);
                    waiter.notify();
                },
                [this] {
                    while (event.load(std::memory_order_acquire) == 0)
                        waiter.wait([this](auto load) { return load(event, croft::detail::plain_lines()) != 0; });
                }};
    }
    std::string check() const { return ""; }
};

template <class Program>
outcome explore(std::size_t preemptions = machine::unlimited) {
    machine one;
    return one.explore<Program>(preemptions);
}

template <class Program>
void hold(std::size_t preemptions = machine::unlimited) {
    const outcome found = explore<Program>(preemptions);
    INFO(found.states << " states, " << found.endings << " endings");  // -s shows it
    CHECK(found.violation == "");
    CHECK(found.endings >= 1);
}

// Counts the places in Program where nothing goes wrong if they are relaxed. A place is an atomic and either all loads
// or all stores of it.
template <class Program>
std::size_t places_that_may_be_relaxed() {
    std::size_t spare = 0;
    for (const std::size_t where : explore<Program>().atomics)
        for (const auto what : {weak_memory::weakened::loads, weak_memory::weakened::stores}) {
            machine one;
            one.weaken(where, what);
            spare += one.explore<Program>().violation.empty();
        }
    return spare;
}

}  // namespace explorer
