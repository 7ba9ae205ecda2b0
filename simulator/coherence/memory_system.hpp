#pragma once
// Everything behind the cores of a machine: their private caches, the homes, and the coherence protocols between them.
// The machine moves messages and time, and knows no protocol. A memory system knows no time but that of its messages.
//
//     ddc_system.hpp      one L2 a tile, which is home to its share of the lines (TILEPro64)
//     level_system.hpp    L1s of several protocols before levels of caches (big.TINY and others)

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/hexadecimal.hpp"
#include "contract/message.hpp"
#include "contract/requester.hpp"
#include "contract/statistic_rows.hpp"

namespace croftsim {

class Core;

// One tile's part.
class TileMemory {
public:
    virtual ~TileMemory() = default;
    virtual Requester& requester() = 0;
    // A message for this tile that is not for its user port arrives at message->time. Takes it over.
    virtual void receive(Message* message) = 0;
    // Whether receiving the message takes something away that the core may use by itself. If so, the core has to do its
    // work since the message's time again, behind it.
    virtual bool disturbs_core(const Message& message) = 0;
    virtual void serialise(Archive& archive) = 0;
};

class MemorySystem {
public:
    virtual ~MemorySystem() = default;

    // Builds the tile's part, and makes the core use it. Once for each tile, in their order.
    virtual std::unique_ptr<TileMemory> make_tile(Core& core) = 0;

    // Nodes of its own: they are numbered behind the memory controllers, from first_node on. The last of them are each
    // in a tile, and reach it without the network.
    virtual std::uint32_t nodes() const { return 0; }
    virtual std::uint32_t tile_of(std::uint32_t /*index*/) const { return no_tile; }
    static constexpr std::uint32_t no_tile = ~std::uint32_t{0};
    virtual void receive(std::uint32_t /*index*/, Message* /*message*/) {}
    // A message for the line has been sent to the node; it is about to arrive there. Most of what a node knows is in no
    // cache of the host: hints, which change nothing but its time.
    virtual void sent_to(std::uint32_t /*index*/, std::uint64_t /*line*/) {}
    virtual void arrives_at(std::uint32_t /*index*/, std::uint64_t /*line*/) {}

    // The node that a tile, or a node of the system's own, has to ask for the line.
    virtual std::uint32_t home_of(std::uint64_t line, std::uint32_t node) const = 0;
    // Whether the lines around it have other homes, all over the chip.
    virtual bool is_spread(std::uint64_t line) const = 0;

    // ---- the machine stands still ----

    // `bytes` of one line, from `offset` on, as a load of `tile` would see them now.
    virtual void read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t tile) = 0;
    // The bytes at that address, of as many lines as they are. Every copy takes them, in the caches and on its way to
    // one, so no message and no state of a directory has to change. Only reservations are lost, as by any other write.
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t tile) = 0;
    // Pages of the range are about to change. Everything under way there is finished, then every cached line of it
    // goes; `discard`: without writing dirty words back. Afterwards memory alone knows of the range.
    virtual void drop(std::uint64_t address, std::uint64_t bytes, bool discard) = 0;
    // Whether a cache has a line of the range.
    virtual bool holds(std::uint64_t address, std::uint64_t bytes) = 0;
    // Memory gets everything that is dirty, and the caches keep it: instruction fetch reads memory.
    virtual void update_memory() = 0;

    using Row = StatisticRow;
    // The rows of one tile; then those of the system's own nodes. `holds_threads`: its core may hold one.
    virtual void statistics(std::uint32_t tile, bool holds_threads, const Row& row) const = 0;
    virtual void statistics(const Row& /*row*/) const {}

    // One sentence about the first violation found when no message is under way and no store buffered, or nothing.
    virtual std::string violated_invariant() = 0;
    // The state of everything that is in no tile.
    virtual void serialise(Archive& archive) = 0;

protected:
    static std::string violation(const std::string& what, const std::string& where, std::uint64_t line) {
        return what + ": " + where + ", line " + hexadecimal(line);
    }
};

}  // namespace croftsim
