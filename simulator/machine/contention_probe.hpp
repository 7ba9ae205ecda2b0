#pragma once
// How one server of the simulated machine answers when many clients share it. This checks the simulator's contention
// against queueing theory (paper 000, section 5 and figure 3), apart from any program, cache or network.
//
// The server is a MemoryController, the requests are its messages, and they take effect in the order of an EventQueue,
// as in a machine. Each client thinks for an exponentially distributed time, sends a request, and blocks until the
// answer comes.

#include <cstdint>

namespace croftsim {

struct ContentionResult {
    double response = 0;         // mean time from a request's sending to its answer's arrival, cycles
    double utilisation = 0;      // the part of the time for which the server was busy, 0 to 1
    std::uint64_t requests = 0;  // measured; those of the warm-up, a tenth as many again, are not counted
};

// `clients` of 1 or more share a server that serves one request at a time, each in `service` cycles. `base_latency`
// cycles are what a request takes when nobody else is there: the way there, the service, and the way back. `think` is
// the mean time from an answer to the client's next request. The same `seed` gives the same result.
// Throws std::invalid_argument if there is no client, no request, or a base latency shorter than the service.
ContentionResult contention(std::uint32_t clients, std::uint32_t service, std::uint32_t base_latency,
                            std::uint32_t think, std::uint64_t requests, std::uint64_t seed);

}  // namespace croftsim
