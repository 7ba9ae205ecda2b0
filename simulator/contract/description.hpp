#pragma once
// A machine as its file describes it. The lab reads and checks the TOML; this is what the simulator is given.
// All times are cycles of the one clock, all sizes bytes.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/instruction.hpp"

namespace croftsim {

struct CacheDescription {
    std::uint32_t size = 0;
    std::uint32_t line = 0;
    std::uint32_t ways = 0;
    std::uint32_t hit = 0;    // cycles from issue to use of a load that hits here
    std::uint32_t store = 0;  // cycles until a store whose line is here, and no nearer, is done (fences wait for it)
};

constexpr std::uint32_t widest_in_order = 3;  // instructions that a core issues a cycle if it does so in order

struct CoreDescription {
    std::uint32_t issue_width = 1;  // instructions a cycle, in order: see core/issue_schedule.hpp
    std::array<std::uint32_t, static_cast<std::size_t>(Cost::count)> cost{};  // cycles until the next may issue
    std::uint32_t taken_branch = 0;        // further cycles of a taken branch or a jump
    std::uint32_t store_buffer_drain = 0;  // cycles the store buffer waits for another store to its line
    std::uint32_t fence_least = 0;         // cycles a fence takes at least if it has to wait
    std::uint32_t outstanding_stores = 0;  // store messages without acknowledgement before the next store stalls
};

// How a core's private caches keep coherent (paper 002, table I; paper 000, section 4.1).
enum class Protocol : std::uint8_t { ddc, mesi, denovo, gpu_wt, gpu_wb };

// The units an out-of-order core issues to.
enum class IssueUnit : std::uint8_t { alu, branch, memory, multiply, floating, count };
constexpr std::size_t unit_count = static_cast<std::size_t>(IssueUnit::count);

// A core that issues out of order (paper 002, table II). CoreDescription::cost is then how long each instruction takes
// from its issue to its result.
struct OutOfOrderDescription {
    std::uint32_t width = 4;                                     // instructions fetched, and retired, a cycle
    std::uint32_t issue_width = 4;                               // issued a cycle, in all
    std::array<std::uint32_t, unit_count> units{4, 2, 2, 1, 2};  // of these, to each kind of unit
    std::uint32_t reorder_buffer = 128;                          // instructions in flight
    std::uint32_t load_store_queue = 16;
    std::uint32_t registers = 128;  // physical ones, in each of the two files; 32 of them hold the program's
    std::uint32_t mispredict = 10;  // cycles from a control transfer's resolution to the first instruction behind it
    std::uint32_t redirect = 2;     // cycles lost by a taken one whose target only decoding tells
    // The tournament predictor of the Alpha 21264 (Kessler, IEEE Micro 19(2), 1999): entries, powers of two.
    std::uint32_t local_histories = 2048, local_history_bits = 11;
    std::uint32_t global_counters = 8192;  // and as many that choose between the two
    std::uint32_t branch_targets = 4096;
    std::uint32_t return_addresses = 16;
};

// Cores of one kind with their private caches: `count` tiles in a row.
struct CoreKind {
    std::string name;  // empty on a machine of one kind whose file gives it none
    std::uint32_t count = 0;
    Protocol protocol = Protocol::mesi;
    CoreDescription core;
    CacheDescription l1d;
    std::uint32_t interrupt = 0;  // cycles from another core's interrupt's arrival to the handler's first instruction
    std::optional<OutOfOrderDescription> out_of_order = std::nullopt;  // nothing: in order
    std::optional<CacheDescription> l1i = std::nullopt;                // nothing: every instruction is there at once
    std::optional<CacheDescription> l2 = std::nullopt;                 // under ddc: home to a share of the lines
};

struct NetworkDescription {
    std::uint32_t columns = 0, rows = 0;
    std::uint32_t hop = 0;     // from router to router
    std::uint32_t inject = 0;  // from a tile into its router
    std::uint32_t eject = 0;   // from the last router into a tile
    std::uint32_t flit = 0;    // bytes of payload a flit carries, and a link moves a cycle
    std::uint32_t header_flits = 0;
};

struct HomeDescription {
    enum class Policy : std::uint8_t { hashed, round_robin, fixed };
    Policy policy = Policy::hashed;  // of pages for which the program names no home; stacks live at their thread's core
    std::uint32_t fixed_tile = 0;
    std::uint32_t service = 0;         // cycles the home's L2 takes to read a line, or to find that it is not there
    std::uint32_t directory = 0;       // cycles from another tile's store to the first invalidation that it causes
    std::uint32_t invalidate = 0;      // cycles between two invalidations
    std::uint32_t drop = 0;            // cycles from an invalidation's arrival to its acknowledgement
    std::uint32_t allocate = 0;        // further cycles if another tile's store brings the line into the home's L2
    std::uint32_t occupancy = 0;       // cycles for which a request for a line keeps the L2's port
    std::uint32_t occupancy_word = 0;  // the same for a request that writes words
    std::uint32_t fill = 0;            // cycles from a reply's arrival to the use of its data
};

// The tile whose router something is attached to.
struct Attachment {
    std::int32_t column = 0, row = 0;
};

// The cache that all cores share, in banks; lines go round the banks.
struct SharedCacheDescription {
    std::uint32_t size = 0;  // of one bank
    std::uint32_t ways = 0;
    std::vector<Attachment> banks;
};

struct MemoryDescription {
    using Controller = Attachment;
    std::vector<Attachment> controllers;
    std::uint32_t stripe = 0;         // consecutive bytes served by one controller
    std::uint32_t latency = 0;        // cycles from a request's arrival to its first data
    std::uint32_t write_latency = 0;  // cycles from a write's arrival to its acknowledgement
    std::uint32_t occupancy = 0;      // cycles for which a line keeps the controller
};

// The network on which programs send messages themselves; its mesh is another one like `network`'s.
struct UserNetworkDescription {
    std::uint32_t inject = 0, eject = 0;
    std::uint32_t words = 0;      // that a queue holds
    std::uint32_t buffer = 0;     // words of one sender that the network holds while the destination is full
    std::uint32_t interrupt = 0;  // cycles from a word's arrival to the handler's first instruction
};

// The network of user-level interrupts between cores; its mesh is another one like `network`'s.
struct UliDescription {
    std::uint32_t inject = 0, eject = 0;
};

// The link to a host; each direction is one of its own.
struct HostLinkDescription {
    std::uint32_t latency = 0;                // from a message's last byte out to its arrival, at least 1
    std::uint32_t overhead = 0;               // for which each message keeps its direction, beside its bytes
    std::uint32_t bytes_per_1000_cycles = 0;  // the bandwidth of a direction
    std::uint32_t slot = 0;                   // bytes of a slot, whole pages: the longest message
};

struct KernelDescription {
    std::uint32_t entry = 0;         // cycles from ecall to the kernel's action
    std::uint32_t exit = 0;          // cycles from the action, or from a wake-up, to the next user instruction
    std::uint32_t thread_start = 0;  // cycles from clone's action to the new thread's first instruction
};

struct MachineDescription {
    std::string name;
    double clock_mhz = 0;
    std::uint32_t cores = 0;      // cores for user threads: tiles 0 .. cores-1
    std::vector<CoreKind> kinds;  // at least one; tiles behind the last are of the last
    NetworkDescription network;
    HomeDescription home;
    MemoryDescription memory;
    KernelDescription kernel;
    std::optional<UserNetworkDescription> user_network;
    std::optional<HostLinkDescription> host_link;
    std::optional<UliDescription> uli;
    std::optional<SharedCacheDescription> shared;  // the home of all lines; nothing: the tiles' L2s are

    std::uint32_t tiles() const { return network.columns * network.rows; }
    std::size_t nodes() const { return tiles() + memory.controllers.size() + (shared ? shared->banks.size() : 0); }
    bool has_software_coherence() const {
        for (const CoreKind& kind : kinds)
            if (kind.protocol != Protocol::mesi && kind.protocol != Protocol::ddc) return true;
        return false;
    }
    const CoreKind& kind_of(std::uint32_t tile) const {
        std::uint32_t first = 0;
        for (const CoreKind& kind : kinds)
            if (tile < (first += kind.count)) return kind;
        return kinds.back();
    }
};

// Throws std::invalid_argument with one sentence if no such machine can be built.
void check(const MachineDescription& machine);

}  // namespace croftsim
