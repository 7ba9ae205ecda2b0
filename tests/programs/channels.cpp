// Checks a kind of channel, with so many slots: channels KIND DEGREE. Prints "ok" or what is wrong.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <croft/channel/batched_slots.hpp>
#include <croft/memory/at_core.hpp>
#include <croft/memory/incoherent.hpp>
#include <croft/memory/round_robin.hpp>
#include <croft/paper/channel/at_reader_allocating.hpp>

#include "channel_checks.hpp"

namespace {

using namespace checks;
namespace kinds = croft::kinds;

struct turns : croft::policies {};
struct batched : croft::policies {
    using events = croft::events::batched;
};
template <class Home, class Base = kinds::ra>
struct homed : Base {
    using home = Home;
};
struct incoherent : homed<croft::homes::incoherent> {
    using wait = croft::waits::spin;
};
struct incoherent_split : homed<croft::homes::incoherent, kinds::ra_home> {
    using wait = croft::waits::drop_and_reread;
};
struct forwarded_split : homed<croft::homes::forwarded, kinds::ra_home> {};

template <class Policies>
void all(std::size_t degree) {
    constexpr std::size_t count = 40;
    streams<std::uint64_t, Policies>(degree, count);
    streams<block<12>, Policies>(degree, count);
    streams<std::unique_ptr<std::size_t>, Policies>(degree, count);
    if (degree <= 3) streams<block<100>, Policies>(degree, count);
    if constexpr (!std::is_same_v<Policies, kinds::udn>) {
        streams<block<1000>, Policies>(degree, count / 2);
        streams<std::string, Policies>(degree, count);
    }
    many<Policies>(3, croft::baseline::packs_flags<Policies> ? 1 : degree, count);
    if constexpr (!croft::sends_words<Policies> && !std::is_same_v<Policies, kinds::ra_udn>)
        if (degree == 1) many<Policies>(3, 1, count, 8);
}

bool run(const std::string& kind, std::size_t degree) {
    if (kind == "ra")
        all<kinds::ra>(degree);
    else if (kind == "ra-home")
        all<kinds::ra_home>(degree);
    else if (kind == "ra-home-allocating")
        all<croft::baseline::ra_home_allocating>(degree);
    else if (kind == "ra-hf")
        all<kinds::ra_hf>(degree);
    else if (kind == "ra-hf-drop")
        all<kinds::ra_hf_drop>(degree);
    else if (kind == "ra-hf-period")
        all<kinds::ra_hf_period>(degree);
    else if (kind == "udn")
        all<kinds::udn>(degree);
    else if (kind == "ra-udn")
        all<kinds::ra_udn>(degree);
    else if (kind == "turns")
        all<turns>(degree);
    else if (kind == "batched")
        all<batched>(degree);
    else if (kind == "incoherent")
        all<incoherent>(degree);
    else if (kind == "incoherent-split")
        all<incoherent_split>(degree);
    else if (kind == "forwarded-split")
        all<forwarded_split>(degree);
    else if (kind == "at-sender")
        all<homed<croft::homes::at_sender>>(degree);
    else if (kind == "at-core")
        all<homed<croft::homes::at_core>>(degree);
    else if (kind == "round-robin")
        all<homed<croft::homes::round_robin>>(degree);
    else
        return false;
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3 || !run(arguments[1], static_cast<std::size_t>(std::atoi(arguments[2])))) {
        std::fprintf(stderr, "usage: channels KIND DEGREE\n");
        return 2;
    }
    std::printf("%s\n", failures.load() ? "FAILED" : "ok");
    return failures.load() != 0;
}
