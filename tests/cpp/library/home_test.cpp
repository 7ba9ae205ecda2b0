// A channel tells its home policy of every hand-over, once, in the order that a home needs.

#include <croft/channel/batched_slots.hpp>
#include <croft/channel/channel.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace {

struct record {
    std::string calls;
    long bytes_of_messages = 0, bytes_of_acks = 0;
    std::size_t own_bytes = 1;  // of the last lines it heard of
    bool all_aligned = true;
};

class recording_lines : public croft::detail::plain_lines {
public:
    recording_lines(record* to, croft::detail::part what) : to_(to), what_(what) {}

    void* allocate(std::size_t size) const {
        (what_ == croft::detail::part::message ? to_->bytes_of_messages : to_->bytes_of_acks) +=
            static_cast<long>(size);
        void* memory = plain_lines::allocate(size);
        to_->all_aligned &= reinterpret_cast<std::uintptr_t>(memory) % croft::port::cache_line == 0;
        return memory;
    }
    void deallocate(void* memory, std::size_t size) const noexcept {
        (what_ == croft::detail::part::message ? to_->bytes_of_messages : to_->bytes_of_acks) -=
            static_cast<long>(size);
        plain_lines::deallocate(memory, size);
    }
    void taken(const void* first, std::size_t size) const { note('t', first, size); }
    void before_write(const void* first, std::size_t size) const { note('o', first, size); }
    template <class Message>
    void write(Message& to, Message&& from) const {
        to_->calls += '=';
        to = std::move(from);
    }
    void after_write(const void* first, std::size_t size) const { note('w', first, size); }
    void after_read(const void* first, std::size_t size) const { note('r', first, size); }
    template <bool Followed, class Flag>
    auto event(Flag& flag) const {
        return noted_flag<Flag>{flag, to_};
    }

private:
    template <class Flag>
    struct noted_flag {
        Flag& flag;
        record* to;
        void store(std::uint32_t value, std::memory_order order) const {
            to->calls += order == std::memory_order_release ? '!' : '0';
            flag.store(value, order);
        }
    };
    void note(char what, const void* first, std::size_t size) const {
        to_->calls += what;
        to_->own_bytes = size;
        to_->all_aligned &= reinterpret_cast<std::uintptr_t>(first) % croft::port::cache_line == 0;
    }
    record* to_;
    croft::detail::part what_;
};

struct recording_home {
    record* to = nullptr;

    static recording_home between(croft::detail::ends) { return {}; }
    recording_lines at(croft::detail::part what) const { return {to, what}; }
    croft::detail::plain_lines of_sender() const { return croft::detail::plain_lines(); }
    croft::detail::plain_lines of_receiver() const { return croft::detail::plain_lines(); }
};

template <class Events>
struct recorded : croft::policies {
    using home = recording_home;
    using events = Events;
};

using croft::events::ack_place;
using together = recorded<croft::events::flags<croft::events::turns, ack_place::with_message>>;
using apart = recorded<croft::events::flags<croft::events::turns, ack_place::own_line>>;
using batched = recorded<croft::events::batched>;
using packed = recorded<croft::events::packed>;

struct explodes {
    explodes() { throw 1; }
};

}  // namespace

TEST_CASE_TEMPLATE("a home hears of every hand-over and of every event after it", Policies, together, apart, batched,
                   packed) {
    record seen;
    {
        croft::channel<int, Policies> channel(2, recording_home{&seen});
        channel.send(1);
        CHECK(seen.calls == "to=w!");
        channel.acquire();
        channel.acquire();  // half written perhaps: no second time
        CHECK(seen.calls == "to=w!to");
        channel.publish();
        CHECK(channel.receive_in_place());
        CHECK(channel.receive_in_place());
        CHECK(seen.calls == "to=w!tow!tt");
        channel.set_ack();
        CHECK(channel.receive().has_value());
        CHECK(seen.calls == "to=w!tow!ttr!tr!");
        CHECK(seen.own_bytes == 0);  // an int lies with its flags
        channel.close();             // an end has no message
        CHECK(seen.calls == "to=w!tow!ttr!tr!!");
        CHECK(seen.all_aligned);
    }
    CHECK(seen.bytes_of_messages == 0);
    CHECK(seen.bytes_of_acks == 0);
}

TEST_CASE("flags that are reset are reset before the other side is told") {
    record seen;
    croft::channel<int, recorded<croft::events::flags<croft::events::booleans>>> channel(1, recording_home{&seen});
    channel.send(1);
    CHECK(seen.calls == "to=w0!");
    channel.receive();
    CHECK(seen.calls == "to=w0!tr0!");
}

TEST_CASE("a home hears of the lines that hold nothing but the message") {
    const std::size_t line = croft::port::cache_line;
    record seen;
    croft::channel<std::array<char, 100>, together> small(1, recording_home{&seen});
    small.send({});
    CHECK(seen.own_bytes == line);  // its first 56 bytes lie with the flags
    croft::channel<std::array<std::uint64_t, 100>, apart> large(1, recording_home{&seen});
    large.send({});
    CHECK(seen.own_bytes == 12 * line);
    CHECK(seen.all_aligned);
    // Assigning to a message needs what it holds, so its lines must not be allocated without being fetched.
    record owner;
    croft::channel<std::string, together> owned(1, recording_home{&owner});
    owned.send("x");
    CHECK(owner.calls == "t=w!");
}

TEST_CASE("flags and message share a line where they fit, and the ack has its own where asked") {
    record one, two, large;
    const long line = croft::port::cache_line;
    croft::channel<std::uint64_t, together> a(3, recording_home{&one});
    CHECK(one.bytes_of_messages == 3 * line);
    CHECK(one.bytes_of_acks == 0);
    croft::channel<std::uint64_t, apart> b(3, recording_home{&two});
    CHECK(two.bytes_of_messages == 3 * line);
    CHECK(two.bytes_of_acks == 3 * line);
    croft::channel<char[100], together> c(1, recording_home{&large});
    CHECK(large.bytes_of_messages == 2 * line);
}

TEST_CASE("a message that cannot be made leaves no memory behind") {
    record seen;
    using channel = croft::channel<explodes, together>;
    CHECK_THROWS_AS(channel(2, recording_home{&seen}), int);
    CHECK(seen.bytes_of_messages == 0);
}
