#pragma once
// One text of several pieces, numbers among them.

#include <sstream>
#include <string>

namespace croftsim {

template <class... Pieces>
std::string joined(const Pieces&... pieces) {
    std::ostringstream text;
    (text << ... << pieces);
    return text.str();
}

}  // namespace croftsim
