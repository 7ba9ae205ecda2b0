#pragma once
// A machine as the simulator is given it. description/ says beside each key what its values mean, and which it may
// have. All times are cycles of the one clock, all sizes bytes.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/core_order.hpp"
#include "contract/dram_standard.hpp"
#include "contract/protocol.hpp"
#include "isa/instruction.hpp"

namespace croftsim {

enum class Replacement : std::uint8_t { lru, plru, random, rrip };  // cache/replacement/table.hpp names them

struct CacheDescription {
    std::uint32_t size = 0, line = 0, ways = 0, hit = 0;
    std::optional<Replacement> replacement = std::nullopt;  // nothing: lru, which all L1s have
};
struct SecondCacheDescription : CacheDescription {
    std::uint32_t store = 0;
};

struct TlbDescription {
    std::uint32_t entries = 0, page = 0, miss = 0;
};

struct CoreDescription {
    std::uint32_t issue_width = 1;
    std::array<std::uint32_t, static_cast<std::size_t>(Cost::count)> cost{};
    std::uint32_t taken_branch = 0, split_fetch = 0;
    std::uint32_t store_buffer_drain = 0;
    std::uint32_t fence_least = 0;
    // Whether a fence's own cycles come behind its wait, or pass while it waits.
    enum class Fence : std::uint8_t { behind, beside };
    Fence fence_cost = Fence::behind;
    std::uint32_t outstanding_stores = 0;
    // When an in-order core begins to wait for a load.
    enum class Loads : std::uint8_t { at_use, at_once };
    Loads loads_block = Loads::at_use;
    // In which order its stores become visible.
    enum class Stores : std::uint8_t { any, in_order };
    Stores stores = Stores::any;
};

// The units an out-of-order core issues to.
// float_multiply is a part of floating: what issues there takes one of both.
enum class IssueUnit : std::uint8_t { alu, branch, memory, multiply, floating, float_multiply, count };
constexpr std::size_t unit_count = static_cast<std::size_t>(IssueUnit::count);

// A core that issues out of order (paper 002, table II). CoreDescription::cost is then how long each instruction takes
// from its issue to its result.
struct OutOfOrderDescription {
    std::uint32_t width = 4, fetch_width = 4, issue_width = 4;
    std::array<std::uint32_t, unit_count> units{4, 2, 2, 1, 2, 2};
    std::uint32_t reorder_buffer = 128, registers = 128, issue_queue = 0;
    std::uint32_t load_store_queue = 16, load_queue = 16, store_queue = 16;  // one for both; if 0, two
    // From when one retires to the first dispatch of one that takes its place; from a store's to its turn at the L1.
    std::uint32_t entry_reuse = 1, register_reuse = 1, load_reuse = 1, store_delay = 0;
    std::uint32_t l1_accesses = 0;  // a cycle; 0: any number of loads, and one store
    std::uint32_t mispredict = 10, redirect = 2, squash = 0;
    // A second access to a line that is on its way waits for the line, or blocks the L1 until the L1 has been answered.
    enum class SameLine : std::uint8_t { joins, blocks };
    SameLine same_line = SameLine::joins;
    // The tournament predictor of the Alpha 21264 (Kessler, IEEE Micro 19(2), 1999).
    std::uint32_t local_histories = 2048, local_history_bits = 11, global_counters = 8192;
    std::uint32_t branch_targets = 4096, return_addresses = 16;
    std::uint32_t indirect_sets = 0, indirect_ways = 2, indirect_path = 3;
};

// An L1 with this asks for lines before its core does.
struct PrefetchDescription {
    enum class Policy : std::uint8_t { next_line, stride };
    Policy policy = Policy::next_line;
    std::uint32_t degree = 1;  // lines ahead
    std::uint32_t pages = 16;  // that `stride` remembers
};

// Cores of one kind with their private caches: `count` tiles in a row.
struct CoreKind {
    std::string name;  // empty on a machine of one kind whose file gives it none
    std::uint32_t count = 0;
    Protocol protocol = Protocol::mesi;
    CoreDescription core;
    CacheDescription l1d;
    std::uint32_t interrupt = 0;
    std::optional<OutOfOrderDescription> out_of_order = std::nullopt;  // nothing: in order
    std::optional<CacheDescription> l1i = std::nullopt;                // nothing: every instruction is there at once
    std::optional<TlbDescription> dtlb = std::nullopt, itlb = std::nullopt;  // nothing: translating takes no time
    std::optional<SecondCacheDescription> l2 = std::nullopt;                 // under ddc home to a share of the lines
    std::optional<PrefetchDescription> prefetch = std::nullopt;
};

// The links between chips: one from each chip to each other.
struct ChipLinkDescription {
    std::uint32_t column = 0, row = 0;  // of the router on each chip that they lead from and to
    std::uint32_t latency = 0, cycles_per_flit = 0;
};

// Routers are numbered row by row, one chip's behind another's.
struct NetworkDescription {
    std::uint32_t columns = 0, rows = 0;  // of the routers of a chip
    std::uint32_t hop = 0, inject = 0, eject = 0;
    std::uint32_t flit = 0, header_flits = 0;
    std::optional<std::string> topology = std::nullopt;  // nothing: a mesh (network/topologies.hpp)
    std::uint32_t tiles_per_router = 1, chips = 1;
    std::optional<ChipLinkDescription> chip_link = std::nullopt;  // there if chips > 1

    std::uint32_t routers_of_chip() const { return columns * rows; }
    std::uint32_t tiles() const { return chips * routers_of_chip() * tiles_per_router; }
    std::uint32_t router_of(std::uint32_t tile) const { return tile / tiles_per_router; }
};

// The times of a home's answer.
struct HomeTimes {
    std::uint32_t service = 0, directory = 0, invalidate = 0, drop = 0;
    std::uint32_t occupancy = 0, occupancy_word = 0, fill = 0;
    bool told = false;  // by those before it, of a clean line that leaves them
};

// The tile whose L2 is a line's home.
struct HomeDescription : HomeTimes {
    enum class Policy : std::uint8_t { hashed, round_robin, fixed };
    Policy policy = Policy::hashed;  // of pages for which the program names no home; stacks live at their thread's core
    std::uint32_t fixed_tile = 0;
    std::uint32_t allocate = 0;
};

// The router that something is attached to.
struct Attachment {
    std::uint32_t column = 0, row = 0, chip = 0;
};

// By which rule such places follow from the size of a chip (description/placement.hpp); listed: by none.
enum class Placement : std::uint8_t { listed, top, top_and_bottom, corners };

// A level of caches behind the L1s.
struct LevelDescription : HomeTimes {
    static constexpr std::uint32_t all = 0;

    std::string name;                  // of its statistics
    std::uint32_t shared_by = 1;       // tiles in a row that share one of its caches, or all
    std::uint32_t size = 0, ways = 0;  // of one of its caches
    std::optional<Replacement> replacement = std::nullopt;
    std::uint32_t store = 0;
    std::uint32_t slices = 1;            // into which each cache of a level is cut, but for those of tiles
    Protocol protocol = Protocol::mesi;  // by which it asks the next: that, moesi or mesif
    enum class Answers : std::uint8_t { home, owner };
    Answers answers = Answers::home;      // who answers a request for a line that another child owns
    std::uint32_t resume = 0, write = 0;  // behind others' answers; further, if these bring newer bytes
    enum class Inclusion : std::uint8_t { inclusive, filter };
    // The last level alone has these.
    Inclusion inclusion = Inclusion::inclusive;
    enum class Memory : std::uint8_t { behind, first };
    Memory memory = Memory::behind;  // when a filter writes what its reader gets
    enum class SlicedBy : std::uint8_t { address, controller };
    SlicedBy sliced_by = SlicedBy::address;
    std::vector<Attachment> places;  // none, and listed: spread over the tiles
    Placement placement = Placement::listed;

    LevelDescription() : HomeTimes{0, 1, 1, 1, 1, 1, 1} {}
    bool is_filter() const { return inclusion == Inclusion::filter; }  // it knows who has a line, and has none itself
};

// The last level, which all cores share: caches among which lines go round or are hashed.
struct SharedCacheDescription : LevelDescription {
    enum class Data : std::uint8_t { words, lines };
    Data data = Data::words;  // what a message with written bytes takes of the network
    std::uint32_t reservation_hold = 0;
    bool hashed = false;

    SharedCacheDescription() : SharedCacheDescription({}, 0, 0, {}) {}
    SharedCacheDescription(const HomeTimes& times, std::uint32_t bytes, std::uint32_t ways_,
                           std::vector<Attachment> banks) {
        static_cast<HomeTimes&>(*this) = times;
        name = "bank";
        shared_by = all;
        size = bytes;
        ways = ways_;
        places = std::move(banks);
    }
    SharedCacheDescription(const LevelDescription& last) : LevelDescription(last), hashed(true) {}
};

// What is behind a memory controller: one rank of the standard's.
struct DramDescription {
    DramStandard standard = DramStandard::ddr2_800;
    std::uint32_t queue = 1;
    std::optional<DramMapping> mapping = std::nullopt;  // nothing: its standard's
};

struct MemoryDescription {
    std::vector<Attachment> controllers;
    std::uint32_t stripe = 0, latency = 0, write_latency = 0, occupancy = 0;
    Placement placement = Placement::listed;             // of the controllers
    std::optional<DramDescription> dram = std::nullopt;  // nothing: every line takes the same time
};

// The network on which programs send messages themselves: another one like `network`.
struct UserNetworkDescription {
    std::uint32_t inject = 0, eject = 0;
    std::uint32_t words = 0, buffer = 0, interrupt = 0;
};

// The network of user-level interrupts between cores: another one like `network`.
struct UliDescription {
    std::uint32_t inject = 0, eject = 0;
};

// Home-forwarding where caches are levels (coherence/home_forwarding.hpp); under ddc every core has it.
struct ForwardingDescription {
    std::uint32_t collects = 0, drain = 0;
};

// The link to a host; each direction is one of its own.
struct HostLinkDescription {
    std::uint32_t latency = 0, overhead = 0, bytes_per_1000_cycles = 0, slot = 0;
};

struct KernelDescription {
    enum class Scheduler : std::uint8_t { own, share };
    std::uint32_t entry = 0, exit = 0, thread_start = 0;
    Scheduler scheduler = Scheduler::own;
    std::uint32_t quantum = 1'000'000, switching = 2'000;
};

struct MachineDescription {
    std::string name;
    double clock_mhz = 0;
    std::uint32_t cores = 0;      // cores for user threads: tiles 0 .. cores-1
    std::vector<CoreKind> kinds;  // at least one; tiles behind the last are of the last
    NetworkDescription network;
    MemoryDescription memory;
    KernelDescription kernel;
    std::optional<UserNetworkDescription> user_network;
    std::optional<HostLinkDescription> host_link;
    std::optional<UliDescription> uli;
    std::optional<ForwardingDescription> forwarding;
    // One of the two, as the protocols of its cores want it.
    std::optional<HomeDescription> home;
    std::optional<SharedCacheDescription> shared;
    std::vector<LevelDescription> levels;  // before `shared`, from the cores on; in a file the last may be that itself
    CoreOrder order;                       // of a run, not of the machine: the numbers of cores that its program has

    std::uint32_t tiles() const { return network.tiles(); }
    std::size_t nodes() const;
    // visit(level, first tile, tiles) of each cache that some tiles share, from the level before `shared` on. Each of
    // its slices is a node.
    template <class Visit>
    void for_each_cluster(Visit visit) const {
        for (auto level = levels.rbegin(); level != levels.rend() && level->shared_by > 1; ++level)
            for (std::uint32_t first = 0; first < tiles(); first += level->shared_by)
                visit(*level, first, std::min(level->shared_by, tiles() - first));
    }
    bool has_software_coherence() const {
        return std::ranges::any_of(kinds, [](const CoreKind& k) { return !traits_of(k.protocol).writers_invalidate; });
    }
    const CoreKind& kind_of(std::uint32_t tile) const {
        std::uint32_t first = 0;
        for (const CoreKind& kind : kinds)
            if (tile < (first += kind.count)) return kind;
        return kinds.back();
    }
};

// Calls visit(key, places, rule) for each list of nodes that a machine has beside its tiles, in the order of their
// numbers. Whoever adds a list adds a line here.
template <class Description, class Visit>
void for_each_attached(Description& machine, Visit visit) {
    visit("memory.controllers", machine.memory.controllers, machine.memory.placement);
    if (machine.shared) visit("shared.banks", machine.shared->places, machine.shared->placement);
}

inline std::size_t MachineDescription::nodes() const {
    std::size_t count = tiles();
    for_each_attached(*this,
                      [&](const char*, const std::vector<Attachment>& places, Placement) { count += places.size(); });
    for_each_cluster([&](const LevelDescription& level, std::uint32_t, std::uint32_t) { count += level.slices; });
    return count;
}

}  // namespace croftsim
