// Every channel, with messages whose every copy, move and construction fails once, and every allocation (failing.hpp).
// A send that throws has sent nothing, a receive that throws has received nothing: who does it again loses and repeats
// nothing.

#include <croft/channel/channel.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/coroutine/async_close.hpp>
#include <croft/coroutine/async_receive.hpp>
#include <croft/coroutine/async_send.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "failing.hpp"
#include "policies_under_test.hpp"

using failing::thing;
using numbers = std::vector<int>;

namespace {

constexpr auto once = [](auto step) { return step(); };
// With room for all.
numbers no_numbers() {
    numbers none;
    none.reserve(100);
    return none;
}

// Checks `attempt(again)` with each step done once, and with a step that throws done again.
template <class Attempt>
void check(const std::string& which, Attempt attempt) {
    failing::at_every_place(which, [&] { return attempt(once); });
    failing::and_once_more(which, attempt);
}
// Every way to send, with room for them, and all of it in order.
template <class Again, class Sender>
void send_all(const Again& again, Sender& to) {
    again([&] { to.send(thing(1)); });
    again([&] { to.try_send(thing(2)); });
    again([&] {
        const thing three(3);
        to.try_send(three);
    });
    again([&] { to.send_for(thing(4), std::chrono::hours(1)); });
    again([&] {
        thing& slot = to.acquire();
        slot = thing(5);
        to.publish();
    });
    again([&] {
        const thing six(6);
        to.send_until(six, std::chrono::steady_clock::time_point::max());
    });
}
constexpr int sent = 6;
// Every way to receive, what there is.
template <class Again, class Receiver>
void receive_all(const Again& again, Receiver& from, numbers& got, int count = sent) {
    for (int i = 0; i < count; ++i) {
        // (Each says so in one step that does not throw behind the receive.)
        again([&] {
            switch (i % 4) {
                case 0:
                    return got.push_back(from.receive()->value());
                case 1:
                    return got.push_back(from.try_receive()->value());
                case 2:
                    return got.push_back(from.receive_for(std::chrono::hours(1))->value());
                default:
                    got.push_back(from.receive_in_place()->value());
                    from.set_ack();
            }
        });
    }
}

}  // namespace

TEST_CASE_TEMPLATE("failures at every place of a channel", Policies, packed_policies, turns_policies,
                   turns_split_policies, batched_policies) {
    check("channel", [](const auto& again) {
        std::optional<croft::channel<thing, Policies>> channel;
        again([&] { channel.emplace(8); });
        numbers got = again(no_numbers);
        for (int round = 0; round < 3; ++round) {
            send_all(again, *channel);
            receive_all(again, *channel, got);
        }
        send_all(again, *channel);
        again([&] { got.push_back(channel->receive()->value()); });
        return got;  // the others go with the channel
    });
    check("channel, ranges", [](const auto& again) {
        std::optional<croft::channel<thing, Policies>> channel;
        again([&] { channel.emplace(8); });
        const std::optional<std::vector<thing>> all = again([] {
            std::vector<thing> made;
            made.reserve(7);
            for (int i = 0; i < 7; ++i) made.emplace_back(i);
            return std::optional(std::move(made));
        });
        numbers got = again(no_numbers);
        std::size_t next = 0;
        again([&] {
            // Where it threw, all before were sent.
            while (const auto one = channel->try_receive()) got.push_back(one->value()), ++next;
            channel->send(all->begin() + static_cast<std::ptrdiff_t>(next), all->end());
        });
        receive_all(again, *channel, got, 7 - static_cast<int>(next));
        return got;
    });
}

TEST_CASE("failures at every place of the channels of several") {
    check("many_to_one", [](const auto& again) {
        std::optional<croft::many_to_one<thing>> all;
        again([&] { all.emplace(2, 8); });
        numbers got = again(no_numbers);
        for (const std::size_t sender : {0, 1}) {
            send_all(again, all->sender(sender));
            receive_all(again, *all, got);
        }
        send_all(again, all->sender(1));
        return got;
    });
    check("one_to_many", [](const auto& again) {
        std::optional<croft::one_to_many<thing>> all;
        again([&] { all.emplace(2, 8); });
        numbers got = again(no_numbers);
        send_all(again, *all);
        for (const std::size_t receiver : {1, 0})
            while (all->receiver(receiver).may_receive(croft::detail::acquire_load{}))
                receive_all(again, all->receiver(receiver), got, 1);
        std::sort(got.begin(), got.end());  // who gets which is not said
        send_all(again, *all);
        return got;
    });
    check("inbox", [](const auto& again) {
        std::optional<croft::inbox<thing>> all;
        again([&] { all.emplace(8); });
        numbers got = again(no_numbers);
        for (int round = 0; round < 3; ++round) {
            auto first = again([&] { return all->join(); }), second = again([&] { return all->join(); }),
                 third = again([&] { return all->join(); });
            for (auto* each : {&second, &third, &first}) {
                send_all(again, **each);
                receive_all(again, *all, got);
            }
            send_all(again, *first);
            receive_all(again, *all, got);
        }
        auto last = again([&] { return all->join(); });
        again([&] { last->send(thing(7)); });
        return got;
    });
    check("inbox, left", [](const auto& again) {
        std::optional<croft::inbox<thing>> all;
        again([&] { all.emplace(8); });
        auto first = again([&] { return all->join(); });
        send_all(again, *first);
        numbers got = again(no_numbers);
        receive_all(again, *all, got, 1);
        auto second = again([&] { return all->join(); });
        again([&] { all->leave(); });
        got.push_back(first->disconnected());
        got.push_back(second->disconnected());
        return got;
    });
    check("request_reply", [](const auto& again) {
        std::optional<croft::request_reply<thing>> desk;
        again([&] { desk.emplace(); });
        numbers got = again(no_numbers);
        for (int round = 0; round < 3; ++round) {
            again([&] { desk->request() = thing(round); });
            desk->publish();
            again([&] { got.push_back(desk->receive()->value()); });
            again([&] { desk->reply(thing(round + 10)); });
            again([&] { got.push_back(thing(desk->await_reply()).value()); });
        }
        return got;
    });
}

TEST_CASE("failures at every place of a call") {
    failing::at_every_place("call", [] {
        croft::request_reply<thing> desk;
        std::jthread server([&] {
            while (thing* const asked = desk.receive_in_place()) {
                desk.reply().become(asked->value() + 1);
                desk.publish_reply();
            }
        });
        struct close {
            ~close() { desk.close(); }
            croft::request_reply<thing>& desk;
        } const at_end{desk};
        numbers got = no_numbers();
        for (int i = 0; i < 3; ++i) got.push_back(desk.call(thing(i)).value());
        got.push_back(desk.call_for(thing(3), std::chrono::hours(1))->value());
        return got;
    });
}
