#pragma once
// One core, whatever its model (core_model.hpp): its hart, where it is in time and in the program, why it waits, and
// its statistics.
//
// Time. Everything that a core does before `safe` is final: nothing unknown can reach it earlier. (The machine computes
// that: machine/window.md.) It may run ahead up to `stop`, doing only what concerns nobody but itself. If something
// does reach it, it is taken back to its checkpoint. Only memory operations are held back at `safe` and `stop`. The
// rest of an instruction is the core's own, so it does not matter how early the host does it.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "cache/instruction_l1.hpp"
#include "cache/l1_filter.hpp"
#include "cache/write_filter.hpp"
#include "contract/access.hpp"
#include "contract/block.hpp"
#include "contract/machine_services.hpp"
#include "core/block_cache.hpp"
#include "core/checkpoint.hpp"
#include "core/cycle_account.hpp"
#include "core/fetch_count.hpp"
#include "core/reservation.hpp"
#include "isa/atomic_operation.hpp"
#include "isa/hart.hpp"
#include "record/execution_log.hpp"

namespace croftsim {

class Requester;
class UserPort;
class UliPort;
class CopyEngine;
class AsynchronousLoads;
class CoreModel;
class CoherenceCheck;
class RaceDetector;

enum class CoreState : std::uint8_t {
    idle,  // no thread
    runs,
    waits_fetch,    // for a line of the program
    waits_memory,   // for a load or an atomic; the requester completes it
    waits_fence,    // for its own stores' acknowledgements; then tries the same operation again
    waits_store,    // for room among the outstanding stores; then tries the same operation again
    waits_message,  // for a word in a queue of the user network; then tries the same operation again
    waits_copy,     // for the DMA engine; then tries the same operation again
    waits_network,  // for room in the user network; then tries the same operation again
    waits_line,     // wrs.nto, wrs.sto: until the reservation is lost
    in_kernel,      // in a system call
    trapped,        // ebreak
};

enum class KernelRequest : std::uint8_t { system_call, synchronise_instructions, fault, called };

constexpr std::uint64_t short_wait = 100;  // cycles of wrs.sto; the specification leaves it to the implementation

struct CoreStatistics {
    static constexpr bool is_plain = true;
    std::uint64_t instructions = 0, loads = 0, stores = 0;
    std::uint64_t atomics = 0, fences = 0, line_waits = 0, interrupts = 0;
    std::uint64_t active = 0;    // cycles from a thread's start to its end
    std::uint64_t handlers = 0;  // of these, in handlers of user-level interrupts
};

class Core {
public:
    // `check_`: null unless the run is checked.
    Core(std::uint32_t id_, BlockCache& blocks_, CoherenceCheck* check_ = nullptr);
    ~Core();

    const std::uint32_t id;
    Hart hart;
    BlockCache* blocks;
    // The interpreter looks into these before it asks the requester.
    struct FastPath {
        const L1Filter::Fast* lines = nullptr;  // one for each set of the L1
        std::uint64_t set_mask = 0;
        const WriteFilter::Entry* writes = nullptr;
    } fast;
    InstructionL1 instructions;  // if the machine says what it is like
    Requester* requester = nullptr;
    AsynchronousLoads* loads = nullptr;  // the same caches, for a model that does not wait for them
    std::unique_ptr<CoreModel> model;
    RaceDetector* races = nullptr;       // told what the core does, if there is one
    CoherenceCheck* const check;         // likewise
    ExecutionLog* log = nullptr;         // likewise
    std::uint64_t accessing = 0;         // with a log: the latest address that was not accessed at once
    std::uint64_t skipped = 0;           // cycles that the program's clock does not show
    std::uint64_t longest_wait = never;  // cycles that it sleeps for a line, at most
    bool acquires = false;               // its requester wants to hear of acquires: its L1's copies may be of any age
    UserPort* user_port = nullptr;
    UliPort* uli_port = nullptr;
    CopyEngine* copy_engine = nullptr;
    const MachineDescription* machine = nullptr;
    Reservation reservation;

    CoreState state = CoreState::idle;
    std::uint64_t cycle = 0;           // when the current block issued its first operation, plus all stalls since
    std::uint64_t safe = 0, stop = 0;  // safe <= stop
    bool drains = false;               // its model begins nothing more, for an interrupt's sake
    bool called = false;               // the kernel wants its thread, before the next operation
    bool floating_changed = true;      // hart.f may differ from the checkpoint's
    bool runs_ahead = false;           // the last run may have gone beyond `safe`: there is a checkpoint
    Block* block = nullptr;
    const Op* op = nullptr;     // the next operation of block; null: look the block at hart.pc up
    std::uint64_t started = 0;  // when its thread began
    std::uint64_t asleep_since = 0;
    std::uint64_t data_came = 0;          // when the latest load was over that had to wait for a message
    std::uint32_t begun = 0;              // how often it has begun anew at hart.pc
    std::uint64_t wait_limit = never;     // when a wrs.sto gives up
    std::uint64_t handler_since = never;  // when the handler that runs interrupted the program
    KernelRequest kernel_request = KernelRequest::system_call;
    std::optional<GuestFault> fault_pending;
    std::uint64_t accesses = 0;  // loads in the low half, stores in the high half, of the current run

    CoreStatistics statistics;
    FetchCount fetches;
    CycleAccount account;
    Checkpoint checkpoint;  // last: it is long, and little of it is touched

    // Of a core that is not ahead of its time: the machine stands still, and it has a checkpoint just here.
    void serialise(Archive& archive);

    // When the next operation issues, if nothing delays it.
    std::uint64_t time() const { return op ? cycle + op->offset : cycle; }
    std::uint64_t pc() const { return op ? block->pc_of(op) : hart.pc; }

    // Those of the block that it is in the midst of too, which `statistics` counts at the block's end.
    std::uint64_t loads_begun() const {
        std::uint64_t instructions = 0, loads = statistics.loads, stores = 0;
        if (op) blocks->count_up_to(*block, op, instructions, loads, stores);
        return loads;
    }

    // Before a run that may go beyond `safe`.
    void take_checkpoint() {
        accesses = 0;
        checkpoint.take(*this, block, op, cycle, false);
    }

    // A thread begins or goes on at hart.pc.
    void go(std::uint64_t at) {
        state = CoreState::runs;
        runs_ahead = false;
        cycle = at;
        if (op) fetches.leave(op == block->ops.data() ? 0 : block->lines);
        op = nullptr;
        block = nullptr;
        ++begun;
    }

    void sleep(CoreState reason, std::uint64_t since) {
        state = reason;
        runs_ahead = false;  // it has no business ahead of what it waits for
        asleep_since = since;
    }

    // A wait of the instruction at `pc_of_it`.
    void book(Stall why, std::uint64_t from, std::uint64_t until, std::uint64_t pc_of_it) {
        const std::uint64_t booked_from = account.book(why, from, until);
        if (log && booked_from < until) log->tell(ExecutionLog::Waited{pc_of_it, why, booked_from, until, accessing});
    }
    // Of one that is asleep: which instruction waits. An operation that is not tried again is behind it already.
    std::uint64_t waiting_pc() const {
        constexpr std::uint64_t length_of_ecall = 4;
        if (state == CoreState::in_kernel && !op)
            return kernel_request == KernelRequest::called ? hart.pc : hart.pc - length_of_ecall;
        const bool is_behind = state == CoreState::waits_memory || state == CoreState::waits_line;
        return is_behind && op ? block->pc_of(op - 1) : pc();
    }

    // The next operation issues at `at`; the cycles since it fell asleep are booked.
    void wake(std::uint64_t at, Stall why) {
        book(why, asleep_since, at, waiting_pc());
        const std::uint64_t goes_on = op ? at - op->offset : at;
        if (log) {
            const std::uint64_t waited = at > asleep_since ? at - asleep_since : 0;
            const auto more = static_cast<std::int64_t>(goes_on - cycle - waited);
            if (more) log->tell(ExecutionLog::Took{waiting_pc(), more});
        }
        state = CoreState::runs;
        cycle = goes_on;
    }

    // Between two operations, the next of which does not come now: counts those before it. Returns when the core is at
    // the end of them.
    std::uint64_t cut_block() {
        const std::uint64_t at = std::max(time(), data_came);
        if (op) blocks->count_up_to(*block, op, statistics.instructions, statistics.loads, statistics.stores);
        if (log && op) log->tell(ExecutionLog::Part{block, op, at});
        return at;
    }

    // Between two operations: its thread enters the kernel, which wants it. It goes on at the next one.
    void enter_kernel(KernelRequest request) {
        const std::uint64_t at = cut_block();
        hart.pc = pc();
        go(at);
        called = false;
        kernel_request = request;
        sleep(CoreState::in_kernel, at);
    }

    // Between two operations: the handler is called (machine.cpp decides when). Instructions that issue behind a load
    // before its data are there are in front of the wait in our order. A handler, which sends, comes behind it.
    void interrupt(std::uint64_t cause, std::uint64_t cycles) {
        const std::uint64_t at = cut_block();
        if (log) log->tell(ExecutionLog::Interrupted{at, pc(), hart.x[2]});
        Hart::Interrupts& state = hart.interrupts;
        state.interrupted_pc = pc();
        state.cause = cause;
        state.enabled_before = true;
        state.enabled = false;
        ++statistics.interrupts;
        hart.pc = state.handler;
        handler_since = at;
        go(at + cycles);
        book(Stall::interrupt, at, at + cycles, hart.pc);
    }

    // The next operation issues that much later.
    void stall(Stall why, std::uint64_t from, std::uint64_t until) {
        if (until <= from) return;
        book(why, from, until, pc());
        cycle += until - from;
    }

    bool asleep() const { return state != CoreState::idle && state != CoreState::runs && state != CoreState::trapped; }
    // A handler is over at `at`, and the program goes on.
    void leave_handler(std::uint64_t at) {
        if (handler_since != never) statistics.handlers += at - handler_since;
        handler_since = never;
        hart.interrupts.enabled = hart.interrupts.enabled_before;
        hart.pc = hart.interrupts.interrupted_pc;
        go(at);
    }

    const char* does() const;  // "waits for an instruction"
    // The reason for which it sleeps, as far as that is known before the wait is over.
    Stall waits_for() const;

    // Whether the block that the core is about to enter, at `cycle`, is in its L1 instruction cache. If not, it may be
    // too early to see to that. Else the core sleeps until a line has come, and then looks again.
    bool fetch();

    // Something may reach it at `time` already.
    void beware(std::uint64_t time) {
        if (time < safe) safe = time;
        if (!runs_ahead && time < stop) stop = time;
    }

    void set_result(LoadType type, std::uint8_t rd, std::uint64_t raw) {
        const bool floating = is_floating(type);
        floating_changed |= floating;
        (floating ? hart.f[rd & 31] : hart.x[rd]) = register_value(type, raw);
    }
    // The result of an atomic operation. A pair that begins with x0 (which is 32 here) is not written.
    void set_result(LoadType type, std::uint8_t rd, RegisterPair found) {
        set_result(type, rd, found.low);
        if (type == LoadType::pair && rd < first_floating) hart.x[rd + 1u] = found.high;
    }

    // `signal`: by which Linux would tell the program; 0: the run ends in any case.
    [[noreturn]] void fault(const std::string& what, int exit_code, std::uint32_t signal = 0,
                            std::uint64_t address = 0) {
        GuestFault thrown(id, what, exit_code);
        thrown.signal = signal;
        thrown.address = address;
        throw thrown;
    }
    // An access that the memory does not allow. `what`: "a load".
    [[noreturn]] void wild_access(const char* what, unsigned size, std::uint64_t address);
};
static_assert(is_listed<Core, 6648>);

}  // namespace croftsim
