// Asks of the network what it cannot do: network_limits queues|words|senders|elsewhere. Prints what is said to that,
// and exits with 1.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <croft/channel/kinds.hpp>

namespace {

using croft::kinds::udn;

void ask(const std::string& what) {
    using channel = croft::channel<std::uint64_t, udn>;
    if (what == "queues") {
        const croft::detail::ends cores{1, 2, 2};
        {
            // Queues that were given back can be had again.
            std::vector<std::unique_ptr<channel>> four;
            for (int i = 0; i < 4; ++i) four.push_back(std::make_unique<channel>(1, cores));
        }
        std::vector<std::unique_ptr<channel>> five;
        for (int i = 0; i < 5; ++i) five.push_back(std::make_unique<channel>(1, croft::detail::ends{1, 2 + i, 2 + i}));
    } else if (what == "words") {
        channel(128);
        channel(129);
    } else if (what == "senders") {
        croft::many_to_one<std::uint64_t, udn>(64, 1);
        croft::many_to_one<std::uint64_t, udn>(33, 2);
    } else if (what == "elsewhere") {
        channel(1, {9, 2, 2}).send(1);
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    try {
        ask(arguments[1]);
        return 0;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
