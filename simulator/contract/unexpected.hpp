#pragma once
// A message that nobody at its destination can have been waiting for. That is a fault of the simulator, or of a
// protocol that is being written. Every number behind it would be wrong, so it ends the run, in all builds.

#include <stdexcept>
#include <string>

#include "contract/message.hpp"

namespace croftsim {

class SimulatorFault : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn, gnu::cold]] inline void unexpected(const Message& message) {
    constexpr char digits[] = "0123456789abcdef";
    std::string line;
    for (std::uint64_t rest = message.line; rest || line.empty(); rest >>= 4) line.insert(0, 1, digits[rest & 15]);
    throw SimulatorFault("at cycle " + std::to_string(message.time) + " node " + std::to_string(message.destination) +
                         " got a message " + name_of(message.kind) + " for line 0x" + line + " from node " +
                         std::to_string(message.source) + ", for which it does not wait");
}

// `awaited`: the receiver waits for it.
inline void expect(bool awaited, const Message& message) {
    if (!awaited) [[unlikely]]
        unexpected(message);
}

}  // namespace croftsim
