// Messages between two threads, for who looks at how they come: messages KIND sends 100 from one to the other,
// `answers` as many there and back.

#include <cstdio>
#include <cstring>
#include <thread>

#include <croft/channel/batched_slots.hpp>
#include <croft/channel/channel.hpp>
#include <croft/channel/kinds.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/paper/channel/lamport_queue.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>

namespace {

constexpr int count = 100;

struct turns : croft::policies {};
struct batched : croft::policies {
    using events = croft::events::batched;
};

template <class Channel, class Message>
void stream(Channel& channel, Message message) {
    std::thread receiver([&channel] {
        while (channel.receive()) {
        }
    });
    for (int i = 0; i < count; ++i) channel.send(message);
    channel.close();
    receiver.join();
}

template <class Policies>
void words() {
    croft::channel<int, Policies> channel(3);
    stream(channel, 1);
}

template <class Queue>
void pointers() {
    int item = 0;
    Queue queue(16);
    stream(queue, &item);
}

void answers() {
    croft::request_reply<int, int> channel;
    std::thread server([&channel] {
        while (const auto request = channel.receive()) channel.reply(*request + 1);
    });
    for (int i = 0; i < count; ++i)
        if (channel.call(i) != i + 1) std::puts("wrong");
    channel.close();
    server.join();
}

}  // namespace

int main(int argument_count, char** arguments) {
    const auto is = [&](const char* name) { return argument_count > 1 && std::strcmp(arguments[1], name) == 0; };
    if (is("udn")) words<croft::kinds::udn>();
    if (is("ra")) words<croft::kinds::ra>();
    if (is("ra-home")) words<croft::kinds::ra_home>();
    if (is("ra-hf")) words<croft::kinds::ra_hf>();
    if (is("turns")) words<turns>();
    if (is("batched")) words<batched>();
    if (is("null-slot")) pointers<croft::null_slot_queue<int*>>();
    if (is("lamport")) pointers<croft::lamport_queue<int*>>();
    if (is("unbounded")) pointers<croft::unbounded_queue<int*>>();
    if (is("answers")) answers();
}
