// Waiting for a bounded time, and a receiver that leaves, over each kind of channel: a line for each, the same
// everywhere.

#include <croft/channel/kinds.hpp>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

using namespace std::chrono_literals;

template <class Policies>
void wait_for_a_while(const char* kind) {
    croft::channel<int, Policies> channel(2, {.sender = 0, .receiver = 1, .home = 1});
    int received = 0, sum = 0;
    std::thread receiver([&] {
        while (received < 20)
            if (const auto message = channel.receive_for(3us)) {
                ++received;
                sum += *message;
            }
        while (channel.receive()) ++received;
    });
    for (int i = 0; i < 20; ++i)
        while (!channel.send_for(i, 2us)) {
        }
    channel.close();
    receiver.join();
    std::printf("%s: %d messages, sum %d\n", kind, received, sum);
}

template <class Policies>
struct leaving : Policies {
    static constexpr bool receivers_leave = true;
};
template <class Policies>
void leave(const char* kind) {
    croft::channel<int, leaving<Policies>> channel(2, {.sender = 0, .receiver = 1, .home = 1});
    std::thread receiver([&] {
        channel.receive();
        channel.leave();
    });
    try {
        for (;;) channel.send(1);
    } catch (const croft::disconnected& error) {
        std::printf("%s: %s\n", kind, error.what());
    }
    receiver.join();
}

}  // namespace

int main() {
    wait_for_a_while<croft::policies>("default");
    wait_for_a_while<croft::kinds::ra_hf_drop>("ra-hf-drop");
    wait_for_a_while<croft::kinds::ra_udn>("ra-udn");
    wait_for_a_while<croft::kinds::udn>("udn");
    leave<croft::policies>("default");
    leave<croft::kinds::ra_home>("ra-home");
    leave<croft::kinds::ra_hf_drop>("ra-hf-drop");
}
