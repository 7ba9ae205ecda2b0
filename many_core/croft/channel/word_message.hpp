#pragma once
// A message as words of the machine's network, each one register. A trivially copyable message travels by value. A
// unique_ptr travels by reference: the words carry the object's address, and its ownership with it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace croft {

template <class Message>
struct word_message {
    static_assert(std::is_trivially_copyable_v<Message>,
                  "over the network go trivially copyable messages, and others by reference, as a std::unique_ptr");
    static constexpr std::size_t words = (sizeof(Message) + 7) / 8;
    using packed = std::array<std::uint64_t, words>;

    static packed pack(Message&& message) {
        packed into;
        into[words - 1] = 0;  // what the message does not fill
        std::memcpy(into.data(), &message, sizeof(Message));
        return into;
    }
    static void unpack(const packed& from, Message& message) { std::memcpy(&message, from.data(), sizeof(Message)); }
};

template <class T>
struct word_message<std::unique_ptr<T>> {
    static constexpr std::size_t words = 1;
    using packed = std::array<std::uint64_t, 1>;

    static packed pack(std::unique_ptr<T>&& message) { return {reinterpret_cast<std::uint64_t>(message.release())}; }
    static void unpack(const packed& from, std::unique_ptr<T>& message) {
        message.reset(reinterpret_cast<T*>(from[0]));
    }
};

// Many to one a message goes behind a word that says whose it is, and an empty one needs no other.
template <class Message>
struct addressed_message : word_message<Message> {};
template <class Message>
    requires std::is_empty_v<Message>
struct addressed_message<Message> {
    static constexpr std::size_t words = 0;
    using packed = std::array<std::uint64_t, 0>;

    static packed pack(Message&&) { return {}; }
    static void unpack(const packed&, Message&) {}
};

}  // namespace croft
