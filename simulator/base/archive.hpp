#pragma once
// The state of a machine that stands still, as bytes: written, or read into a machine that was built from the same
// description (docs/decisions/checkpoint.md). Each class lists its members once, for both directions:
//
//     void serialise(Archive& archive) { archive(first_, second_, third_); }
//
// A class that has only numbers in it says `static constexpr bool is_plain = true;` instead. It goes as its bytes, new
// members included. Two kinds of members are not listed. The first follow from the description: sizes, times,
// references to other parts. The second can be found again without a trace: links between decoded blocks, remembered
// timing. Pointers are listed by what they point to. Beside a list stands static_assert(is_listed<Class, bytes>), so
// that whoever adds a member comes by.
//
// The bytes may be damaged. So every length is checked against the bytes that are left, and every place against the
// places that there are.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace croftsim {

class Archive;
class MessagePool;

// A state that cannot be written or read; what() is a sentence.
struct CheckpointError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The classes' sizes are those of the standard library that the tests run with; elsewhere nothing is asserted.
#if defined(__GLIBCXX__) && defined(__x86_64__) && !defined(_GLIBCXX_DEBUG)
template <class Class, std::size_t bytes>
constexpr bool is_listed = sizeof(Class) == bytes;
#else
template <class Class, std::size_t bytes>
constexpr bool is_listed = true;
#endif

// Saved as its bytes.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || (T::is_plain && std::is_trivially_copyable_v<T>);

template <class T>
struct IsPlain : std::bool_constant<Plain<T>> {};
template <class T, std::size_t size>
struct IsPlain<std::array<T, size>> : IsPlain<T> {};
template <class A, class B>
struct IsPlain<std::pair<A, B>> : std::false_type {};

class Archive {
public:
    Archive() : loads_(false) {}  // is written to
    explicit Archive(std::span<const std::uint8_t> from) : loads_(true), from_(from) {}

    bool loads() const { return loads_; }
    const std::vector<std::uint8_t>& written() const { return written_; }
    MessagePool* pool = nullptr;  // where messages come from

    template <class... Parts>
    void operator()(Parts&... parts) {
        (part(parts), ...);
    }

    void bytes(void* at, std::size_t count) {
        if (count == 0) return;
        auto* const here = static_cast<std::uint8_t*>(at);
        if (!loads_) {
            written_.insert(written_.end(), here, here + count);
            return;
        }
        if (count > left()) damaged();
        std::memcpy(here, from_.data() + read_, count);
        read_ += count;
    }
    // How many elements follow: `now`, or when it is read, as many as there can be.
    std::size_t count(std::size_t now) {
        std::uint64_t number = now;
        bytes(&number, sizeof number);
        if (loads_ && number > left()) damaged();
        return number;
    }
    // The elements of what the description has given its size.
    template <class Parts>
    void each(Parts& parts) {
        if (count(parts.size()) != parts.size()) damaged();
        elements(parts);
    }
    // A place below `limit`; `nowhere`: none.
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
    std::uint64_t place(std::uint64_t now, std::uint64_t limit) {
        bytes(&now, sizeof now);
        if (now != nowhere && now >= limit) damaged();
        return now;
    }
    // Numbers that both sides must agree on.
    void agree(std::uint64_t number) {
        std::uint64_t there = number;
        bytes(&there, sizeof there);
        if (there != number) damaged();
    }
    void end() {
        if (loads_ && left() > 0) damaged();
    }

    [[noreturn]] static void damaged() { throw CheckpointError("the state in the checkpoint is damaged"); }

private:
    std::size_t left() const { return from_.size() - read_; }

    template <class Part>
    void part(Part& part) {
        if constexpr (requires { part.serialise(*this); })
            part.serialise(*this);
        else if constexpr (requires { serialise(*this, part); })
            serialise(*this, part);
        else if constexpr (IsPlain<Part>::value)
            bytes(&part, sizeof part);
        else
            container(part);
    }
    template <class Parts>
    void elements(Parts& parts) {
        using Element = typename Parts::value_type;
        if constexpr (IsPlain<Element>::value && requires { parts.data(); })
            bytes(parts.data(), parts.size() * sizeof(Element));
        else
            for (auto& one : parts) part(one);
    }

    template <class Element, std::size_t size>
    void container(std::array<Element, size>& parts) {
        elements(parts);
    }
    template <class Element, class Allocator>
    void container(std::vector<Element, Allocator>& parts) {
        sized(parts);
    }
    template <class Element>
    void container(std::deque<Element>& parts) {
        sized(parts);
    }
    void container(std::string& text) { sized(text); }
    template <class Parts>
    void sized(Parts& parts) {
        const std::size_t number = count(parts.size());
        if (loads_) {
            parts.clear();
            parts.resize(number);
        }
        elements(parts);
    }
    template <class First, class Second>
    void container(std::pair<First, Second>& pair) {
        part(pair.first);
        part(pair.second);
    }
    template <class Element>
    void container(std::optional<Element>& maybe) {
        bool is_there = maybe.has_value();
        part(is_there);
        if (loads_) {
            if (is_there)
                maybe.emplace();
            else
                maybe.reset();
        }
        if (is_there) part(*maybe);
    }
    template <class Element>
    void container(std::unique_ptr<Element>& owned) {  // of what there always is
        if (loads_) owned = std::make_unique<Element>();
        part(*owned);
    }
    template <class Element>
    void container(std::set<Element>& parts) {
        std::vector<Element> list(parts.begin(), parts.end());
        sized(list);
        if (loads_) parts = std::set<Element>(list.begin(), list.end());
    }
    template <class Key, class Value>
    void container(std::map<Key, Value>& parts) {
        mapped(parts, [&](auto visit) {
            for (auto& [key, value] : parts) visit(key, value);
        });
    }
    template <class Key, class Value>
    void container(std::unordered_map<Key, Value>& parts) {  // in the order of the keys: the same state, the same bytes
        mapped(parts, [&](auto visit) {
            std::vector<Key> keys;
            for (const auto& [key, value] : parts) keys.push_back(key);
            std::sort(keys.begin(), keys.end());
            for (const Key& key : keys) visit(key, parts.at(key));
        });
    }
    template <class Parts, class ForEach>
    void mapped(Parts& parts, ForEach for_each) {
        std::size_t number = count(parts.size());
        if (!loads_)
            return for_each([&](auto key, auto& value) {
                part(key);
                part(value);
            });
        for (parts.clear(); number > 0; --number) {
            typename Parts::key_type key{};
            part(key);
            part(parts[key]);
        }
    }

    const bool loads_;
    std::vector<std::uint8_t> written_;
    std::span<const std::uint8_t> from_;
    std::size_t read_ = 0;
};

}  // namespace croftsim
