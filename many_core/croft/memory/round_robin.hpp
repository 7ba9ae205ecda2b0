#pragma once
// A slot's lines homed at one core after the other, line by line. Like hashed, but neighbours never share a home.

#include <croft/memory/home.hpp>

namespace croft::homes {

struct round_robin {
    static round_robin between(detail::ends) { return {}; }
    detail::plain_lines at(detail::part) const { return detail::plain_lines(detail::home_round_robin); }
    detail::plain_lines of_sender() const { return detail::plain_lines(); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(); }
};

}  // namespace croft::homes
