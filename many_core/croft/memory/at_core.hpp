#pragma once
// A slot's lines homed at one core, with nothing else changed: stores there come from elsewhere as they do at any home.
//
//   at_core      a core by its number, or the one that the pattern names (in a farm, the worker)
//   at_sender    the core that sends, wherever that is: it writes locally, the receiver fetches

#include <croft/memory/home.hpp>

namespace croft::homes {

struct at_core {
    int core = detail::any_core;

    static at_core between(detail::ends cores) { return {cores.home}; }
    detail::plain_lines at(detail::part) const { return detail::plain_lines(core); }
    detail::plain_lines of_sender() const { return detail::plain_lines(); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(); }
};

struct at_sender {
    int sender = detail::any_core;
    int receiver = detail::any_core;

    static at_sender between(detail::ends cores) { return {cores.sender, cores.receiver}; }
    detail::plain_lines at(detail::part) const { return detail::plain_lines(sender); }
    detail::plain_lines of_sender() const { return detail::plain_lines(sender); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(receiver); }
};

}  // namespace croft::homes
