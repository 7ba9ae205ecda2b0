#pragma once
// A slot's lines homed at one core, with nothing else changed: stores there come from elsewhere as they do at any home.
//
//   at_core      a core by its number, or the one that the pattern names (in a farm, the worker)
//   at_sender    the core that sends, wherever that is: it writes locally, the receiver fetches

#include <croft/memory/home.hpp>

namespace croft::homes {

struct at_core {
    int core = any_core;

    static at_core between(ends cores) { return {cores.home}; }
    plain_lines at(part) const { return plain_lines(core); }
    plain_lines of_sender() const { return plain_lines(); }
    plain_lines of_receiver() const { return plain_lines(); }
};

struct at_sender {
    int sender = any_core;
    int receiver = any_core;

    static at_sender between(ends cores) { return {cores.sender, cores.receiver}; }
    plain_lines at(part) const { return plain_lines(sender); }
    plain_lines of_sender() const { return plain_lines(sender); }
    plain_lines of_receiver() const { return plain_lines(receiver); }
};

}  // namespace croft::homes
