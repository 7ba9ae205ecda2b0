#pragma once
// The simulator's front door: run one program on one machine.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"
#include "contract/sample.hpp"

namespace croftsim {

class HostSide;

// A host directory that the program may see, under the name `guest`.
struct Directory {
    std::string host;
    std::string guest;
    bool read_only = false;  // the program may change nothing there (EROFS)
};

// Instructions in [begin, end), and what a plain load or store of theirs is to a race detector.
struct RaceSite {
    enum class Kind : std::uint8_t {
        plain,
        atomic,     // of an atomic object
        unsure,     // of an atomic object, if atomic operations or releases have used that before
        library,    // the C library's own business: it synchronises, and has no data of the program's
        releasing,  // so is this; and its atomic operations release for the program, whether or not their code does
    };
    std::uint64_t begin = 0, end = 0;
    Kind kind = Kind::plain;
};

// When a core comes to the instruction at pc, what is called so begins or ends.
struct Landmark {
    enum What : std::uint32_t { task, stolen_task, emitter, worker, collector };
    std::uint64_t pc = 0;
    std::uint32_t what = 0;  // the number of its name, from Trace::landmarks on
    bool ends = false;
};

// Code that hands something from one core to another through memory (record/handovers.hpp).
struct Handover {
    enum Kind : std::uint8_t {
        send,     // stores what tells of a message
        look,     // loads that
        receive,  // loads it once more, behind a look that has found it
        note,     // does anything behind such a look
        leave,    // stores a task where another core finds it
        take,     // loads one
    };
    std::uint64_t begin = 0, end = 0;
    Kind kind = send;
};

// A function that allocates memory, by what its first two arguments are.
struct Followed {
    enum Which : std::uint8_t {
        malloc,   // bytes
        calloc,   // count, bytes of each
        realloc,  // what is released, bytes
        aligned,  // alignment, bytes
    };
    std::uint64_t address = 0;
    std::uint8_t which = malloc;
};

// Lines whose home is one tile, whatever the program asks for.
struct HomeRange {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t tile = 0;
};

struct Progress {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    const Sample* sample = nullptr;  // with RunOptions::samples, for as long as the call lasts
};

// The state of a run at a time, for RunOptions::restore of another run of the same machine, program and options.
struct Snapshot {
    Progress at;
    std::span<const std::uint8_t> state;  // empty if it cannot be had:
    std::string problem;                  // one sentence
};

struct RunOptions {
    std::vector<std::string> arguments;    // argv, argv[0] included
    std::vector<std::string> environment;  // "NAME=value"
    std::vector<Directory> directories;
    std::string working_directory = "/";    // a guest path
    std::uint64_t seed = 1;                 // of getrandom and AT_RANDOM
    std::uint64_t max_cycles = 0;           // 0: no limit
    std::uint64_t max_memory = 0;           // bytes that the program may write to, in whole pages; 0: no limit
    std::uint32_t cores = 0;                // 0: all that the machine offers
    std::vector<std::uint32_t> core_order;  // the first `cores` of the program's numbers; empty: the machine's own
    std::uint32_t window = 0;               // cycles between two exchanges; 0: the longest exact one
    std::uint32_t run_ahead = 200;          // cycles a core may run ahead on trust; 0: none
    std::uint64_t perturb = 0;              // the seed of random delays of messages; 0: none
    bool check_coherence = false;           // report stale loads and lost stores (record/coherence_check.hpp)
    bool check_races = false;               // report data races of the program (record/race_detector.hpp)
    std::vector<RaceSite> race_sites;       // what the detector is told of instructions
    int standard_input = -1;                // a host file descriptor; -1: empty
    HostSide* host = nullptr;               // at the other end of the machine's host link (host/host_side.hpp)
    // Receives what the program writes to its streams 1 and 2; empty: to this process's own.
    std::function<void(int stream, std::string_view text)> output;
    // Called about ten times a second of host time; a return of false ends the run.
    std::function<bool(const Progress&)> progress;

    // Receives checkpoints: every so many cycles (0: none), whenever checkpoint_due says yes, and when max_cycles or
    // progress ends the run. checkpoint_due is asked with `progress`. Nothing else of the run depends on them.
    std::function<void(const Snapshot&)> checkpoint;
    std::uint64_t checkpoint_every = 0;
    std::function<bool()> checkpoint_due;
    // Goes on there, not at the program's beginning. Throws CheckpointError for a state that does not fit.
    std::span<const std::uint8_t> restore;

    std::uint64_t interval = 0;  // statistics every so many cycles, too; 0: none
    bool each_region = false;    // and of each occurrence of a region
    bool each_link = false;      // and of each link of the meshes
    bool profile = false;        // by instruction, stack of calls and cause
    bool samples = false;        // progress is told what every core does, too, and once more when the run has ended
    // Slices of time, in so many bytes at most (0: none), from a cycle on and to before another.
    std::uint64_t trace_limit = 0, trace_from = 0, trace_to = ~std::uint64_t{0};
    std::vector<Landmark> landmarks;  // of those slices
    std::vector<Handover> handovers;  // none within another
    // Lines of memory (record/lines.hpp), in so many bytes at most (0: none); `followed` then says what allocates.
    std::uint64_t lines_limit = 0;
    std::vector<Followed> followed;
    std::vector<HomeRange> homes;      // in ascending order, none within another; tiled machines only
    bool fast_forward = false;         // to the first region (machine/fast_forward.hpp); nothing when restored
    bool strict_system_calls = false;  // one that is not simulated ends the run, and does not fail with ENOSYS
};

enum class Ending : std::uint8_t { exited, deadlock, cycle_limit, interrupted, fault };

// Where a thread was when the run ended, for tables and messages.
struct ThreadReport {
    std::uint32_t thread = 0;  // the kernel's thread number
    std::uint32_t core = 0;
    std::uint64_t pc = 0;
    std::uint64_t return_address = 0;  // register ra
    std::string state;                 // "waits in futex", "waits for a line (wrs.nto)", "runs", ...
    std::uint64_t address = 0;         // what it waits for, 0 if nothing
    bool has_core = true;              // else it waits without one, and the kernel knows where it is
    // For whoever unwinds it: x0 to x31, and the memory from sp on, as much of it as is mapped, up to stack_bytes.
    static constexpr std::size_t stack_bytes = 64 << 10;
    std::array<std::uint64_t, 32> registers{};
    std::vector<std::uint8_t> stack;
};

struct Statistic {
    std::string part;         // "core", "l1d", "l2", "home", "network", "memory", ...
    std::uint32_t index = 0;  // which of them
    std::string name;
    std::string unit;  // "cycles", "instructions", "messages", "flits", "bytes", ...
    std::uint64_t value = 0;

    void serialise(Archive& archive) { archive(part, index, name, unit, value); }
};
static_assert(is_listed<Statistic, 112>);

// The growth of the statistics from `begin` to `end`, in the order of their rows. A wait that goes on at the end is
// counted for the reason known by then. If it turns out to have another reason, a later interval takes it back.
struct Interval {
    std::uint64_t begin = 0, end = 0;  // cycles
    std::uint64_t place = 0;           // of an occurrence of a region: the return address of the call that began it
    std::vector<std::int64_t> grew;

    void serialise(Archive& archive) { archive(begin, end, place, grew); }
};
static_assert(is_listed<Interval, 48>);

// Something that record/coherence_check.hpp found.
struct CoherenceReport {
    static constexpr bool is_plain = true;
    enum class Kind : std::uint8_t { stale_load, lost_write, racing_load, lost_store };
    Kind kind = Kind::stale_load;
    std::uint32_t core = 0;
    std::uint64_t pc = 0, time = 0;     // the load, or the operation that dropped the write
    std::uint64_t address = 0;          // of a 32-bit word
    std::uint32_t got = 0, latest = 0;  // values
    std::uint32_t writer = 0;           // the core that wrote the latest one
    std::uint64_t writer_pc = 0, writer_time = 0;
};

// Two accesses that nothing orders; `first` took effect first in this run.
struct RaceReport {
    struct Side {
        std::uint32_t core = 0;
        std::uint64_t pc = 0, time = 0, return_address = 0;
        bool writes = false, is_atomic = false;
    };
    std::uint64_t address = 0;  // of the bytes that both use
    std::uint32_t size = 0;
    std::uint64_t count = 0;  // how often these two places raced
    Side first, second;
    // 0, or the operation of the C library by which they would be ordered if it released. Then this is the first such
    // pair, and `count` is of all.
    std::uint64_t ordered_by = 0;
};

// A call in a stack of calls; number 0 is where threads begin.
struct CallNode {
    std::uint32_t parent = 0;
    std::uint64_t return_address = 0;  // of an interrupt: where the handler returns to
    bool is_interrupt = false;
};

// Where the cycles of all cores went: RunOptions::profile.
struct Profile {
    struct Row {
        std::uint32_t core, node;
        std::uint64_t pc;
        std::uint32_t cause;   // 0: it issued; else one of profile_causes
        std::uint32_t unused;  // so that a row has no gaps
        std::int64_t cycles;
        std::uint64_t executions;  // with cause 0
    };
    std::vector<CallNode> calls;
    std::vector<Row> rows;
};
// The causes of rows by number: the names of the statistics of cores.
std::span<const char* const> profile_causes();

// Slices of time, encoded (record/timeline.hpp): RunOptions::trace_limit.
struct Trace {
    // The numbers of their names. A cause's is its own, from 1 on. Behind the causes are these, then landmarks, and
    // from `own` on the program's names.
    enum Name : std::uint32_t {
        thread = 64,
        handler,
        flows,
        sent = flows,
        received,
        handed_over = 72,
        stolen,
        landmarks = 80,
        own = 128
    };
    std::string packets;
    std::uint64_t left_out = 0, left_out_from = 0;  // slices, for want of room; and since which cycle
    std::vector<std::string> names;                 // the program's
};

// The use of each line of memory, and its cost: RunOptions::lines_limit.
struct Lines {
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};
    static constexpr std::size_t causes = 12;  // of waits: profile_causes() without the first
    // One core's use of one line.
    struct Use {
        std::uint64_t loads = 0, stores = 0, atomics = 0;  // instructions
        std::uint64_t next = 0;  // how often it was the first to read what another had written
        // How often it came to a line that others had written since it last did, and used bytes that they had, or not.
        std::uint64_t true_sharing = 0, false_sharing = 0;
        std::uint64_t read_bytes = 0, write_bytes = 0;  // a bit for each that it has read or written
        std::uint64_t read_pc = 0, write_pc = 0;        // of the latest instruction that did
        std::array<std::uint64_t, causes> waits{};      // cycles
        std::array<std::uint32_t, causes> times{};      // how often it waited
        std::uint32_t core = 0;
        std::uint32_t unused = 0;
    };
    struct Line {  // or several that lie side by side, if one core only has used them
        std::uint64_t address = 0;
        std::uint64_t invalidations = 0, messages = 0, hops = 0;  // of messages about it
        std::uint32_t first_use = 0, uses = 0;
        std::uint32_t lines = 1;             // more: of a page, used by one core only
        std::uint32_t home = nothing;        // the tile or bank at the end, of a single line
        std::uint32_t allocation = nothing;  // what it is part of, by number
        std::uint32_t is_spread = 0;         // 1: the lines around it have other homes, all over the chip
        std::uint32_t of_stack = 0;          // 1: it has been part of a stack
        std::uint32_t unused = 0;
    };
    // All that one instruction in one stack of calls has allocated.
    struct Allocation {
        std::uint64_t return_address = 0, address = 0, bytes = 0;  // of the latest
        std::uint32_t node = 0, count = 0;
    };
    struct Placed {  // what was the latest there
        std::uint64_t address, end;
        std::uint32_t allocation, unused;
    };
    struct Wait {  // of one core, asleep, for lines that another one was the last to write
        std::uint32_t core, writer;
        std::uint64_t cycles;
    };
    // Messages from one core to another, through one thing in memory or by the user network.
    struct Channel {
        std::uint32_t sender = 0, receiver = 0;
        std::uint32_t allocation = nothing;  // what their flags are part of
        std::uint32_t by_user_network = 0;   // 1: neither that nor a line
        std::uint64_t line = 0;              // of their flags, if they are part of no allocation
        std::uint64_t messages = 0;
        std::uint64_t under_way = 0;  // cycles from send to receipt, of all of them together
        std::uint64_t most = 0;       // under way at once; 0: not known, for one overtook another
    };
    std::vector<CallNode> calls;
    std::vector<Line> lines;
    std::vector<Use> uses;
    std::vector<Allocation> allocations;
    std::vector<Placed> placed;
    std::vector<Wait> waits;
    std::vector<Channel> channels;
    std::uint64_t unreceived = 0;  // messages that nobody was seen to receive
    std::uint64_t left_out = 0;    // accesses, for want of room
};

// The part of a run that was done functionally, before the first region, and how its caches were warmed.
struct FastForwarded {
    static constexpr bool is_plain = true;
    bool has_come = false;           // there was a region
    std::uint64_t instructions = 0;  // before it
    std::uint64_t begins = 0;        // the cycle at which exact time begins
    std::uint64_t lines = 0;         // that were brought into caches again, each time for one core
};

struct Outcome {
    Ending ending = Ending::exited;
    int exit_code = 0;
    std::string message;       // one sentence for every ending but a normal exit
    std::uint64_t cycles = 0;  // when the last thread ended
    std::uint64_t instructions = 0;
    std::uint32_t window = 0;                // the one used
    std::vector<ThreadReport> threads;       // alive at the end
    std::vector<CoherenceReport> coherence;  // the first ones
    std::uint64_t coherence_count = 0;       // all
    std::uint64_t racing_count = 0;          // loads of older values than the latest, in a race with its write
    CoherenceReport longest_racing;          // the one whose write was longest ago, if there was any
    std::vector<RaceReport> races;           // the first pairs of places
    std::uint64_t race_count = 0;            // all
    std::vector<Statistic> statistics;
    std::vector<Statistic> counts;    // of the whole run, whatever its regions; only with intervals
    std::vector<Interval> intervals;  // the last one ends with the run
    std::vector<Interval> regions;    // their occurrences, with RunOptions::each_region
    Profile profile;                  // with RunOptions::profile
    Trace trace;                      // with RunOptions::trace_limit
    Lines lines;                      // with RunOptions::lines_limit
    FastForwarded fast_forwarded;     // with RunOptions::fast_forward
    // System calls that failed with ENOSYS because they are not simulated, by name, and how often each did.
    std::vector<std::pair<std::string, std::uint64_t>> unsimulated;
};

// A program file that cannot be run: not an ELF, for another machine, dynamic, truncated, ...
struct BadProgram : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws BadProgram, or std::invalid_argument for a machine that cannot be. The host is told however it ends.
Outcome simulate(const MachineDescription& machine, std::span<const std::uint8_t> elf, const RunOptions& options);

}  // namespace croftsim
