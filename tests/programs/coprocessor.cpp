// Programs on a co-processor that a host offloads to, by name:
//   copies   squares, in order, by a farm of functions of items
//   views    the same, in the slots of the link
//   bytes    messages of any length, turned round
//   homeless the same sums by a farm on slots that are homed nowhere
//   throws   fails at the number 5
//   leaves   returns after one message, without closing the link
//   closes   closes the link after one message
//   hangs    takes one message and waits for ever
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/serve.hpp>

namespace {

using bytes_in = std::span<const std::byte>;
using bytes_out = std::span<std::byte>;

long squared(int n) {
    if (n == 5) throw std::runtime_error("five is right out");
    return long{n} * n;
}

void in_views() {
    croft::host_link<int, long> host;
    const auto square = [&](croft::offloaded<int> n) {
        croft::returned<long> made = host.make();
        *made = long{*n} * *n;
        return made;
    };
    croft::serve(host, croft::farm(square, {.workers = 4}));
}

void turn_round() {
    croft::host_link<bytes_in, bytes_out> host;
    while (const auto got = host.receive()) {
        croft::returned<bytes_out> made = host.make();
        made.shorten((**got).size());
        std::reverse_copy((**got).begin(), (**got).end(), (*made).begin());
        host.send(std::move(made));
    }
    host.close();
}

struct numbers {
    int at[64];
};
void add_without_homes() {
    croft::host_link<numbers, numbers> host({.homes = croft::homes::of_data::none});
    const auto add_up = [&](croft::offloaded<numbers> in) {
        croft::returned<numbers> made = host.make();
        int sum = 0;
        for (int i = 0; i < 64; ++i) made->at[i] = sum += in->at[i];
        return made;
    };
    croft::run([&] { return host.receive(); }, croft::farm(add_up, {.workers = 3}),
               [&](croft::returned<numbers> made) { host.send(std::move(made)); });
    host.close();
}

int body(std::string_view which) {
    if (which == "copies") {
        croft::serve<int, long>(croft::farm([](int n) { return long{n} * n; }, {.workers = 4, .ordered = true}));
    } else if (which == "views") {
        in_views();
    } else if (which == "bytes") {
        turn_round();
    } else if (which == "homeless") {
        add_without_homes();
    } else if (which == "throws") {
        croft::serve<int, long>(croft::farm(squared, {.workers = 2}));
    } else {
        croft::host_link<int, long> host;
        host.receive();
        if (which == "closes") host.close();
        if (which == "hangs") {
            std::mutex lock;
            std::unique_lock guard(lock);
            std::condition_variable().wait(guard, [] { return false; });
        }
    }
    return 0;
}

}  // namespace

int main(int, char** argv) {
    try {
        return body(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
}
