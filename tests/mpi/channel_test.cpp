// Channels between processes: with 2 processes and with 4, of which those that are no end of a channel wait.
//     mpiexec -n 2 test_mpi_channel; mpiexec -n 4 test_mpi_channel

#include <doctest/doctest.h>

#include <croft/channel/channel.hpp>
#include <croft/channel/wait_any.hpp>
#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>
#include <croft/mpi/many_to_one.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/request_reply.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "meet.hpp"

namespace {

using namespace std::chrono_literals;
using croft::mpi::channel;
using croft::mpi::channel_options;
using croft::mpi::error;
using croft::mpi::kind;
using croft::mpi::processes;
using croft::mpi::world;

// From the first rank to the second one; the others do nothing.
template <class Sends, class Receives>
void between_two(Sends sends, Receives receives) {
    if (world().rank() == 0) sends();
    if (world().rank() == 1) receives();
}

constexpr kind kinds[] = {kind::shared, kind::persistent, kind::put};
constexpr kind with_frames[] = {kind::persistent, kind::put};

// What a message that is not there costs: too long for a loaded machine never to get through.
constexpr auto soon = 10s;

struct large {
    std::uint64_t words[512];
};
struct own {
    std::string name;
    std::vector<std::int32_t> numbers;
    std::vector<std::string> more;
    std::uint64_t weight = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(name, numbers, more, weight);
    }
    bool operator==(const own&) const = default;
};
// With a codec that the user has named; some of which cannot be decoded.
struct coded {
    std::unique_ptr<int> value;
};

}  // namespace

// Without cereal what is encoded is std::string alone, by this.
#if defined(CROFT_MPI_HAS_CEREAL)
#define CROFT_TEST_ENCODED std::string, own
#else
#define CROFT_TEST_ENCODED std::string
template <>
struct croft::mpi::codec<std::string> {
    static void encode(const std::string& message, std::vector<std::byte>& to) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(message.data());
        to.insert(to.end(), bytes, bytes + message.size());
    }
    static void decode(std::span<const std::byte> from, std::string& message) {
        message.assign(reinterpret_cast<const char*>(from.data()), from.size());
    }
};
#endif

template <>
struct croft::mpi::codec<coded> {
    static void encode(const coded& message, std::vector<std::byte>& to) {
        to.push_back(static_cast<std::byte>(message.value ? *message.value : 255));
    }
    static void decode(std::span<const std::byte> from, coded& message) {
        if (from.size() != 1 || from[0] == std::byte{255}) throw std::invalid_argument("no value");
        if (from[0] == std::byte{254}) throw 254;
        message.value = std::make_unique<int>(static_cast<int>(from[0]));
    }
};

TEST_CASE("mpi::channel: 100,000 messages come in order, whatever the degree") {
    for (const kind by : kinds)
        for (const std::uint32_t degree : {1u, 2u, 64u}) {
            constexpr int count = 100'000;
            CAPTURE(degree);
            between_two(
                [&] {
                    channel<int> to(world(), 0, 1, {.by = by, .degree = degree, .gather = 100us});
                    CHECK(to.by() == by);
                    for (int i = 0; i < count; ++i) to.send(i);
                    to.close();
                },
                [&] {
                    channel<int> from(world(), 0, 1, {.by = by, .degree = degree});
                    int next = 0, wrong = 0;
                    while (const auto number = from.receive()) wrong += *number != next++;
                    CHECK(next == count);
                    CHECK(wrong == 0);
                    CHECK(from.ended());
                    CHECK_FALSE(from.receive());
                });
        }
}

TEST_CASE("mpi::channel: a frame for each message that is sent singly, in place") {
    for (const kind by : kinds)
        for (const std::uint32_t degree : {1u, 2u, 5u, 64u}) {
            constexpr std::uint64_t count = 500;
            const channel_options options{.by = by, .degree = degree};
            between_two(
                [&] {
                    channel<large> to(world(), 0, 1, options);
                    for (std::uint64_t i = 0; i < count; ++i) {
                        large& next = to.acquire();
                        CHECK_MESSAGE(&next == to.try_acquire(), "the same one until it is published");
                        for (std::uint64_t& word : next.words) word = i;
                        to.publish();
                    }
                    to.close();
                },
                [&] {
                    channel<large> from(world(), 0, 1, options);
                    std::uint64_t next = 0, wrong = 0;
                    while (large* const one = from.receive_in_place()) {
                        wrong += one != from.receive_in_place();
                        for (const std::uint64_t word : one->words) wrong += word != next;
                        ++next;
                        from.set_ack();
                    }
                    CHECK(next == count);
                    CHECK(wrong == 0);
                });
        }
}

TEST_CASE("mpi::channel: ranges share frames, and are taken many at a time") {
    for (const kind by : with_frames) {
        const channel_options options{.by = by, .degree = 3, .frame_bytes = 5 * sizeof(int)};
        std::vector<int> numbers(1'001);
        std::iota(numbers.begin(), numbers.end(), 0);
        between_two(
            [&] {
                channel<int> to(world(), 0, 1, options);
                to.send(numbers.begin(), numbers.end());
                to.send(numbers.begin(), numbers.begin());
                to.close();
            },
            [&] {
                channel<int> from(world(), 0, 1, options);
                std::vector<int> found;
                std::size_t most = 0;
                for (;;) {
                    const auto some = from.receive_some_in_place();
                    if (some.empty()) break;
                    most = std::max(most, some.size());
                    const std::size_t taken = std::min<std::size_t>(some.size(), 2);
                    found.insert(found.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(taken));
                    from.set_ack(taken);
                }
                CHECK(most == 5);
                CHECK(found == numbers);
            });
    }
}

TEST_CASE("mpi::channel: a message that gathers leaves when it is flushed, when its time has passed, and at the end") {
    for (const kind by : with_frames) {
        between_two(
            [&] {
                channel<int> to(world(), 0, 1, {.by = by, .gather = 10min});
                to.send(1);
                to.send(2);
                to.flush();
                to.send(3);
                to.close();
            },
            [&] {
                channel<int> from(world(), 0, 1, {.by = by});
                CHECK(from.receive_some_in_place().size() == 2);
                from.set_ack(2);
                CHECK(from.receive_some_in_place().size() == 1);
                from.set_ack();
                CHECK_FALSE(from.receive());
            });
        between_two(
            [&] {
                channel<int> to(world(), 0, 1, {.by = by, .gather = 1ms}), end(world(), 0, 1, {.by = by});
                channel<int> answers(world(), 1, 0, {.by = by});
                to.send(1);
                std::this_thread::sleep_for(2ms);
                to.progress();
                CHECK(answers.receive_for(soon) == 1);
                to.send(2);
                std::this_thread::sleep_for(2ms);
                to.send(3);
                CHECK(answers.receive_for(soon) == 2);
                to.close(), end.close();
            },
            [&] {
                channel<int> from(world(), 0, 1, {.by = by}), end(world(), 0, 1, {.by = by});
                channel<int> answers(world(), 1, 0, {.by = by});
                CHECK(from.receive_for(soon) == 1);
                answers.send(1);
                CHECK(from.receive_for(soon) == 2);
                CHECK(from.receive_for(soon) == 3);
                answers.send(2);
                CHECK_FALSE(end.receive());
            });
    }
}

TEST_CASE_TEMPLATE("mpi::channel: what is not trivially copyable is encoded", Message, CROFT_TEST_ENCODED) {
    const auto made = [](std::size_t i) {
        const std::string text(i * 37 % 1'000, static_cast<char>('a' + i % 26));
        if constexpr (std::is_same_v<Message, std::string>)
            return text;
        else
            return own{text, std::vector<std::int32_t>(i % 9, static_cast<std::int32_t>(i)),
                       std::vector<std::string>(i % 5, text), i};
    };
    for (const kind by : with_frames)
        for (const std::size_t bytes : {13u, 64u, 8'192u}) {
            const std::size_t count = bytes == 13 ? 5 : bytes == 64 ? 40 : 300;
            const channel_options options{.by = by, .degree = 4, .frame_bytes = bytes};
            between_two(
                [&] {
                    channel<Message> to(world(), 0, 1, options);
                    std::vector<Message> some;
                    for (std::size_t i = 0; i < count; ++i) some.push_back(made(i));
                    for (const Message& each : some) to.send(each);
                    to.send(some.begin(), some.end());
                    for (const Message& each : some) {
                        to.acquire() = each;
                        to.publish();
                    }
                    to.close();
                },
                [&] {
                    channel<Message> from(world(), 0, 1, options);
                    std::size_t found = 0, wrong = 0;
                    for (; const auto one = from.receive(); ++found) wrong += *one != made(found % count);
                    CHECK(found == 3 * count);
                    CHECK(wrong == 0);
                });
        }
}

TEST_CASE("mpi::channel: a codec of one's own; and what cannot be decoded is told, and passed over") {
    between_two(
        [&] {
            channel<coded> to(world(), 0, 1);
            coded message;
            for (const int value : {7, 255, 9, 254, 10}) {
                message.value = std::make_unique<int>(value);
                to.send(message);
            }
            to.close();
        },
        [&] {
            channel<coded> from(world(), 0, 1);
            CHECK(*from.receive()->value == 7);
            CHECK_THROWS_WITH_AS(from.receive(), "croft::mpi: a message from rank 0 cannot be decoded: no value",
                                 error);
            CHECK(*from.receive()->value == 9);
            CHECK_THROWS_WITH_AS(
                from.receive(),
                "croft::mpi: a message from rank 0 cannot be decoded: an exception that is no std::exception", error);
            CHECK(*from.receive()->value == 10);
            CHECK_FALSE(from.receive());
        });
}

TEST_CASE("mpi::channel: messages of a megabyte go in frames of 8 KiB, of any number") {
    for (const kind by : with_frames)
        for (const std::uint32_t degree : {1u, 16u}) {
            const channel_options options{.by = by, .degree = degree, .frame_bytes = 8'192};
            const auto made = [](char c) { return std::string(1'000'000, c); };
            between_two(
                [&] {
                    channel<std::string> to(world(), 0, 1, options);
                    for (char c = 'a'; c < 'f'; ++c) to.send(made(c));
                    // Without waiting: the rest goes when there is room.
                    while (!to.try_send(made('f'))) std::this_thread::sleep_for(10us);
                    while (!to.may_send(croft::detail::relaxed_load{})) std::this_thread::sleep_for(10us);
                    to.close();
                },
                [&] {
                    channel<std::string> from(world(), 0, 1, options);
                    char next = 'a';
                    for (; const auto one = from.receive(); ++next) CHECK(*one == made(next));
                    CHECK(next == 'g');
                });
        }
}

TEST_CASE("mpi::channel: both directions full at the same time, and neither waits for the other for ever") {
    for (const kind by : kinds) {
        const channel_options options{.by = by, .degree = 2, .frame_bytes = sizeof(large)};
        if (world().rank() > 1) continue;
        channel<large> there(world(), 0, 1, options), back(world(), 1, 0, options);
        channel<large>&out = world().rank() == 0 ? there : back, &in = world().rank() == 0 ? back : there;
        constexpr std::uint64_t count = 2'000;
        std::uint64_t sent = 0, received = 0, wrong = 0, full = 0;
        auto one = std::make_unique<large>();
        while (sent < count || received < count) {
            while (sent < count) {
                one->words[511] = sent;
                if (!out.try_send(*one)) break;
                ++sent;
            }
            full += sent < count;
            if (const auto* came = in.try_receive_in_place()) {
                wrong += came->words[511] != received++;
                in.set_ack();
            } else {
                std::this_thread::sleep_for(1us);
            }
        }
        out.close();
        CHECK(in.receive_in_place() == nullptr);
        CHECK(wrong == 0);
        CHECK(full > 0);
    }
}

TEST_CASE("mpi::frame_link: both sides full of unread frames, and still they hear of room") {
    if (world().rank() > 1) return;
    for (const std::uint32_t slots : {1u, 2u, 3u, 16u}) {
        croft::mpi::frame_link link(world(), 1 - world().rank(), world().next_tag_with(1 - world().rank()),
                                    {.bytes = 20'000, .slots = slots});
        constexpr std::uint32_t count = 500;
        std::uint32_t sent = 0, received = 0, wrong = 0;
        while (sent < count || received < count) {
            while (sent < count) {
                std::byte* const frame = link.try_acquire();
                if (!frame) break;
                std::memcpy(frame, &sent, sizeof sent);
                link.publish(sent % 2 ? 20'000 : 4, sent);
                ++sent;
            }
            if (const auto frame = link.try_receive(); frame.data()) {
                std::uint32_t number;
                std::memcpy(&number, frame.data(), sizeof number);
                wrong += number != received || link.mark() != received || frame.size() != (received % 2 ? 20'000 : 4);
                link.release();
                ++received;
                if (received % 7 == 0) link.flush();
            } else {
                std::this_thread::sleep_for(1us);
            }
        }
        link.flush();
        while (link.in_flight() > 0) link.progress();
        CHECK(wrong == 0);
    }
}

TEST_CASE("mpi::channel: a receiver that leaves, and a sender that finds no room") {
    for (const kind by : kinds) {
        const channel_options options{.by = by, .degree = 2};
        between_two(
            [&] {
                channel<int> to(world(), 0, 1, options);
                to.send(1);
                // The room that it makes is there before it leaves: or a look for room and one for the receiver might
                // have both between them.
                MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK_THROWS_AS(
                    [&] {
                        for (;;) to.send(1);
                    }(),
                    croft::disconnected);
                CHECK(to.disconnected());
                CHECK_THROWS_AS(to.try_send(1), croft::disconnected);
                CHECK_THROWS_AS(to.acquire(), croft::disconnected);
                CHECK_THROWS_AS(to.send_for(1, 1s), croft::disconnected);
                to.close();
            },
            [&] {
                channel<int> from(world(), 0, 1, options);
                CHECK(from.receive() == 1);
                MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                from.leave();
            });
    }
}

TEST_CASE("mpi::channel: an end that is destroyed is not waited for") {
    for (const kind by : {kind::automatic, kind::persistent})
        between_two(
            [&] {
                auto to = std::make_unique<channel<int>>(world(), 0, 1, channel_options{.by = by});
                to->send(1);
                to.reset();
                channel<int> other(world(), 0, 1, {.by = by, .degree = 2});
                CHECK_THROWS_AS(
                    [&] {
                        for (;;) other.send(1);
                    }(),
                    croft::disconnected);
            },
            [&] {
                channel<int> from(world(), 0, 1, {.by = by});
                CHECK(from.receive() == 1);
                CHECK_THROWS_WITH_AS(from.receive(),
                                     "croft::mpi: rank 0 has destroyed its end of a channel without close()", error);
                const channel<int> other(world(), 0, 1, {.by = by, .degree = 2});
            });
}

TEST_CASE("mpi::channel: an end in shared memory that is destroyed before the other side is made") {
    between_two(
        [&] {
            {
                const channel<int> to(world(), 0, 1, {.by = kind::shared});
            }
            std::this_thread::sleep_for(20ms);
            channel<int> to(world(), 0, 1, {.by = kind::shared, .degree = 2});
            CHECK_THROWS_AS(
                [&] {
                    for (;;) to.send(1);
                }(),
                croft::disconnected);
        },
        [&] {
            std::this_thread::sleep_for(10ms);
            channel<int> from(world(), 0, 1, {.by = kind::shared});
            CHECK_THROWS_WITH_AS(from.receive(),
                                 "croft::mpi: rank 0 has destroyed its end of a channel without close()", error);
            {
                const channel<int> other(world(), 0, 1, {.by = kind::shared, .degree = 2});
            }
        });
}

TEST_CASE("mpi::channel: a ring of processes, each of which makes and uses first what it sends by") {
    const int mine = world().rank(), size = world().size();
    if (size < 3) return;  // two would make them in different orders
    for (const kind by : {kind::automatic, kind::shared, kind::persistent}) {
        const channel_options options{.by = by, .degree = 4};
        channel<int> to(world(), mine, (mine + 1) % size, options);
        channel<int> from(world(), (mine + size - 1) % size, mine, options);
        CHECK(to.by() == (by == kind::automatic ? kind::shared : by));
        for (int i = 0; i < 3; ++i) to.send(i);
        to.close();
        for (int i = 0; i < 3; ++i) CHECK(from.receive() == i);
        CHECK_FALSE(from.receive());
    }
}

TEST_CASE("mpi::channel: calls with a time, and with a stop") {
    for (const kind by : kinds) {
        const channel_options options{.by = by, .degree = 2};
        between_two(
            [&] {
                channel<int> to(world(), 0, 1, options), go(world(), 1, 0, options);
                CHECK(go.receive() == 0);
                CHECK(to.send_for(1, soon));
                CHECK(to.send_for(2, soon));
                CHECK_FALSE(to.send_for(3, 5ms));
                std::stop_source stop;
                stop.request_stop();
                CHECK_FALSE(to.send_until(3, stop.get_token()));
                CHECK(to.acquire_for(1us) == nullptr);
                go.leave();
                if (int* const next = to.acquire_for(soon)) *next = 3, to.publish();
                to.close();
            },
            [&] {
                channel<int> from(world(), 0, 1, options), go(world(), 1, 0, options);
                const auto begin = std::chrono::steady_clock::now();
                CHECK_FALSE(from.receive_for(5ms));
                CHECK(std::chrono::steady_clock::now() - begin >= 5ms);
                CHECK_FALSE(from.ended());
                std::stop_source stop;
                std::thread stops([&] { std::this_thread::sleep_for(3ms), stop.request_stop(); });
                CHECK_FALSE(from.receive_until(stop.get_token()));
                stops.join();
                go.send(0);
                while (!go.disconnected()) std::this_thread::sleep_for(100us);
                CHECK(from.receive_for(soon) == 1);
                CHECK(from.receive_until(std::chrono::steady_clock::now() - 1s) == 2);
                CHECK(from.receive_for(soon) == 3);
                CHECK_FALSE(from.receive_for(soon));
                CHECK(from.ended());
            });
    }
}

TEST_CASE("mpi::channel: sides that are made differently are told so, both, with the other's rank") {
    if (world().rank() > 1) return;
    const bool first = world().rank() == 0;
    const auto expect = [first](auto message, channel_options options, bool sends) {
        const int other = first ? 1 : 0;
        CAPTURE(static_cast<int>(options.by));
        try {
            channel<decltype(message)> one(world(), sends == first ? 0 : 1, sends == first ? 1 : 0, options);
            if (sends)
                for (;;) one.send(message);
            one.receive();
            FAIL_CHECK("nothing was thrown");
        } catch (const error& thrown) {
            CHECK(thrown.rank() == other);
            CHECK(std::string(thrown.what()).starts_with("croft::mpi: rank " + std::to_string(other)));
        }
    };
    expect(0, {.degree = first ? 4u : 8u}, first);
    expect(0, {.frame_bytes = first ? 64u : 128u}, first);
    if (first)
        expect(std::uint64_t{}, {.frame_bytes = 64}, true);
    else
        expect(std::uint32_t{}, {.frame_bytes = 64}, false);
    expect(0, {}, true);
    expect(0, {}, false);
    for (const kind other : kinds) {
        expect(0, {.by = first ? other : kind::put, .degree = first ? 4u : 8u}, first);
        expect(0, {.by = first ? kind::shared : other, .degree = first ? 4u : 8u}, !first);
        expect(0, {.by = other, .degree = first ? 4u : 8u}, !first);
        if (other == kind::put) expect(0, {.by = kind::put, .frame_bytes = first ? 4u : 8u}, first);
    }
}

TEST_CASE("mpi::channel: what no channel can be made of is refused at once") {
    const auto refuses = [](int sender, int receiver, channel_options options, const char* why) {
        const std::string sentence = "croft::mpi: at rank " + std::to_string(world().rank()) + ": " + why;
        CHECK_THROWS_WITH_AS(channel<large>(world(), sender, receiver, options), sentence.c_str(), error);
    };
    const int mine = world().rank(), others = world().size() == 1 ? 0 : (mine + 1) % world().size();
    refuses(mine, world().size(), {},
            ("there is no rank " + std::to_string(world().size()) + " in a group of " + std::to_string(world().size()))
                .c_str());
    refuses(-1, mine, {}, ("there is no rank -1 in a group of " + std::to_string(world().size())).c_str());
    refuses(mine, mine, {}, "a channel has two ends in two processes, and this one would be both");
    refuses(mine, others, {.degree = 0}, "a channel needs at least one frame");
    refuses(mine, others, {.frame_bytes = 100}, "a message takes 4096 bytes, and the frames that were asked for 100");
    CHECK_THROWS_WITH_AS(channel<std::string>(world(), mine, others, {.by = kind::shared}),
                         ("croft::mpi: at rank " + std::to_string(mine) +
                          ": a message in shared memory is its bytes: it has to be trivially copyable")
                             .c_str(),
                         error);
    if (world().size() > 2) {
        const int third = (mine + 2) % world().size();
        refuses(others, third, {},
                ("this process is neither end of a channel from rank " + std::to_string(others) + " to rank " +
                 std::to_string(third))
                    .c_str());
    }
}

TEST_CASE("mpi::channel: a group is good for one after the other, made by some of its processes only") {
    processes group(MPI_COMM_WORLD);
    for (int round = 0; round < 20; ++round) {
        const kind by = round % 4 == 3 ? kind::put : round % 4 == 2 ? kind::shared : kind::persistent;
        for (int sender = 0; sender + 1 < group.size(); ++sender) {
            // Not all that was sent is received, now and then; then the sender may hear of it, or not.
            const int received = round % 3 ? 100 : 50;
            if (group.rank() == sender) {
                channel<int> to(group, sender, sender + 1, {.by = by});
                try {
                    for (int i = 0; i < 100; ++i) to.send(i + round);
                    if (round % 2) to.close();
                } catch (const croft::disconnected&) {
                    CHECK(received < 100);
                }
            } else if (group.rank() == sender + 1) {
                channel<int> from(group, sender, sender + 1, {.by = by});
                for (int i = 0; i < received; ++i) CHECK(from.receive() == i + round);
                if (by == kind::put) from.leave();
            }
        }
    }
    mpi_test::meet(world());
}

TEST_CASE("mpi::many_to_one: of all others, each in its order, and fair") {
    if (world().size() < 2) return;
    for (const kind by : kinds) {
        std::vector<int> senders(static_cast<std::size_t>(world().size() - 1));
        std::iota(senders.begin(), senders.end(), 1);
        croft::mpi::many_to_one<int> all(world(), senders, 0, {.by = by, .degree = 4, .frame_bytes = 64});
        constexpr int count = 2'000;
        if (world().rank() != 0) {
            std::vector<int> numbers(count);
            std::iota(numbers.begin(), numbers.end(), 0);
            all.send(numbers.begin(), numbers.begin() + count / 2);
            for (int i = count / 2; i < count; ++i) all.send(i);
            all.close();
        } else {
            std::vector<int> next(senders.size() + 1);
            int wrong = 0;
            CHECK_FALSE(all.ended());
            while (const auto number = all.receive())
                wrong += *number != next[static_cast<std::size_t>(all.last_sender())]++;
            CHECK(all.ended());
            CHECK(wrong == 0);
            for (std::size_t i = 1; i < next.size(); ++i) CHECK(next[i] == count);
        }
    }
}

TEST_CASE("mpi::many_to_one: strings, with a time; and a receiver that leaves") {
    if (world().size() < 2) return;
    std::vector<int> senders(static_cast<std::size_t>(world().size() - 1));
    std::iota(senders.begin(), senders.end(), 1);
    croft::mpi::many_to_one<std::string> all(world(), senders, 0, {.degree = 2, .frame_bytes = 50});
    if (world().rank() != 0) {
        all.send(std::string(1'000, static_cast<char>('a' + world().rank())));
        CHECK_THROWS_AS(
            [&] {
                for (;;) all.send("more");
            }(),
            croft::disconnected);
    } else {
        for (std::size_t left = senders.size(); left > 0;) {
            const auto text = all.receive_for(soon);
            REQUIRE(text);
            left -= *text == std::string(1'000, static_cast<char>('a' + all.last_sender()));
        }
        all.leave();
    }
}

TEST_CASE("mpi::request_reply: by value, in place, strings, with a time, and the end") {
    for (const kind by : kinds)
        between_two(
            [&] {
                croft::mpi::request_reply<std::uint32_t, std::uint64_t> desk(world(), 0, 1, {.by = by, .degree = 1});
                CHECK(desk.by() == by);
                std::uint64_t wrong = 0;
                for (std::uint32_t i = 0; i < 2'000; ++i) wrong += desk.call(i) != i + 1u;
                for (std::uint32_t i = 0; i < 2'000; ++i) {
                    desk.request() = i;
                    desk.publish();
                    wrong += desk.await_reply() != i + 1u;
                    wrong += desk.await_reply() != i + 1u;
                }
                CHECK(wrong == 0);
                CHECK_FALSE(desk.call_for(1'000'000, 1ms));
                CHECK(desk.call(5) == 6);
                desk.close();
                croft::mpi::request_reply<std::string> words(
                    world(), 0, 1, {.by = by == kind::shared ? kind::automatic : by, .degree = 1, .frame_bytes = 10});
                for (std::size_t i = 0; i < 100; ++i)
                    CHECK(words.call(std::string(i, 'a')) == std::string(i, 'a') + "?");
                CHECK_THROWS_AS(words.call("last"), croft::disconnected);
            },
            [&] {
                croft::mpi::request_reply<std::uint32_t, std::uint64_t> desk(world(), 0, 1, {.by = by, .degree = 1});
                for (std::uint32_t i = 0; i < 2'000; ++i) desk.reply(*desk.receive() + 1u);
                while (const auto* const asked = desk.receive_in_place()) {
                    if (*asked == 1'000'000) std::this_thread::sleep_for(20ms);
                    desk.reply() = *asked + 1u;
                    desk.publish_reply();
                }
                CHECK(desk.ended());
                croft::mpi::request_reply<std::string> words(
                    world(), 0, 1, {.by = by == kind::shared ? kind::automatic : by, .degree = 1, .frame_bytes = 10});
                for (int i = 0; i < 100; ++i) words.reply(*words.receive() + "?");
                words.leave();
            });
}

TEST_CASE("wait_any: one thread waits for another process and for another thread") {
    between_two(
        [&] {
            channel<int> remote(world(), 0, 1), turn(world(), 1, 0);
            for (int i = 0; i < 5; ++i) {
                remote.send(i);
                CHECK(turn.receive() == i);
            }
            remote.close();
        },
        [&] {
            croft::mpi::waiter waiter;
            channel<int> remote(world(), 0, 1, {.receiver_waiter = &waiter}), turn(world(), 1, 0);
            croft::channel<int, croft::mpi::policies> local(4, {}, nullptr, &waiter);
            std::thread other([&] {
                for (int i = 0; i < 50; ++i) {
                    if (i % 10 == 0) std::this_thread::sleep_for(2ms);
                    local.send(i);
                }
                local.close();
            });
            int here = 0, there = 0;
            while (croft::wait_any(local, remote)) {
                if (const auto number = local.try_receive()) CHECK(*number == here++);
                if (const auto number = remote.try_receive()) {
                    CHECK(*number == there++);
                    turn.send(*number);
                }
            }
            other.join();
            CHECK(here == 50);
            CHECK(there == 5);
        });
}

TEST_CASE("one waiter for channels in shared memory, over messages and of its own process, asleep most of the time") {
    struct usage {
        static double of_this_thread() {
            rusage found{};
            getrusage(RUSAGE_THREAD, &found);
            return static_cast<double>(found.ru_utime.tv_sec + found.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(found.ru_utime.tv_usec + found.ru_stime.tv_usec);
        }
    };
    between_two(
        [&] {
            channel<int> near(world(), 0, 1, {.by = kind::shared}), far(world(), 0, 1, {.by = kind::persistent});
            channel<int> turn(world(), 1, 0);
            for (int i = 0; i < 20; ++i) {
                (i % 2 ? near : far).send(i / 2);
                CHECK(turn.receive() == i / 2);
            }
            std::this_thread::sleep_for(300ms);
            near.close();
            far.close();
        },
        [&] {
            croft::mpi::waiter mine;
            // The local one is rung by a thread before the others are made, and while they are.
            croft::channel<int, croft::mpi::policies> local(1, {}, nullptr, &mine);
            std::thread other([&] {
                for (int i = 0; i < 200; ++i) {
                    if (i % 40 == 39) std::this_thread::sleep_for(1ms);
                    local.send(i);
                }
                std::this_thread::sleep_for(300ms);
                local.close();
            });
            int here = 0;
            for (; here < 20; ++here) CHECK(local.receive() == here);
            channel<int> near(world(), 0, 1, {.by = kind::shared, .receiver_waiter = &mine});
            for (; here < 40; ++here) CHECK(local.receive() == here);
            channel<int> far(world(), 0, 1, {.by = kind::persistent, .receiver_waiter = &mine});
            channel<int> turn(world(), 1, 0);
            int from_near = 0, from_far = 0;
            double used = 0, asleep = 0;
            const auto more = [&] {
                const double before = usage::of_this_thread();
                const auto begin = std::chrono::steady_clock::now();
                const bool found = croft::wait_any(local, near, far);
                const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
                if (took > 100ms) used += usage::of_this_thread() - before, asleep += took.count();
                return found;
            };
            while (more()) {
                if (const auto number = local.try_receive()) CHECK(*number == here++);
                if (const auto number = near.try_receive()) {
                    CHECK(*number == from_near++);
                    turn.send(*number);
                }
                if (const auto number = far.try_receive()) {
                    CHECK(*number == from_far++);
                    turn.send(*number);
                }
            }
            other.join();
            CHECK(here == 200);
            CHECK(from_near == 10);
            CHECK(from_far == 10);
            CHECK(asleep > 0.1);
            CHECK_MESSAGE(used < 0.1 * asleep, "seconds of ", asleep, ": ", used);
        });
}

// Only of a thread that waits for no MPI: it does not look at all.
TEST_CASE("a waiter that has a name is rung by its own threads without naps") {
    for (int round = 0; round < 20; ++round) {
        croft::mpi::waiter mine;
        mine.spin_for(0us);
        croft::channel<int, croft::mpi::policies> there(1, {}, nullptr, &mine), back(1);
        std::thread other([&] {
            for (int i = 0; i < 400; ++i) {
                there.send(i);
                back.receive();
            }
        });
        bool right = true;
        for (int i = 0; i < 400; ++i) {
            if (i == 10 * round) mine.named();
            right &= there.receive() == i;
            back.send(i);
        }
        other.join();
        CHECK(right);
    }
}
