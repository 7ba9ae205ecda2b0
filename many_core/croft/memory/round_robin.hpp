#pragma once
// A slot's lines homed at one core after the other, line by line. Like hashed, but neighbours never share a home.

#include <croft/memory/home.hpp>

namespace croft::homes {

struct round_robin {
    static round_robin between(ends) { return {}; }
    plain_lines at(part) const { return plain_lines(home_round_robin); }
    plain_lines of_sender() const { return plain_lines(); }
    plain_lines of_receiver() const { return plain_lines(); }
};

}  // namespace croft::homes
