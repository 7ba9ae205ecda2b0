// What a receiver of many looks at: of each sender a flag, and what it holds until there is something
// (pending_flags.hpp).

#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/pending_flags.hpp>
#include <croft/paper/channel/at_reader_allocating.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <vector>

#include "policies_under_test.hpp"

namespace {

template <class Policies>
constexpr bool keeps_flags = croft::channel<int*, Policies>::has_next_flag;

// Where a look is a load and nothing else.
static_assert(keeps_flags<turns_policies> && keeps_flags<paper_policies> && keeps_flags<split_policies>);
static_assert(keeps_flags<homed_policies<croft::homes::at_reader, split_policies>>);
static_assert(keeps_flags<homed_policies<croft::homes::at_sender, turns_policies>>);
static_assert(keeps_flags<croft::baseline::ra_home_allocating>);
// Where somebody wants to hear of it, or to know from where; where there are other events.
static_assert(!keeps_flags<homed_policies<croft::homes::incoherent, paper_policies>>);
static_assert(!keeps_flags<homed_policies<croft::homes::forwarded, paper_policies>>);
static_assert(!keeps_flags<packed_policies> && !keeps_flags<batched_policies>);
static_assert(!keeps_flags<croft::baseline::with_null_slots<turns_policies>>);

struct plain_word {
    std::uint32_t value = 0;
    void store(std::uint32_t to, std::memory_order) { value = to; }
    std::uint32_t load(std::memory_order) const { return value; }
};

template <class Flag>
void reaches_its_turn(std::uint32_t turn, croft::detail::announcement before) {
    using pending = croft::detail::pending_flag<plain_word, croft::detail::plain_lines, Flag::ready_changes>;
    plain_word flag{Flag::no_ready};
    if (turn != 0) Flag::set_ready(flag, turn - 1, before);
    Flag::reset_ready(flag);
    const pending next{&flag, Flag::before_ready(turn)};
    croft::detail::relaxed_load load;
    CAPTURE(turn);
    CHECK_FALSE(next.is_ready(load));
    CHECK_FALSE(Flag::ready(flag.value, turn));
    for (const auto what : {croft::detail::announcement::message, croft::detail::announcement::end}) {
        Flag::set_ready(flag, turn, what);
        CHECK(next.is_ready(load));
        CHECK(Flag::ready(flag.value, turn));
    }
}

// `senders` of one slot, of which the receiver begins to look at number `first`.
template <class Policies>
struct begun_at {
    croft::many_to_one<std::uint32_t, Policies> channel;
    explicit begun_at(std::size_t senders, std::size_t degree, std::size_t first) : channel(senders, degree) {
        channel.sender((first + senders - 1) % senders).send(0);
        channel.receive();
    }
};

}  // namespace

TEST_CASE("a flag is pending until its turn, whatever it announced before, and when turns wrap") {
    for (const std::uint32_t turn : {0u, 1u, 2u, 0x7fff'fffeu, 0x7fff'ffffu, 0x8000'0000u, 0x8000'0001u, 0xffff'ffffu})
        for (const auto before : {croft::detail::announcement::message, croft::detail::announcement::end}) {
            reaches_its_turn<croft::events::turns>(turn, before);
            reaches_its_turn<croft::events::booleans>(turn, before);
        }
}

TEST_CASE_TEMPLATE("the one of many that has a message is found, wherever the round begins", Policies, turns_policies,
                   paper_policies, split_policies, batched_policies, packed_policies,
                   croft::baseline::ra_home_allocating) {
    for (const std::size_t senders : {1u, 2u, 4u, 5u, 6u, 9u, 13u})
        for (std::size_t first = 0; first < senders; ++first)
            for (std::size_t from = 0; from < senders; ++from) {
                begun_at<Policies> of(senders, 1, first);
                CAPTURE(senders);
                CAPTURE(first);
                CAPTURE(from);
                REQUIRE_FALSE(of.channel.may_receive(croft::detail::relaxed_load{}));
                REQUIRE_FALSE(of.channel.try_receive().has_value());
                for (std::uint32_t i = 0; i < 3; ++i) {  // each time it is its next turn
                    of.channel.sender(from).send(i);
                    REQUIRE(of.channel.may_receive(croft::detail::relaxed_load{}));
                    REQUIRE(of.channel.receive() == i);
                    REQUIRE(of.channel.last_sender() == from);
                    REQUIRE_FALSE(of.channel.may_receive(croft::detail::relaxed_load{}));
                }
            }
}

TEST_CASE_TEMPLATE("many senders take turns, those that go are left out, and no slot is mistaken for another", Policies,
                   turns_policies, split_policies) {
    constexpr std::size_t senders = 11, degree = 3;
    croft::many_to_one<std::uint32_t, Policies> channel(senders, degree);
    std::vector<std::uint32_t> sent(senders), received(senders);
    std::vector<bool> here(senders, true);
    for (std::size_t round = 0; round < senders; ++round) {
        for (std::size_t i = 0; i < senders; ++i)
            for (std::size_t n = 0; here[i] && n < 1 + (i + round) % degree; ++n) channel.sender(i).send(sent[i]++);
        // In the middle of the list; the end comes behind the messages.
        const std::size_t going = round * 4 % senders;
        std::optional<std::size_t> last;
        for (bool more = true; more;) {
            auto* const message = channel.try_receive_in_place();
            if (!message) break;
            const std::size_t from = channel.last_sender();
            CHECK(*message == received[from]++);
            CHECK(channel.may_receive(croft::detail::relaxed_load{}));  // the one that it holds
            if (last && *last == from)                                  // only if no other has any
                for (std::size_t i = 0; i < senders; ++i) CHECK((i == from || received[i] == sent[i]));
            last = from;
            channel.set_ack();
        }
        CHECK(received == sent);
        here[going] = false;
        channel.sender(going).close();
        CHECK(channel.may_receive(croft::detail::relaxed_load{}));
        CHECK_FALSE(channel.try_receive().has_value());
        CHECK(channel.ended() == (round + 1 == senders));
        if (!channel.ended()) CHECK_FALSE(channel.may_receive(croft::detail::relaxed_load{}));
    }
}

TEST_CASE_TEMPLATE("a place in an inbox whose stream has ended is taken again, among many", Policies, turns_policies,
                   paper_policies, split_policies) {
    for (const std::size_t degree : {1u, 2u}) {
        croft::inbox<int, Policies> inbox(degree);
        std::deque<std::optional<typename croft::inbox<int, Policies>::sender>> places;
        for (int i = 0; i < 7; ++i) places.emplace_back(inbox.join());
        for (int visit = 0; visit < 20; ++visit) {
            for (int look = 0; look < 2; ++look) REQUIRE_FALSE(inbox.try_receive().has_value());
            REQUIRE(inbox.senders() == 7);
            const std::size_t one = static_cast<std::size_t>(visit) * 3 % 7;
            for (int i = 0; i < visit % 3; ++i) {
                (*places[one])->send(visit);
                REQUIRE(inbox.may_receive(croft::detail::relaxed_load{}));
                REQUIRE(inbox.receive() == visit);
            }
            places[one].reset();
            REQUIRE_FALSE(inbox.try_receive().has_value());
            REQUIRE(inbox.senders() == 6);
            REQUIRE_FALSE(inbox.may_receive(croft::detail::relaxed_load{}));
            places[one].emplace(inbox.join());
        }
        inbox.close();
        places.clear();
        REQUIRE_FALSE(inbox.receive().has_value());
    }
}

TEST_CASE("packed flags: one slot a sender, and at least one sender") {
    using packed = croft::many_to_one<int, croft::baseline::ra_home_allocating>;
    CHECK_THROWS_WITH_AS(packed(3, 2), "croft::many_to_one: with packed flags each sender has one slot, not 2",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(packed(0, 1), "croft::many_to_one: there has to be at least one sender",
                         std::invalid_argument);
}

TEST_CASE("packed flags: in place, in turns, and to the end of all") {
    croft::many_to_one<int, croft::baseline::ra_home_allocating> channel(3, 1);
    for (int i = 0; i < 3; ++i) channel.sender(static_cast<std::size_t>(i)).send(i);
    int* const first = channel.receive_in_place();
    CHECK(*first == 0);
    CHECK(channel.try_receive_in_place() == first);
    CHECK_FALSE(channel.sender(0).try_send(3));  // not before it is acknowledged
    channel.set_ack();
    CHECK(channel.sender(0).try_send(3));
    for (const int expected : {1, 2, 3}) CHECK(channel.receive() == expected);
    channel.sender(1).close();
    CHECK_FALSE(channel.try_receive().has_value());
    CHECK_FALSE(channel.ended());
    channel.sender(2).send(4);
    CHECK(channel.receive() == 4);
    CHECK(channel.last_sender() == 2);
    channel.sender(2).close();
    channel.sender(0).close();
    CHECK_FALSE(channel.receive().has_value());
    CHECK(channel.ended());
}
