#pragma once
// How a message that is not trivially copyable becomes bytes, and a message again. To name one's own, specialise:
//
//     template <>
//     struct croft::mpi::codec<my::type> {
//         static void encode(const my::type& message, std::vector<std::byte>& to);     // appends
//         static void decode(std::span<const std::byte> from, my::type& message);     // all of what encode has made
//     };
//
// If they throw, so does the call that sends or receives. A std::string, and a std::vector of trivially copyable
// elements, travel as their elements. For all else the default is the library cereal (https://uscilab.github.io/cereal,
// BSD licence), where its headers are found. All that it can serialise can be sent, once the headers for the types in
// it are included (<cereal/types/map.hpp> and its like). Those for std::string, std::vector and std::pair are included.
// Both sides have to be of one byte order, and have the same sizes of integers.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <croft/mpi/error.hpp>

#if __has_include(<cereal/archives/binary.hpp>)
#include <istream>
#include <ostream>
#include <streambuf>

#include <cereal/archives/binary.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#define CROFT_MPI_HAS_CEREAL 1
#endif

namespace croft::mpi {

#if defined(CROFT_MPI_HAS_CEREAL)

namespace detail {

class appending_buffer final : public std::streambuf {
public:
    explicit appending_buffer(std::vector<std::byte>& to) : to_(to) {}

private:
    int_type overflow(int_type one) override {
        if (!traits_type::eq_int_type(one, traits_type::eof())) to_.push_back(static_cast<std::byte>(one));
        return traits_type::not_eof(one);
    }
    std::streamsize xsputn(const char* from, std::streamsize count) override {
        const auto* bytes = reinterpret_cast<const std::byte*>(from);
        to_.insert(to_.end(), bytes, bytes + count);
        return count;
    }

    std::vector<std::byte>& to_;
};

class reading_buffer final : public std::streambuf {
public:
    explicit reading_buffer(std::span<const std::byte> from) {
        char* const begin = const_cast<char*>(reinterpret_cast<const char*>(from.data()));
        setg(begin, begin, begin + from.size());  // which nobody writes
    }
};

}  // namespace detail

template <class Message>
struct codec {
    static void encode(const Message& message, std::vector<std::byte>& to) {
        detail::appending_buffer buffer(to);
        std::ostream stream(&buffer);
        cereal::BinaryOutputArchive archive(stream);
        archive(message);
    }
    static void decode(std::span<const std::byte> from, Message& message) {
        detail::reading_buffer buffer(from);
        std::istream stream(&buffer);
        cereal::BinaryInputArchive archive(stream);
        archive(message);
    }
};

#else

template <class Message>
struct codec {
    static_assert(!sizeof(Message),
                  "croft::mpi: this message is not trivially copyable: specialise croft::mpi::codec for it, or put the "
                  "headers of cereal (in PyPI's package cycereal, for one) on the include path");
    static void encode(const Message&, std::vector<std::byte>&) {}
    static void decode(std::span<const std::byte>, Message&) {}
};

#endif

namespace detail {

template <class Message>
inline constexpr bool is_elements = std::is_same_v<Message, std::string>;
template <class T>
inline constexpr bool is_elements<std::vector<T>> = std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>;

}  // namespace detail

template <class Message>
    requires(detail::is_elements<Message>)
struct codec<Message> {
    using element = typename Message::value_type;

    static void encode(const Message& message, std::vector<std::byte>& to) {
        const std::span<const std::byte> bytes = std::as_bytes(std::span(message));
        to.insert(to.end(), bytes.begin(), bytes.end());
    }
    static void decode(std::span<const std::byte> from, Message& message) {
        if (from.size() % sizeof(element) != 0) throw error("croft::mpi: elements have come that are of another type");
        message.resize(from.size() / sizeof(element));
        if (!message.empty()) std::memcpy(message.data(), from.data(), message.size() * sizeof(element));
    }
};

}  // namespace croft::mpi
