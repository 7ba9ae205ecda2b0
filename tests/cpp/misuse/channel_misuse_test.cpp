// Each of these ends a debug build with its sentence. The calls beside it are allowed, and do not.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include <croft/channel/channel.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/kinds.hpp>
#include <croft/channel/many_to_many.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/request_reply.hpp>

#include "last_words.hpp"

namespace {

// Tells that somebody waits.
struct waits_noticeably {
    template <class Scan>
    void wait(Scan scan) {
        waiting.store(true);
        while (!scan(croft::detail::relaxed_load{})) std::this_thread::yield();
    }
    void notify() {}
    static inline std::atomic<bool> waiting{false};
};
struct noticeable : croft::policies {
    using wait = waits_noticeably;
};

// Another thread is in `call`, which waits, when `meanwhile` is done.
template <class Call, class Meanwhile>
void while_waiting(Call call, Meanwhile meanwhile) {
    waits_noticeably::waiting = false;
    std::thread other(call);
    while (!waits_noticeably::waiting) std::this_thread::yield();
    meanwhile();
    other.detach();
}

}  // namespace

TEST_CASE("what is allowed ends nothing: a second stream, ends received again and again, many at a time") {
    const auto works = [] {
        croft::channel<int> c(8);
        const std::array<int, 3> three{1, 2, 3};
        for (int round = 0; round < 3; ++round) {
            c.send(three.begin(), three.end());
            c.set_ack(c.receive_some_in_place().size());
            c.acquire() = 1;
            c.publish();
            c.close();
            if (c.receive() != 1 || c.receive() || c.receive()) std::abort();
            c.reopen();
        }
        c.leave();
        croft::request_reply<int> asked;
        asked.request() = 1;
        asked.publish();
        asked.reply(*asked.receive());
        asked.publish();
    };
    CHECK(last_words(works) == went_on);
}

TEST_CASE("channel: one sender, one receiver, at a time") {
    using channel = croft::channel<int, noticeable>;
    CHECK(last_words([] {
              channel c(1);
              while (c.try_send(1)) {
              }
              while_waiting([&] { c.send(1); }, [&] { c.try_send(2); });
          }) == "croft::channel: two threads send at the same time");
    CHECK(last_words([] {
              channel c(1);
              while_waiting([&] { c.receive(); }, [&] { c.try_receive(); });
          }) == "croft::channel: two threads receive at the same time");
    CHECK(last_words([] {
              channel c(1);
              while_waiting([&] { c.receive(); }, [&] { c.send(1); });
              std::_Exit(0);
          }) == went_on);
}

TEST_CASE("channel: not destroyed while somebody is in a call") {
    CHECK(last_words([] {
              auto c = std::make_unique<croft::channel<int, noticeable>>(1);
              while_waiting([&] { c->receive(); }, [&] { c.reset(); });
          }) == "croft::channel: destroyed while a thread is receiving");
    CHECK(last_words([] {
              auto c = std::make_unique<croft::channel<int, noticeable>>(1);
              while (c->try_send(1)) {
              }
              while_waiting([&] { c->send(1); }, [&] { c.reset(); });
          }) == "croft::channel: destroyed while a thread is sending");
}

TEST_CASE("many_to_many: more last calls than it was made for") {
    CHECK(last_words([] {
              croft::many_to_many<int> queue(2, 1, 1);
              queue.close();
              queue.close();
              queue.leave();
          }) == "it went on");
    CHECK(last_words([] {
              croft::many_to_many<int> queue(1, 1, 1);
              queue.close();
              queue.close();
          }) == "croft::many_to_many: close() by more than there are senders");
    CHECK(last_words([] {
              croft::many_to_many<int> queue(1, 1, 1);
              queue.leave();
              queue.leave();
          }) == "croft::many_to_many: leave() by more than there are receivers");
}

TEST_CASE_TEMPLATE("channel: a side's last call", Policies, croft::policies, croft::kinds::ra) {
    using channel = croft::channel<int, Policies>;
    CHECK(last_words([] {
              channel c(4);
              c.close();
              c.send(1);
          }) == "croft::channel: a send behind close()");
    CHECK(last_words([] {
              channel c(4);
              c.close();
              c.close();
          }) == "croft::channel: a send behind close()");
    CHECK(last_words([] {
              channel c(4);
              c.leave();
              c.try_receive();
          }) == "croft::channel: a receive behind leave()");
}

TEST_CASE_TEMPLATE("channel: what is published was acquired, what is acknowledged was received", Policies,
                   croft::policies, croft::kinds::ra) {
    using channel = croft::channel<int, Policies>;
    const std::string too_many = "croft::channel: set_ack() of no message, or of more than were received";
    CHECK(last_words([] {
              channel c(4);
              c.publish();
          }) == "croft::channel: publish() without an acquire()");
    CHECK(last_words([] {
              channel c(4);
              c.set_ack();
          }) == too_many);
    CHECK(last_words([] {
              channel c(4);
              c.send(1);
              c.receive();
              c.set_ack();
          }) == too_many);
    CHECK(last_words([] {
              channel c(4);
              c.send(1);
              c.receive_some_in_place();
              c.set_ack(0);
          }) == too_many);
    CHECK(last_words([] {
              channel c(4);
              c.close();
              c.receive();
              c.set_ack();
          }) == too_many);
}

TEST_CASE("channel: more at a time than were received") {
    CHECK(last_words([] {
              croft::channel<int> c(4);
              c.send(1);
              c.send(2);
              const auto some = c.receive_some_in_place();
              c.set_ack(some.size() + 1);
          }) == "croft::channel: set_ack() of no message, or of more than were received");
}

TEST_CASE("a doorbell is one thread's") {
    CHECK(last_words([] {
              croft::waits::best bell;
              std::atomic<int> asleep{0};
              const auto sleeps = [&] {
                  bell.wait([&](auto) {
                      ++asleep;
                      return false;
                  });
              };
              bell.spin_for(std::chrono::nanoseconds(0));
              std::thread one(sleeps);
              while (asleep == 0) std::this_thread::yield();
              sleeps();
          }) == "croft::waits::doorbell: two threads wait with the same one");
}

TEST_CASE("many_to_one and one_to_many: the one is one thread, the many have numbers") {
    CHECK(last_words([] {
              croft::many_to_one<int, noticeable> c(2, 1);
              while_waiting([&] { c.receive(); }, [&] { c.try_receive(); });
          }) == "croft::channel: two threads receive at the same time");
    CHECK(last_words([] {
              auto c = std::make_unique<croft::many_to_one<int, noticeable>>(2, 1);
              while_waiting([&] { c->receive(); }, [&] { c.reset(); });
          }) == "croft::channel: destroyed while a thread is receiving");
    CHECK(last_words([] {
              croft::many_to_one<int> c(2, 1);
              c.leave();
              c.receive();
          }) == "croft::channel: a receive behind leave()");
    CHECK(last_words([] {
              croft::many_to_one<int> c(2, 1);
              c.sender(2);
          }) == "croft::many_to_one: sender() of a number that none has");
    CHECK(last_words([] {
              croft::many_to_one<int> c(2, 1);
              c.set_ack();
          }) == "croft::many_to_one: set_ack() without a message");
    CHECK(last_words([] {
              croft::one_to_many<int, noticeable> c(1, 1);
              while (c.try_send(1)) {
              }
              while_waiting([&] { c.send(1); }, [&] { c.try_send(1); });
          }) == "croft::channel: two threads send at the same time");
    CHECK(last_words([] {
              auto c = std::make_unique<croft::one_to_many<int, noticeable>>(1, 1);
              while (c->try_send(1)) {
              }
              while_waiting([&] { c->send(1); }, [&] { c.reset(); });
          }) == "croft::channel: destroyed while a thread is sending");
    CHECK(last_words([] {
              croft::one_to_many<int> c(2, 1);
              c.close();
              c.send(1);
          }) == "croft::channel: a send behind close()");
    CHECK(last_words([] {
              croft::one_to_many<int> c(2, 1);
              c.acquire(2);
          }) == "croft::one_to_many: a receiver of a number that none has");
    CHECK(last_words([] {
              croft::one_to_many<int> c(2, 1);
              c.publish();
          }) == "croft::one_to_many: publish() without an acquire()");
}

TEST_CASE("inbox: its senders have gone before it, and stay away") {
    CHECK(last_words([] {
              std::optional<croft::inbox<int>::sender> sender;
              croft::inbox<int> in(1);
              sender.emplace(in.join());
          }) == "croft::inbox: destroyed before all senders have gone");
    CHECK(last_words([] {
              croft::inbox<int> in(1);
              auto sender = in.join();
              sender.close();
              sender->send(1);
          }) == "croft::inbox: a sender is used that has gone");
    CHECK(last_words([] {
              croft::inbox<int, noticeable> in(1);
              while_waiting([&] { in.receive(); }, [&] { in.try_receive(); });
          }) == "croft::channel: two threads receive at the same time");
    CHECK(last_words([] {
              croft::inbox<int> in(1);
              in.set_ack();
          }) == "croft::inbox: set_ack() without a message");
    CHECK(last_words([] {
              {
                  croft::inbox<int> in(1);
                  in.join();
                  auto second = in.join();
                  second->send(2);
                  in.receive();
              }
              {
                  croft::inbox<int> in(1);
                  auto one = in.join();
                  in.leave();
              }
              std::_Exit(0);
          }) == went_on);
}

TEST_CASE("request_reply: one client, one server, in turn") {
    CHECK(last_words([] {
              croft::request_reply<int, int, noticeable> c;
              while_waiting([&] { c.call(1); }, [&] { c.poll_reply(); });
          }) == "croft::request_reply: two threads ask at the same time");
    CHECK(last_words([] {
              croft::request_reply<int, int, noticeable> c;
              while_waiting([&] { c.receive(); }, [&] { c.try_receive(); });
          }) == "croft::request_reply: two threads serve at the same time");
    CHECK(last_words([] {
              auto c = std::make_unique<croft::request_reply<int, int, noticeable>>();
              while_waiting([&] { c->call(1); }, [&] { c.reset(); });
          }) == "croft::request_reply: destroyed while a thread is asking");
    CHECK(last_words([] {
              auto c = std::make_unique<croft::request_reply<int, int, noticeable>>();
              while_waiting([&] { c->receive(); }, [&] { c.reset(); });
          }) == "croft::request_reply: destroyed while a thread is serving");
    CHECK(last_words([] {
              croft::request_reply<int> c;
              c.publish();
              c.publish();
          }) == "croft::request_reply: publish() while a request is under way");
    CHECK(last_words([] {
              croft::request_reply<int> c;
              c.reply(1);
          }) == "croft::request_reply: publish_reply() where there is no request");
    CHECK(last_words([] {
              croft::request_reply<int> c;
              c.close();
              c.publish();
          }) == "croft::request_reply: a request behind close()");
    CHECK(last_words([] {
              croft::request_reply<int> c;
              c.leave();
              c.try_receive();
          }) == "croft::request_reply: a call of the server behind leave()");
}
