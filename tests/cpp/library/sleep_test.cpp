// Waiting: a sleeper is always woken, and a thread that has nothing to do uses no processor time.

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

namespace {

double processor_seconds_of_this_thread() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// A doorbell whose owner's sleeps are counted.
struct counting_system : croft::waits::operating_system {
    static inline std::atomic<int> sleeps{0}, wakes{0};
    static void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
        ++sleeps;
        operating_system::sleep_while(word, value);
    }
    static void wake_one(const std::atomic<std::uint32_t>& word) {
        ++wakes;
        operating_system::wake_one(word);
    }
};
struct counted_policies : batched_policies {
    using wait = croft::waits::doorbell<std::atomic, counting_system>;
};

// Threads run where the test says, and what a wait did before it slept is counted.
struct placed_system : counting_system {
    static inline thread_local int core = 0;
    static inline std::atomic<int> spins{0}, ways_given{0};
    static int this_core() { return core; }
    template <class Scan>
    static bool spin(Scan&, std::chrono::nanoseconds) {
        ++spins;
        return false;
    }
    template <class Scan>
    static bool give_way(Scan&) {
        ++ways_given;
        return false;
    }
};

}  // namespace

TEST_CASE("a receiver that sleeps is woken by a message") {
    counting_system::sleeps = 0;
    croft::channel<int, counted_policies> channel(1);
    int got = 0;
    std::thread receiver([&] { got = *channel.receive(); });
    while (counting_system::sleeps == 0) std::this_thread::yield();
    channel.send(42);
    receiver.join();
    CHECK(got == 42);
}

TEST_CASE("a sender that sleeps is woken by an ack, also by one that completes no batch") {
    for (const std::size_t degree : {1u, 16u}) {
        counting_system::sleeps = 0;
        croft::channel<int, counted_policies> channel(degree);
        int room = 0;
        while (channel.try_send(room)) ++room;
        std::thread sender([&] { channel.send(room); });
        while (counting_system::sleeps == 0) std::this_thread::yield();
        // The receiver takes all there is and then waits; the sender's message must come.
        for (int i = 0; i <= room; ++i) CHECK(*channel.receive() == i);
        sender.join();
    }
}

TEST_CASE("nobody is rung for while nobody sleeps") {
    counting_system::wakes = 0;
    croft::channel<int, counted_policies> channel(4);
    for (int i = 0; i < 1000; ++i) {
        channel.send(i);
        CHECK(*channel.receive() == i);
    }
    CHECK(counting_system::wakes == 0);
}

TEST_CASE("who was rung from its own core lets the ringer go first, and does not spin") {
    constexpr int here = 3, elsewhere = 4;
    for (const int ringer : {here, elsewhere}) {
        croft::waits::doorbell<std::atomic, placed_system> bell;
        placed_system::spins = placed_system::ways_given = 0;
        for (int turn = 0; turn < 2; ++turn) {  // in the first one nobody has rung yet
            placed_system::sleeps = 0;
            std::atomic<bool> set{false};
            std::thread owner([&] {
                placed_system::core = here;
                bell.wait([&set](auto) { return set.load(); });
            });
            while (placed_system::sleeps == 0) std::this_thread::yield();
            placed_system::core = ringer;
            set = true;
            bell.notify();
            owner.join();
        }
        CHECK(placed_system::spins == (ringer == here ? 1 : 2));
        CHECK(placed_system::ways_given == (ringer == here ? 1 : 0));
    }
}

TEST_CASE("whose core was gone for long gives way again ever more seldom, until it is gone for a short time") {
    using croft::waits::courtesy;
    courtesy mine;
    const auto until_due = [&mine] {
        int times = 0;
        while (!mine.is_due()) ++times;
        return times;
    };
    mine.gone_for(courtesy::long_time);
    CHECK(until_due() == 0);
    for (std::uint32_t times = courtesy::fewest; times < 2 * courtesy::most; times *= 2) {
        mine.gone_for(courtesy::long_time + std::chrono::nanoseconds(1));
        CHECK(until_due() == static_cast<int>(times));
    }
    mine.gone_for(2 * courtesy::long_time);
    CHECK(until_due() == courtesy::most);
    mine.gone_for(std::chrono::nanoseconds(0));
    CHECK(until_due() == 0);
    mine.gone_for(2 * courtesy::long_time);
    CHECK(until_due() == courtesy::fewest);
}

TEST_CASE("a receiver of many senders that sleeps is woken by any of them") {
    for (std::size_t who = 0; who < 4; ++who) {
        counting_system::sleeps = 0;
        croft::many_to_one<int, counted_policies> channel(4, 1);
        int got = 0;
        std::thread receiver([&] { got = *channel.receive(); });
        while (counting_system::sleeps == 0) std::this_thread::yield();
        channel.sender(who).send(static_cast<int>(who) + 1);
        receiver.join();
        CHECK(got == static_cast<int>(who) + 1);
    }
}

TEST_CASE_TEMPLATE("thousands of races between falling asleep and being woken", Policies, drowsy_policies,
                   drowsy_paper_policies, drowsy_packed_policies, croft::policies) {
    croft::channel<std::uint32_t, Policies> there(1), back(1);
    std::thread partner([&] {
        while (const auto message = there.receive()) back.send(*message + 1);
    });
    bool right = true;
    volatile std::uint32_t spent = 0;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        for (std::uint32_t n = 0; n < i % 97 * 8; ++n)
            spent = spent + 1;  // meet the partner at every stage of dozing off
        there.send(i);
        right &= *back.receive() == i + 1;
    }
    there.close();
    partner.join();
    CHECK(right);
}

TEST_CASE_TEMPLATE("races of several ringers for one sleeper", Policies, drowsy_policies, drowsy_packed_policies,
                   croft::policies) {
    constexpr std::uint32_t senders = 3, messages = 5000;
    croft::many_to_one<std::uint32_t, Policies> channel(senders, 1);
    std::vector<std::thread> threads;
    for (std::uint32_t s = 0; s < senders; ++s)
        threads.emplace_back([&channel, s] {
            volatile std::uint32_t spent = 0;
            for (std::uint32_t i = 0; i < messages; ++i) {
                for (std::uint32_t n = 0; n < (i + 31 * s) % 101 * 8; ++n) spent = spent + 1;
                channel.sender(s).send(i);
            }
            channel.sender(s).close();
        });
    std::uint32_t received = 0;
    while (channel.receive()) ++received;
    CHECK(received == senders * messages);
    for (std::thread& thread : threads) thread.join();
}

TEST_CASE("a waiting thread uses next to no processor time") {
    croft::channel<int> channel(1);
    double used = 1;
    std::thread receiver([&] {
        const double before = processor_seconds_of_this_thread();
        channel.receive();
        used = processor_seconds_of_this_thread() - before;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    channel.send(1);
    receiver.join();
    // A spinning thread would have used what it waited, 0.3 s, or its share of that on a busy machine.
    CHECK(used < 0.02);
}

TEST_CASE("both kinds of fences order a store before a load") {
    // Dekker's: at most one of two threads may find the other's word unset.
    std::atomic<int> x{0}, y{0};
    std::atomic<std::uint32_t> round{0}, done{0};
    constexpr std::uint32_t rounds = 5000;
    int both_blind = 0, saw_y = 0, saw_x = 0;
    std::thread light([&] {
        for (std::uint32_t i = 1; i <= rounds; ++i) {
            while (round.load() < i) {
            }
            x.store(1, std::memory_order_relaxed);
            croft::port::light_fence();
            saw_y = y.load(std::memory_order_relaxed);
            done.store(i);
        }
    });
    for (std::uint32_t i = 1; i <= rounds; ++i) {
        x = 0, y = 0;
        round.store(i);
        y.store(1, std::memory_order_relaxed);
        croft::port::heavy_fence();
        saw_x = x.load(std::memory_order_relaxed);
        while (done.load() < i) std::this_thread::yield();
        both_blind += !saw_x && !saw_y;
    }
    light.join();
    CHECK(both_blind == 0);
}
