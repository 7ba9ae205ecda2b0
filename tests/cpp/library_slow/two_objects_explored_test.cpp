// A channel that is two objects over the same lines, as between two processes (mpi/in_shared_memory.hpp), here in one.
// The tests say what it does, and explore every interleaving (explorer.hpp). A thread that waits at it does so with a
// doorbell that is elsewhere. It may get up to look after something else.

#include <croft/mpi/in_shared_memory.hpp>

#include <croft/channel/batched_slots.hpp>
#include <croft/channel/many_to_one.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "explored_programs.hpp"

namespace {

using croft::mpi::line_supply;
using croft::mpi::homes::in_shared_memory;

// A wait policy that knows where its doorbell is.
template <class Bell>
struct rung {
    Bell* at = nullptr;
    template <class Scan>
    void wait(Scan scan) {
        at->wait_sleeping(scan, std::chrono::seconds(1));
    }
    void notify() { at->notify(); }
};

// Two of them over the same lines, the sender's and the receiver's, which makes them.
template <class Message, class Policies, class Bell, std::size_t Degree>
struct two_objects {
    alignas(croft::port::cache_line) unsigned char memory[64 * croft::port::cache_line] = {};
    line_supply made{memory, false}, found{memory, true};
    Bell of_sender, of_receiver;
    rung<Bell> waits_to_send{&of_sender}, waits_to_receive{&of_receiver};
    rung<Bell> rings_sender{&of_sender}, rings_receiver{&of_receiver};
    croft::channel<Message, Policies> receiver{Degree, in_shared_memory(made), &rings_sender, &waits_to_receive};
    croft::channel<Message, Policies> sender{Degree, in_shared_memory(found), &waits_to_send, &rings_receiver};
};

using native_bell = croft::waits::doorbell<std::atomic, croft::waits::operating_system>;
template <class Events>
struct native : croft::policies {
    using home = in_shared_memory;
    using events = Events;
    using wait = rung<native_bell>;
};

}  // namespace

TEST_CASE_TEMPLATE("a channel of two objects delivers everything, ends, and is left", Events, croft::events::packed,
                   croft::events::batched, croft::events::flags<>,
                   croft::events::flags<croft::events::booleans, croft::events::ack_place::own_line>) {
    {
        two_objects<std::uint32_t, native<Events>, native_bell, 16> channel;
        CHECK(channel.made.next - channel.memory == channel.found.next - channel.memory);
        std::thread sender([&channel] {
            for (std::uint32_t i = 0; i < 10'000; ++i) channel.sender.send(i);
            channel.sender.close();
        });
        std::uint32_t received = 0;
        bool right = true;
        while (const auto message = channel.receiver.receive()) right &= *message == received++;
        CHECK(right);
        CHECK(received == 10'000);
        sender.join();
        channel.receiver.reopen();
        channel.sender.send(7);
        CHECK(channel.receiver.receive() == 7u);
    }
    two_objects<std::uint32_t, native<Events>, native_bell, 1> left;
    left.receiver.leave();
    CHECK(left.sender.disconnected());
    left.sender.send(1);
    CHECK_THROWS_AS(left.sender.send(2), croft::disconnected);
}

TEST_CASE("a channel that is attached to no memory tells how much it takes, and touches none") {
    line_supply none = line_supply::of_none();
    rung<native_bell> any;
    const croft::channel<std::uint64_t, native<croft::events::packed>> channel(7, in_shared_memory(none), &any, &any);
    CHECK(none.taken_of_none() == 3 * croft::port::cache_line);  // a line of seven, one for acks, one for who has left
}

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

// Full fences, and a spin all the same.
template <class World>
struct spinning : World {
    static constexpr bool fences_fully_and_spins = true;
};
template <class World>
struct fencing : bell<spinning<World>> {
    fencing() { this->fence_fully(); }
};
struct patient_without_fence : patient {
    static void heavy_fence() {}
};
struct full_fences_forgotten : patient {
    static void full_fence() {}
};
// A ringer whose process heavy fences do not reach has a full one; the sleeper's is heavy.
struct patient_unreached : patient {
    static void light_fence() { machine::current()->full_fence(); }
};

template <class Bell>
struct in_two : modelled<known<croft::events::packed>, rung<Bell>> {
    using home = in_shared_memory;
};

template <class Bell, std::size_t Degree, std::uint32_t Messages>
struct stream_of_two_objects {
    two_objects<data, in_two<Bell>, Bell, Degree> channel;
    std::uint32_t received = 0;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    for (std::uint32_t i = 0; i < Messages; ++i) {
                        machine::current()->handled(i);
                        channel.sender.acquire().set(100 + i);
                        channel.sender.publish();
                    }
                    machine::current()->handled(Messages);
                    channel.sender.close();
                },
                [this] {
                    for (;;) {
                        machine::current()->handled(received);
                        data* const message = channel.receiver.receive_in_place();
                        if (!message) return;
                        if (message->get() != 100 + received)
                            machine::current()->fail("a message is not what was sent");
                        if (++received > Messages) return machine::current()->fail("more messages than were sent");
                        channel.receiver.set_ack();
                    }
                }};
    }
    std::string check() const { return received == Messages ? "" : "messages were lost"; }
};

// The receiver leaves without having taken anything; the sender, who waits for room, hears of it.
template <class Bell>
struct leaving_of_two_objects {
    two_objects<data, in_two<Bell>, Bell, 1> channel;
    data why;
    bool told = false;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    try {
                        for (std::uint32_t i = 0; i < 2; ++i) {
                            machine::current()->handled(i);
                            channel.sender.acquire().set(i);
                            channel.sender.publish();
                        }
                    } catch (const croft::disconnected&) {
                        told = true;
                        if (why.get() != 7) machine::current()->fail("it cannot be seen why the receiver left");
                    }
                },
                [this] {
                    why.set(7);
                    channel.receiver.leave();
                }};
    }
    std::string check() const { return told ? "" : "the sender was not told that nobody listens"; }
};

}  // namespace

TEST_CASE("explorer: a channel of two objects delivers everything, and loses no wake-up, with each pair of fences") {
    hold<stream_of_two_objects<bell<patient>, 1, 2>>();
    hold<stream_of_two_objects<bell<patient>, 2, 2>>();
    hold<stream_of_two_objects<bell<patient_unreached>, 1, 1>>();
    hold<stream_of_two_objects<fencing<patient>, 1, 1>>();
    hold<leaving_of_two_objects<bell<patient>>>();
    hold<leaving_of_two_objects<fencing<patient>>>();
}

TEST_CASE("explorer: a channel of two objects without a fence loses a wake-up, and is caught") {
    const char* const lost = "a thread sleeps for ever";
    CHECK(explore<stream_of_two_objects<bell<patient_without_fence>, 1, 1>>().violation == lost);
    CHECK(explore<stream_of_two_objects<fencing<full_fences_forgotten>, 1, 1>>().violation == lost);
    CHECK(explore<leaving_of_two_objects<bell<patient_without_fence>>>().violation == lost);
}

#endif
