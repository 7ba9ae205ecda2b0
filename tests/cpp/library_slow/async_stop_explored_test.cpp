// A stop that is requested while a coroutine waits at a channel (coroutine/until_stopped.hpp).

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <croft/channel/channel.hpp>

#include "explored_programs.hpp"

using namespace explorer;

namespace {

// A receiver that registers a listener, as a coroutine does; one sends, and one requests a stop and rings, as
// until_stopped has it. The receiver ends when it finds the request and no message.
template <class World, bool Rings = true>
struct stopped_receiver {
    using told = told_receiver<World, 1>;
    croft::channel<data, typename told::policies> channel{1};
    typename told::listener receiver;
    atomic<std::uint32_t> stop{0};

    bool stopped() const { return stop.load(std::memory_order_acquire) != 0; }
    void receive() {
        for (std::uint32_t received = 0;;) {
            machine::current()->handled(received);
            if (channel.may_receive(croft::detail::acquire_load{})) {
                if (channel.front()->get() != 100) machine::current()->fail("a message is not what was sent");
                ++received;
                channel.set_ack();
                continue;
            }
            if (stopped()) return;
            channel.flush_acks();
            const auto scan = [this](auto load) {
                receiver.awaits.set(1);
                return stopped() || channel.may_receive(load);
            };
            if (!channel.receiver_waiter().tell_when_rung(scan, receiver)) continue;
            while (receiver.told.load(std::memory_order_acquire) == 0) World::sleep_while(receiver.told, 0);
            receiver.told.store(0, std::memory_order_relaxed);
        }
    }
    std::vector<std::function<void()>> threads() {
        return {[this] {
                    channel.acquire().set(100);
                    channel.publish();
                },
                [this] {
                    stop.exchange(1, std::memory_order_acq_rel);
                    if (Rings) channel.receiver_waiter().notify();
                },
                [this] { receive(); }};
    }
    std::string check() const { return ""; }
};

}  // namespace

TEST_CASE("explorer: a stop ends the wait of a coroutine, if it rings") {
    CHECK(machine().explore<stopped_receiver<symmetric>>().violation == "");
    CHECK(machine().explore<stopped_receiver<asymmetric>>().violation == "");
    CHECK(machine().explore<stopped_receiver<symmetric, false>>().violation == "a thread sleeps for ever");
}
