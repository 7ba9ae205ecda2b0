#pragma once
// Checks of every kind of channel: streams of messages that arrive once, whole, in their order, and end.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <croft/channel/kinds.hpp>
#include <croft/port/port.hpp>

namespace checks {

inline std::atomic<unsigned> failures{0};

inline void check(bool good, const char* what, std::size_t number) {
    if (good) return;
    if (failures.fetch_add(1) < 10) std::printf("wrong: %s, message %zu\n", what, number);
}

// A message of some bytes, every one of which depends on its number.
template <std::size_t Bytes>
struct block {
    std::array<unsigned char, Bytes> bytes;

    static unsigned char expected(std::size_t number, std::size_t at) {
        return static_cast<unsigned char>(number * 7 + at * 13 + number / 5);
    }
    void fill(std::size_t number) {
        for (std::size_t at = 0; at < Bytes; ++at) bytes[at] = expected(number, at);
    }
    bool holds(std::size_t number) const {
        for (std::size_t at = 0; at < Bytes; ++at)
            if (bytes[at] != expected(number, at)) return false;
        return true;
    }
};

// How a message with a given number is made and told from others.
template <std::size_t Bytes>
void make(block<Bytes>& to, std::size_t number) {
    to.fill(number);
}
template <std::size_t Bytes>
bool is(const block<Bytes>& message, std::size_t number) {
    return message.holds(number);
}
// Among the words are those that a channel could take for a sign of its own.
inline std::uint64_t word_of(std::size_t number) {
    constexpr std::uint64_t odd_ones[] = {0, std::uint64_t{1} << 63, 1, ~std::uint64_t{0}};
    return number % 3 == 0 ? odd_ones[number / 3 % 4] : number * 0x9e37'79b9'7f4a'7c15u;
}
inline void make(std::uint64_t& to, std::size_t number) { to = word_of(number); }
inline bool is(std::uint64_t message, std::size_t number) { return message == word_of(number); }
inline void make(std::unique_ptr<std::size_t>& to, std::size_t number) {
    to = number % 5 == 0 ? nullptr : std::make_unique<std::size_t>(number);
}
inline bool is(const std::unique_ptr<std::size_t>& message, std::size_t number) {
    return number % 5 == 0 ? !message : message && *message == number;
}
inline void make(std::string& to, std::size_t number) {
    to.assign(number * 7 % 90, static_cast<char>('a' + number % 26));
}
inline bool is(const std::string& message, std::size_t number) {
    return message == std::string(number * 7 % 90, static_cast<char>('a' + number % 26));
}

// A receiver may change a message in place.
template <class Message>
void use(Message&) {}
template <std::size_t Bytes>
void use(block<Bytes>& message) {
    message.bytes.fill(0xee);
}

// One side is slow for a while, then the other, so that each has to wait.
inline void dawdle(bool sender, std::size_t number) {
    if ((number / 8 % 2 == 0) == sender) return;
    for (const std::uint64_t begin = croft::port::cycles(); croft::port::cycles() - begin < 400;) croft::port::pause();
}

enum class style { by_value, in_place, trying };

template <class Message, class Channel>
void send_all(Channel& channel, std::size_t count, style how) {
    for (std::size_t number = 0; number < count; ++number) {
        dawdle(true, number);
        if (how == style::in_place) {
            make(channel.acquire(), number);
            channel.publish();
        } else {
            Message message{};
            make(message, number);
            if (how == style::by_value)
                channel.send(std::move(message));
            else
                while (!channel.try_send(std::move(message))) croft::port::pause();
        }
    }
    channel.close();
}
template <class Message, class Channel>
void receive_all(Channel& channel, std::size_t count, style how) {
    std::size_t number = 0;
    for (;; ++number) {
        dawdle(false, number);
        if (how == style::in_place) {
            Message* const message = channel.receive_in_place();
            if (!message) break;
            check(is(*message, number), "in place", number);
            check(message == channel.receive_in_place(), "the same until acknowledged", number);
            use(*message);
            channel.set_ack();
        } else if (how == style::by_value) {
            const auto message = channel.receive();
            if (!message) break;
            check(is(*message, number), "by value", number);
        } else {
            auto message = channel.try_receive();
            while (!message && !channel.ended()) message = channel.try_receive();
            if (!message) break;
            check(is(*message, number), "without waiting", number);
        }
    }
    check(number == count, "as many as were sent", number);
    check(!channel.receive(), "and none after the end", number);
    check(channel.ended(), "which has come", number);
}

// The two sides run on cores 1 and 2; `home` is one of them, and `named` says whether the channel is told.
template <class Message, class Policies>
void stream(std::size_t degree, std::size_t count, style how, int home, bool named) {
    croft::channel<Message, Policies> channel(degree, named ? croft::detail::ends{1, 2, home} : croft::detail::ends{});
    std::thread sender([&] {
        croft::port::pin_this_thread(1);
        send_all<Message>(channel, count, how);
    });
    std::thread receiver([&] {
        croft::port::pin_this_thread(2);
        receive_all<Message>(channel, count, how);
    });
    sender.join();
    receiver.join();
}

struct tagged {
    std::uint32_t sender, number;
};

// Many to one: every sender's messages in its order, and none is left behind while the others are served. So many more
// are `idle`, in front of the others, and go with them.
template <class Policies>
void many(std::size_t senders, std::size_t degree, std::size_t count, std::size_t idle = 0) {
    const auto core_of = [&](std::size_t i) { return static_cast<int>(1 + i); };
    croft::many_to_one<tagged, Policies> channel(senders + idle, degree, [&](std::size_t i) {
        const int core = core_of((i + senders - idle % senders) % senders);
        return croft::detail::ends{core, core_of(senders), core};
    });
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < senders; ++i)
        threads.emplace_back([&, i] {
            croft::port::pin_this_thread(core_of(i));
            for (std::size_t number = 0; number < count; ++number)
                channel.sender(idle + i).send({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(number)});
            for (std::size_t all = idle + i + 1; all > 0; all -= std::min(all, senders))
                channel.sender(all - 1).close();
        });
    std::thread receiver([&] {
        croft::port::pin_this_thread(core_of(senders));
        std::vector<std::size_t> next(senders), served(senders);
        for (std::size_t time = 1;; ++time) {
            // So slow that every sender has had the time to send what it may.
            for (const std::uint64_t begin = croft::port::cycles(); croft::port::cycles() - begin < 3000;)
                croft::port::pause();
            const auto message = channel.receive();
            if (!message) break;
            check(idle + message->sender == channel.last_sender(), "it says whose it is", time);
            check(message->number == next[message->sender]++, "in its sender's order", time);
            for (std::size_t i = 0; i < senders; ++i)
                if (next[i] < count && time > senders * degree)
                    check(i == message->sender || time - served[i] <= senders * degree, "everyone is served", time);
            served[message->sender] = time;
        }
        for (const std::size_t number : next) check(number == count, "as many as were sent", number);
        check(channel.ended(), "the end", 0);
    });
    for (std::thread& thread : threads) thread.join();
    receiver.join();
}

// Everything for messages of one type.
template <class Message, class Policies>
void streams(std::size_t degree, std::size_t count) {
    for (const style how : {style::by_value, style::in_place, style::trying})
        for (const int home : {1, 2}) stream<Message, Policies>(degree, count, how, home, true);
    stream<Message, Policies>(degree, count, style::by_value, 2, false);
}

}  // namespace checks
