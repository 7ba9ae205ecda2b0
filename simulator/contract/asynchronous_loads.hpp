#pragma once
// An out-of-order core asks this of its L1 instead of Requester::load, which makes the core wait. It asks whether bytes
// are here, and for lines to be brought, several at a time. The L1 tells the core's window when a line arrives, when
// one is lost, and when a store that waited is done (core/out_of_order.hpp).

#include <cstdint>

namespace croftsim {

class AsynchronousLoads {
public:
    enum class Found : std::uint8_t {
        here,       // the bytes have been copied
        stored,     // likewise, but from a store of this core that is on its way
        behind,     // a store to their line is on its way, which the load would have to see
        elsewhere,  // the line has to be asked for
    };

    virtual ~AsynchronousLoads() = default;

    // `size` bytes within one line, now.
    virtual Found look(std::uint64_t address, unsigned size, std::uint8_t* to) = 0;
    // Whether any store is on its way, so that a line that is here may not be what a load would have to see.
    virtual bool stores_under_way() const = 0;
    // Whether one to that line is.
    virtual bool awaits(std::uint64_t /*line*/) const { return false; }
    // Asks for a copy of the line, which is not here nor on its way.
    virtual void ask(std::uint64_t line, std::uint64_t time) = 0;
    // Whether it wants to know of what loads return.
    virtual bool watched() const = 0;
    // A load takes `raw` at `time`, for the check of coherence.
    virtual void observed(std::uint64_t address, unsigned size, std::uint64_t raw, std::uint64_t pc,
                          std::uint64_t time) = 0;
};

}  // namespace croftsim
