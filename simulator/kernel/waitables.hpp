#pragma once
// The things that threads may wait for beside futexes and the host. Several descriptors may lead to one of these, so it
// is kept by a number, and open files know that.

#include <cstdint>
#include <map>

#include "base/archive.hpp"
#include "kernel/pipe.hpp"
#include "kernel/sockets.hpp"
#include "kernel/timers.hpp"
#include "kernel/waiting.hpp"

namespace croftsim {

struct Waitables {
    Waitables(const Waitables&) = delete;  // parts refer to each other
    Waitables(const MachineServices& machine, const Clock& clock) : timers(machine, clock), sockets(waiting, last_) {}

    Waiting waiting;
    std::map<std::uint64_t, Pipe> pipes;
    Timers timers;
    Sockets sockets;

    std::uint64_t new_number() { return ++last_; }
    void serialise(Archive& archive) { archive(waiting, pipes, timers, sockets, last_); }

private:
    std::uint64_t last_ = 0;
};

}  // namespace croftsim
