#pragma once
// The memory system of a TILEPro64: every tile's L2 is a private cache, and the home of its share of the lines.

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "coherence/ddc.hpp"
#include "coherence/home.hpp"
#include "coherence/memory_system.hpp"
#include "contract/simulation.hpp"
#include "core/core.hpp"
#include "device/copy_engine.hpp"

namespace croftsim {

class DdcTile final : public TileMemory {
public:
    DdcTile(std::uint32_t id, const MachineDescription& machine, Core& core, Post& post);
    DdcTile(const DdcTile&) = delete;

    Requester& requester() override { return ddc; }
    void receive(Message* message) override {
        if (home.handles(message->kind))
            home.receive(message);
        else if (message->engine)
            copy_engine.receive(message);
        else
            ddc.receive(message);
    }
    bool disturbs_core(const Message& message) override {
        // Of an engine's: what comes next may be a write to any line homed here.
        return message.engine || home.disturbs_core(message);
    }

    void serialise(Archive& archive) override { archive(caches, home, ddc, copy_engine); }

    PrivateCaches caches;
    Core& core;
    Home home;
    Ddc ddc;
    CopyEngine copy_engine;

private:
    // The core looks into these while a run is checked, so that it asks for every access.
    std::vector<L1Filter::Fast> no_lines_;
    WriteFilter no_writes_;
};
static_assert(is_listed<DdcTile, 9304>);

class DdcSystem final : public MemorySystem {
public:
    // `homes`: of lines that have another home than the program and the machine say.
    DdcSystem(const MachineDescription& machine, Standstill& post, std::span<const HomeRange> homes = {})
        : machine_(machine), post_(post), homes_(homes.begin(), homes.end()) {}

    std::unique_ptr<TileMemory> make_tile(Core& core) override;
    std::uint32_t home_of(std::uint64_t line, std::uint32_t tile) const override;
    bool is_spread(std::uint64_t line) const override;
    void read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t tile) override;
    void write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t tile) override;
    void drop(std::uint64_t address, std::uint64_t bytes, bool discard) override;
    bool holds(std::uint64_t address, std::uint64_t bytes) override;
    void update_memory() override;
    void statistics(std::uint32_t tile, bool holds_threads, const Row& row) const override;
    std::string violated_invariant() override;
    void serialise(Archive&) override {}

private:
    // How the line's home is found, or, if that is one tile, or whoever asks, nothing.
    struct Homing {
        std::optional<HomeDescription::Policy> policy;
        std::uint32_t tile = 0;
    };
    Homing homing_of(std::uint64_t line, std::uint32_t tile) const;
    void write_line(std::uint64_t line, std::size_t offset, std::span<const std::uint8_t> from, std::uint32_t tile);

    const MachineDescription& machine_;
    Standstill& post_;
    const std::vector<HomeRange> homes_;
    std::vector<DdcTile*> tiles_;
};
static_assert(is_listed<DdcSystem, 72>);

}  // namespace croftsim
