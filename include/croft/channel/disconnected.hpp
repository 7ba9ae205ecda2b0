#pragma once
// What a sender gets that finds no room in a channel which nobody receives from any more.

#include <stdexcept>

namespace croft {

class disconnected : public std::runtime_error {
public:
    explicit disconnected(const char* what) : std::runtime_error(what) {}
};

}  // namespace croft
