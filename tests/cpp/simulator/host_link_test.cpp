#include "device/host_link.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "guest.hpp"
#include "host/live_host.hpp"
#include "host/scripted_host.hpp"

using namespace croftsim;

namespace {

namespace link {
enum : std::uint64_t { slots = 2003, open, receive, release, acquire, send, close };
}

constexpr std::uint32_t slot_bytes = 4096;
// A transfer of n bytes takes 10 + 2 n cycles, and arrives 100 later.
constexpr HostLinkDescription wire{100, 10, 500, slot_bytes};

RunOptions with(HostSide& host) {
    RunOptions options;
    options.host = &host;
    return options;
}

struct LinkedGuest : Guest {
    explicit LinkedGuest(HostSide& host) : Guest(4, with(host)) {
        machine.link = wire;
        for (int i = 0; i < 2; ++i) start_thread(0);  // on cores 1 and 2
    }
    std::uint64_t slot(std::uint64_t number) const { return scratch + number * slot_bytes; }
    std::optional<std::int64_t> open(std::uint64_t inputs, std::uint64_t outputs) {
        return call(0, link::open, scratch, inputs, outputs);
    }
};

std::vector<std::uint8_t> text(std::string_view of) { return {of.begin(), of.end()}; }
std::int64_t message(std::uint64_t slot, std::uint64_t bytes) { return static_cast<std::int64_t>(slot | bytes << 16); }

}  // namespace

TEST_CASE("a message is in its slot, and its receiver goes on, at the cycle of its arrival and not before") {
    ScriptedHost host({{text("hello")}, 1, 0, {2, 3}});
    LinkedGuest guest(host);
    CHECK(guest.call(0, link::slots) == (std::int64_t{slot_bytes} << 32 | 2 << 16 | 3));
    guest.machine.time = 1000;
    CHECK(guest.open(2, 2) == 0);
    CHECK_FALSE(guest.call(0, link::receive));
    guest.pass_time(1119);  // 10 for the message, 10 for 5 bytes, 100 of latency: 1120
    CHECK_FALSE(guest.woken(0));
    CHECK(guest.string(guest.slot(0), 5) == std::string(5, '\0'));
    guest.pass_time(1120);
    CHECK(guest.woken(0) == message(0, 5));
    CHECK(guest.string(guest.slot(0), 5) == "hello");
}

TEST_CASE("messages follow each other on the link, and a latency hides behind the next transfer") {
    ScriptedHost host({{text("aaaaa"), text("bb")}, 4, 0, {8, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(8, 1) == 0);
    // Transfers end at 20, 34, 54 and 68.
    guest.pass_time(168);
    CHECK(guest.call(0, link::receive) == message(0, 5));
    CHECK(guest.call(0, link::receive) == message(1, 2));
    CHECK(guest.call(0, link::receive) == message(2, 5));
    CHECK(guest.call(0, link::receive) == message(3, 2));
    const LinkStatistics counts = guest.kernel->link_statistics()[0];
    CHECK(counts.messages == 4);
    CHECK(counts.bytes == 14);
    CHECK(counts.busy == 68);
    CHECK(counts.waited == 0);
}

TEST_CASE("a message waits for a free slot, and is told apart from the one before by nothing but its bytes") {
    ScriptedHost host({{text("aaaaa"), text("bb")}, 2, 0, {1, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(1, 1) == 0);
    guest.pass_time(120);
    CHECK(guest.call(0, link::receive) == message(0, 5));
    CHECK_FALSE(guest.call(0, link::receive));
    guest.pass_time(500);
    CHECK_FALSE(guest.woken(0));
    CHECK(guest.call(1, link::release, 0) == 0);
    guest.pass_time(613);  // 14 and the latency
    CHECK_FALSE(guest.woken(0));
    CHECK(guest.string(guest.slot(0), 5) == "aaaaa");
    guest.pass_time(614);
    CHECK(guest.woken(0) == message(0, 2));
    CHECK(guest.string(guest.slot(0), 2) == "bb");
    CHECK(guest.kernel->link_statistics()[0].waited == 480);  // from 20, when the link was free, to 500
}

TEST_CASE("a host that offers a message every so many cycles is waited for") {
    ScriptedHost host({{text("a")}, 2, 1000, {4, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(4, 1) == 0);
    guest.pass_time(1111);
    CHECK(guest.call(0, link::receive) == message(0, 1));
    CHECK_FALSE(guest.call(0, link::receive));
    guest.pass_time(1112);
    CHECK(guest.woken(0) == message(1, 1));
}

TEST_CASE("the end of the stream comes behind the last message, to everyone who waits") {
    ScriptedHost host({{text("a")}, 1, 0, {4, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(4, 1) == 0);
    guest.pass_time(112);
    CHECK(guest.call(0, link::receive) == message(0, 1));
    CHECK_FALSE(guest.call(1, link::receive));
    CHECK_FALSE(guest.call(2, link::receive));
    guest.pass_time(121);  // the transfer ended at 12; 10 and 100 more
    CHECK_FALSE(guest.woken(1));
    guest.pass_time(122);
    CHECK(guest.woken(1) == -ENODATA);
    CHECK(guest.woken(2) == -ENODATA);
    CHECK(guest.call(1, link::receive) == -ENODATA);
}

TEST_CASE("results are read when they start, arrive a latency after their bytes, and free their slot") {
    ScriptedHost host({{}, 0, 0, {1, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(1, 1) == 0);
    CHECK(guest.call(0, link::acquire) == 1);
    guest.machine.write(guest.slot(1), text("result"));
    CHECK(guest.call(0, link::send, 1, 6) == 0);
    guest.machine.write(guest.slot(1), text("behind"));
    CHECK_FALSE(guest.call(1, link::acquire));
    CHECK_FALSE(guest.call(2, link::close));
    guest.pass_time(121);
    CHECK(host.results().empty());
    CHECK_FALSE(host.was_closed());
    guest.pass_time(122);
    REQUIRE(host.results().size() == 1);
    CHECK(host.results()[0].cycle == 122);
    CHECK(host.results()[0].bytes == text("result"));
    CHECK(guest.woken(2) == 0);
    CHECK(host.was_closed());
    CHECK(guest.woken(1) == -ENODATA);
    CHECK(guest.call(0, link::send, 1, 6) == -ENOTCONN);
    CHECK(guest.call(0, link::receive) == -ENODATA);
}

TEST_CASE("a link that is abandoned holds nobody up, and the host hears of no end") {
    ScriptedHost host({{text("a")}, 2, 1'000'000, {1, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(1, 1) == 0);
    guest.pass_time(200);
    CHECK(guest.call(0, link::receive) == message(0, 1));
    CHECK_FALSE(guest.call(1, link::receive));
    CHECK(guest.call(0, link::close, 1) == 0);
    guest.pass_time(201);
    CHECK(guest.woken(1) == -ENODATA);
    CHECK_FALSE(host.was_closed());
}

TEST_CASE("an output slot that is not sent goes to who waits for one") {
    ScriptedHost host({{}, 0, 0, {1, 1}});
    LinkedGuest guest(host);
    CHECK(guest.open(1, 1) == 0);
    CHECK(guest.call(0, link::acquire) == 1);
    CHECK_FALSE(guest.call(1, link::acquire));
    CHECK(guest.call(0, link::release, 1) == 0);
    guest.pass_time(1);
    CHECK(guest.woken(1) == 1);
}

TEST_CASE("what a program does wrong at the link is refused") {
    ScriptedHost host({{text("a")}, 1, 0, {1, 1}});
    LinkedGuest guest(host);
    CHECK(guest.call(0, link::receive) == -ENOTCONN);
    CHECK(guest.call(0, link::open, guest.scratch + 1, 1, 1) == -EINVAL);
    CHECK(guest.call(0, link::open, guest.scratch, 0, 1) == -EINVAL);
    CHECK(guest.call(0, link::open, guest.scratch, 1, 1025) == -EINVAL);
    CHECK(guest.call(0, link::open, guest.scratch, 256, 1) == -EFAULT);  // a MiB, and one slot more
    CHECK(guest.open(1, 1) == 0);
    CHECK(guest.open(1, 1) == -EBUSY);
    CHECK(guest.call(0, link::release, 0) == -EINVAL);  // the link's
    CHECK(guest.call(0, link::release, 2) == -EINVAL);
    CHECK(guest.call(0, link::send, 1, 1) == -EINVAL);  // not acquired
    CHECK(guest.call(0, link::acquire) == 1);
    CHECK(guest.call(0, link::send, 1, slot_bytes + 1) == -EINVAL);
    CHECK(guest.call(0, link::send, 0, 1) == -EINVAL);
    guest.pass_time(112);
    CHECK(guest.call(0, link::receive) == message(0, 1));
    CHECK(guest.call(0, link::send, 0, 1) == -EINVAL);  // an input slot
    CHECK(guest.call(0, link::release, 0) == 0);
    CHECK(guest.call(0, link::release, 0) == -EINVAL);
}

TEST_CASE("a link that is not there, a host that is not there, and a message that is too long end the run") {
    ScriptedHost host({{std::vector<std::uint8_t>(slot_bytes + 1)}, 1, 0, {1, 1}});
    LinkedGuest guest(host);
    CHECK_THROWS_WITH_AS(guest.open(1, 1), doctest::Contains("4097 bytes, and a slot of the link has 4096"),
                         GuestFault);
    Guest without_link(1, with(host));
    CHECK_THROWS_WITH_AS(without_link.call(0, link::slots), doctest::Contains("no [host_link]"), GuestFault);
    Guest without_host(1);
    without_host.machine.link = wire;
    CHECK_THROWS_WITH_AS(without_host.call(0, link::slots), doctest::Contains("no host is at its other end"),
                         GuestFault);
    CHECK_THROWS_AS(ScriptedHost({{}, 1, 0, {1, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(LiveHost({0, 1}), std::invalid_argument);
}

TEST_CASE("a live host is looked at every so often, as long as anything depends on it") {
    LiveHost host({1, 1});
    LinkedGuest guest(host);
    CHECK(guest.open(1, 1) == 0);
    CHECK(guest.kernel->next_timer() == Kernel::never);
    CHECK(guest.kernel->next_look() == HostLink::look_every);
    CHECK_FALSE(guest.call(0, link::receive));
    std::vector<std::uint8_t> bytes = text("a");
    CHECK(host.offload(bytes, {}));
    bytes = text("b");
    CHECK_FALSE(host.offload(bytes, {}));  // one message waits already
    CHECK(bytes == text("b"));
    guest.kernel->wait_for_host();
    CHECK(guest.kernel->next_look() == Kernel::never);  // there is no slot for another one
    guest.pass_time(112);
    CHECK(guest.woken(0) == message(0, 1));
    host.close();
    CHECK_THROWS_AS(host.offload(bytes, {}), std::logic_error);
    CHECK(guest.call(0, link::release, 0) == 0);
    CHECK(guest.kernel->next_look() == Kernel::never);
    CHECK_FALSE(guest.call(0, link::receive));
    guest.pass_time(222);
    CHECK(guest.woken(0) == -ENODATA);
}

TEST_CASE("results wait for a caller who does not take them") {
    LiveHost host({2, 2});
    LinkedGuest guest(host);
    CHECK(guest.open(2, 2) == 0);
    host.close();
    for (int i = 0; i < 4; ++i) {
        const auto slot = guest.call(0, link::acquire);
        REQUIRE(slot);
        guest.machine.write(guest.slot(static_cast<std::uint64_t>(*slot)), text("r"));
        CHECK(guest.call(0, link::send, *slot, 1) == 0);
        guest.pass_time(guest.machine.time + 200);
        if (i == 1) CHECK(guest.kernel->next_look() == Kernel::never);
    }
    CHECK(guest.kernel->next_look() != Kernel::never);  // two are with the host, two wait for it
    CHECK_FALSE(guest.call(0, link::close));
    CHECK(host.get({}) == text("r"));
    CHECK(host.get({}) == text("r"));
    guest.kernel->look_at_host();
    guest.pass_time(guest.machine.time + 200);
    CHECK(guest.woken(0) == 0);
    CHECK(host.get({}) == text("r"));
    CHECK_FALSE(host.exhausted());
    CHECK(host.get({}) == text("r"));
    CHECK(host.exhausted());
    CHECK_FALSE(host.get(std::chrono::milliseconds(1'000'000)));
}

TEST_CASE("whoever waits for a run is woken when it ends") {
    LiveHost host({1, 1});
    std::vector<std::uint8_t> message;
    CHECK(host.offload(message, {}));
    const std::chrono::milliseconds for_ever(1'000'000);
    std::string sender, receiver;
    std::thread sends([&] {
        try {
            std::vector<std::uint8_t> second;
            host.offload(second, for_ever);
        } catch (const HostEnded& error) {
            sender = error.what();
        }
    });
    std::thread receives([&] {
        try {
            host.get(for_ever);
        } catch (const HostEnded& error) {
            receiver = error.what();
        }
    });
    host.finished("it fell over");
    sends.join();
    receives.join();
    CHECK(sender == "it fell over");
    CHECK(receiver == "it fell over");
}
