#pragma once
// The exception that a sender gets if it finds no room in a channel from which nobody receives any more.

#include <stdexcept>

namespace croft {

class disconnected : public std::runtime_error {
public:
    explicit disconnected(const char* what) : std::runtime_error(what) {}
};

}  // namespace croft
