// Sends COUNT messages of 64 words through a channel, from core 0 to core 1. Usage: zero_copy place|value COUNT, with
// place: written and read in the slot; value: made elsewhere, sent, and received into another place.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <croft/channel/channel.hpp>
#include <croft/channel/kinds.hpp>

using message = std::array<std::uint64_t, 64>;

int main(int argc, char** argv) {
    const bool in_place = argc > 1 && std::string(argv[1]) == "place";
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
    croft::channel<message, croft::kinds::ra_hf> channel(2, croft::detail::ends{0, 1, 1});
    std::uint64_t total = 0;
    std::thread receiver([&] {
        croft::port::pin_this_thread(1);
        std::uint64_t sum = 0;  // in a register
        if (in_place) {
            while (const message* got = channel.receive_in_place()) {
                for (const std::uint64_t word : *got) sum += word;
                channel.set_ack();
            }
        } else {
            while (const auto got = channel.receive())
                for (const std::uint64_t word : *got) sum += word;
        }
        total = sum;
    });
    croft::port::pin_this_thread(0);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (in_place) {
            message& slot = channel.acquire();
            for (std::uint64_t word = 0; word < slot.size(); ++word) slot[word] = i + word;
            channel.publish();
        } else {
            message made;
            for (std::uint64_t word = 0; word < made.size(); ++word) made[word] = i + word;
            channel.send(made);
        }
    }
    channel.close();
    receiver.join();
    std::printf("%llu\n", static_cast<unsigned long long>(total));
}
