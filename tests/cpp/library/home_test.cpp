// What a channel tells its home policy, and when: every hand-over, once, in the order that a home needs.

#include <croft/channel/channel.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

struct record {
    std::string calls;
    long bytes_of_messages = 0, bytes_of_acks = 0;
    bool all_aligned = true;
};

struct recording_home {
    record* to = nullptr;

    void* allocate(std::size_t size, croft::part what) const {
        (what == croft::part::message ? to->bytes_of_messages : to->bytes_of_acks) += static_cast<long>(size);
        void* memory = croft::homes::hashed{}.allocate(size, what);
        to->all_aligned &= reinterpret_cast<std::uintptr_t>(memory) % croft::port::cache_line == 0;
        return memory;
    }
    void deallocate(void* memory, std::size_t size, croft::part what) const noexcept {
        (what == croft::part::message ? to->bytes_of_messages : to->bytes_of_acks) -= static_cast<long>(size);
        croft::homes::hashed{}.deallocate(memory, size, what);
    }
    void before_write(const void*, std::size_t) const { to->calls += 'o'; }
    void after_write(const void*, std::size_t) const { to->calls += 'w'; }
    void after_read(const void*, std::size_t) const { to->calls += 'r'; }
};

template <class Events>
struct recorded : croft::policies {
    using home = recording_home;
    using events = Events;
};

using croft::ack_place;
using together = recorded<croft::events::flags<croft::turns, ack_place::with_message>>;
using apart = recorded<croft::events::flags<croft::turns, ack_place::own_line>>;
using batched = recorded<croft::events::batched>;

struct explodes {
    explodes() { throw 1; }
};

}  // namespace

TEST_CASE_TEMPLATE("a home hears of every hand-over", Policies, together, apart, batched) {
    record seen;
    {
        croft::channel<int, Policies> channel(2, {&seen});
        CHECK(seen.all_aligned);
        channel.send(1);
        CHECK(seen.calls == "ow");
        channel.acquire();
        channel.acquire();  // half written perhaps: no second time
        CHECK(seen.calls == "owo");
        channel.publish();
        CHECK(channel.receive_in_place());
        CHECK(channel.receive_in_place());
        CHECK(seen.calls == "owow");
        channel.set_ack();
        CHECK(channel.receive().has_value());
        CHECK(seen.calls == "owowrr");
        channel.close();  // an end has no message
        CHECK(seen.calls == "owowrr");
    }
    CHECK(seen.bytes_of_messages == 0);
    CHECK(seen.bytes_of_acks == 0);
}

TEST_CASE("flags and message share a line where they fit, and the ack has its own where asked") {
    record one, two, large;
    const long line = croft::port::cache_line;
    croft::channel<std::uint64_t, together> a(3, {&one});
    CHECK(one.bytes_of_messages == 3 * line);
    CHECK(one.bytes_of_acks == 0);
    croft::channel<std::uint64_t, apart> b(3, {&two});
    CHECK(two.bytes_of_messages == 3 * line);
    CHECK(two.bytes_of_acks == 3 * line);
    croft::channel<char[100], together> c(1, {&large});
    CHECK(large.bytes_of_messages == 2 * line);
}

TEST_CASE("a message that cannot be made leaves no memory behind") {
    record seen;
    using channel = croft::channel<explodes, together>;
    CHECK_THROWS_AS(channel(2, {&seen}), int);
    CHECK(seen.bytes_of_messages == 0);
}
