#pragma once
// A message that nobody at its destination can have been waiting for. That is a fault of the simulator, or of a
// protocol that is being written. Every number behind it would be wrong, so it ends the run, in all builds.

#include <stdexcept>
#include <string>

#include "base/hexadecimal.hpp"
#include "contract/message.hpp"

namespace croftsim {

class SimulatorFault : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn, gnu::cold]] inline void unexpected(const Message& message) {
    throw SimulatorFault("at cycle " + std::to_string(message.time) + " node " + std::to_string(message.destination) +
                         " got a message " + name_of(message.kind) + " for line " + hexadecimal(message.line) +
                         " from node " + std::to_string(message.source) + ", for which it does not wait");
}

// `awaited`: the receiver waits for it.
inline void expect(bool awaited, const Message& message) {
    if (!awaited) [[unlikely]]
        unexpected(message);
}

}  // namespace croftsim
