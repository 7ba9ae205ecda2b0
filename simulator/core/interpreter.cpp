#include "core/interpreter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/hexadecimal.hpp"
#include "contract/fault_signal.hpp"
#include "contract/requester.hpp"
#include "core/core.hpp"
#include "core/csr.hpp"
#include "device/copy_engine.hpp"
#include "device/uli_port.hpp"
#include "device/user_port.hpp"
#include "isa/atomic_operation.hpp"
#include "isa/floating_point.hpp"

// Labels as values, and the jump to them, are the point of this file.
#pragma GCC diagnostic ignored "-Wpedantic"

namespace croftsim {
namespace {

constexpr std::size_t handler_count =
    static_cast<std::size_t>(Opcode::count) + static_cast<std::size_t>(Terminator::count);

template <class T>
constexpr LoadType load_type() {
    constexpr LoadType types[][2] = {{LoadType::i8, LoadType::u8},
                                     {LoadType::i16, LoadType::u16},
                                     {LoadType::i32, LoadType::u32},
                                     {LoadType::i64, LoadType::i64}};
    return types[std::countr_zero(sizeof(T))][std::is_unsigned_v<T>];
}

constexpr std::uint64_t futex_call = 98;  // kernel/system_calls.inc

// What an AMO leaves in rd: sign-extended, whatever the type it compares as.
template <class T>
constexpr LoadType atomic_type() {
    constexpr LoadType types[] = {LoadType::i8, LoadType::i16, LoadType::i32, LoadType::i64, LoadType::pair};
    return types[std::countr_zero(sizeof(T))];
}

// The operands of a compare-and-swap. x0 as rd is the register 32 here; it reads as zero.
AtomicOperands compared(const std::uint64_t* x, std::size_t size, std::uint8_t rd, std::uint8_t rs2) {
    const auto pair_at = [&](std::uint32_t first) {
        return RegisterPair{x[first], size > 8 && first > 0 ? x[first + 1] : 0};
    };
    return {pair_at(rs2), pair_at(rd % 32)};
}

// An atomic operation counts when it is carried out, not when it is to be tried again.
Access counted(Core& core, Access atomic) {
    if (atomic != Access::retry) ++core.statistics.atomics;
    return atomic;
}

[[noreturn, gnu::noinline]] void illegal(Core& core) {
    const std::uint64_t pc = core.pc();
    const AddressSpace& memory = core.blocks->memory();
    if (pc & 1) core.fault("jump to the odd address " + hexadecimal(pc), 132);
    if (!memory.allows(pc, 2, Permission::execute))
        core.fault("wild jump to " + hexadecimal(pc) + ", where there is no code", 132, fault_signal::segmentation, pc);
    std::uint32_t bits = 0;
    memory.read_dram(pc, &bits, memory.allows(pc, 4, Permission::execute) ? 4 : 2);
    const bool compressed = (bits & 3) != 3;
    core.fault("illegal instruction " + (compressed ? hexadecimal(bits & 0xffff, 4) : hexadecimal(bits, 8)) + " at " +
                   hexadecimal(pc),
               132, fault_signal::illegal_instruction, pc);
}

// With a core: runs it. Without: fills the table of labels. `shift` is log2 of the L1's line size: as a constant it
// makes every load's address computation shorter. `fetches`: blocks have to be in the L1 instruction cache. `logs`: the
// core's log is told of each block.
template <unsigned shift, bool fetches, bool logs>
void run(Core* core_pointer, const void** handlers) {
    if (!core_pointer) {
        const void* labels[] = {&&do_illegal,
#define INSTRUCTION(name, ...) &&do_##name,
#include "isa/instructions.inc"
#undef INSTRUCTION
                                &&do_fall_through, &&do_landmark};
        static_assert(sizeof labels / sizeof *labels == handler_count);
        std::memcpy(handlers, labels, sizeof labels);
        return;
    }

    Core& core = *core_pointer;
    Block* block = core.block;
    const Op* op = core.op;
    std::uint64_t cycle = core.cycle, stop = core.stop;
    std::uint64_t* const x = core.hart.x.data();
    std::uint64_t* const f = core.hart.f.data();
    const L1Filter::Fast* const fast = core.fast.lines;
    const WriteFilter::Entry* const writable = core.fast.writes;
    constexpr std::uint64_t line_mask = ~((std::uint64_t{1} << shift) - 1);
    const std::uint64_t set_mask = core.fast.set_mask;
    [[maybe_unused]] const std::uint64_t* const fetched = core.instructions.first();
    [[maybe_unused]] const std::uint64_t fetched_mask = core.instructions.set_mask();
    std::uint64_t address;
    Access access;

#define MORE(...) __VA_ARGS__
#define RD x[op->rd]
#define RS1 x[op->rs1]
#define RS2 x[op->rs2]
#define IMM std::int64_t{op->imm}
#define UIMM std::uint64_t{op->rs1}
#define PC_RELATIVE (block->pc + static_cast<std::uint64_t>(IMM))
#define WRITTEN_F (core.floating_changed = true, f)[op->rd & 31]
#define FD(...) (WRITTEN_F = (__VA_ARGS__))
#define FS(...) (WRITTEN_F = 0xffffffff00000000u | static_cast<std::uint32_t>(__VA_ARGS__))
#define FH(...) (WRITTEN_F = 0xffffffffffff0000u | static_cast<std::uint16_t>(__VA_ARGS__))
#define FD1 f[op->rs1]
#define FD2 f[op->rs2]
#define FD3 f[(op->imm >> 3) & 31]
#define UNBOX(bits) ((bits) >> 32 == 0xffffffffu ? static_cast<std::uint32_t>(bits) : 0x7fc00000u)
#define FS1 UNBOX(FD1)
#define FS2 UNBOX(FD2)
#define FS3 UNBOX(FD3)
#define UNBOX_HALF(bits) \
    static_cast<std::uint16_t>((bits) >> 16 == 0xffffffffffffu ? (bits) : fp::Format<std::uint16_t>::canonical_nan)
#define FH1 UNBOX_HALF(FD1)
#define FLAGS core.hart.fflags
    // The rounding mode DYN (7) means the one in frm, which may be reserved.
    const auto rounding = [&](std::int32_t imm) -> std::uint8_t {
        const auto mode = static_cast<std::uint8_t>(imm & 7);
        if (mode != 7) [[likely]]
            return mode;
        if (core.hart.frm > 4) {
            core.op = op;
            core.block = block;
            illegal(core);
        }
        return core.hart.frm;
    };
#define RM rounding(op->imm)

#define NEXT goto * (++op)->handler
#define SAVE (core.op = op, core.block = block, core.cycle = cycle)
#define TIME (cycle + op->offset)
#define HOLD_UNTIL_SAFE                 \
    if (TIME >= core.safe) [[unlikely]] \
    goto leave
    // The operation concerns more than the core.
#define STEP_OUT     \
    HOLD_UNTIL_SAFE; \
    SAVE
    // After a call that may have stalled the core, stopped it, or put it to sleep, in the middle of an operation.
#define PROCEED(result)                      \
    access = (result);                       \
    if (access != Access::done) goto asleep; \
    cycle = core.cycle;                      \
    stop = core.stop
    // The log hears of an access that is done now or later, but not of one that is to be tried again.
#define TELL(kind, bytes)                 \
    if constexpr (logs)                   \
        if (core.log->follows_accesses()) \
    core.log->tell(ExecutionLog::Accessed{block->pc_of(op), address, TIME, x[2], ExecutionLog::Kind::kind, bytes})
#define ACCESSING(at) \
    if constexpr (logs) core.accessing = (at)
#define CONTINUE_ACCESS(kind, bytes, result) \
    ACCESSING(address);                      \
    access = (result);                       \
    if (access != Access::retry) {           \
        TELL(kind, bytes);                   \
    }                                        \
    CONTINUE(access)
    // The checkpoint moves up, because what was done cannot be taken back.
#define MOVE_UP \
    if (core.runs_ahead) core.checkpoint.take(core, block, op + 1, cycle, true)
    // PROCEED at the operation's end.
#define CONTINUE(result) \
    PROCEED(result);     \
    MOVE_UP
    // All of an operation that is one call.
#define DO(result) \
    STEP_OUT;      \
    CONTINUE(result)

#define LOAD_AS(type, size, destination, value)                                                \
    address = RS1 + static_cast<std::uint64_t>(IMM);                                           \
    if (const auto& entry = fast[(address >> shift) & set_mask];                               \
        (address & (line_mask | (size - 1))) == entry.line && TIME < stop) [[likely]] {        \
        const auto host = address + entry.addend;                                              \
        destination = value;                                                                   \
        TELL(load, size);                                                                      \
    } else if (TIME >= core.safe) {                                                            \
        ACCESSING(address);                                                                    \
        if (TIME >= stop || !core.requester->load_ahead(type, op->rd, address)) goto leave;    \
        TELL(load, size);                                                                      \
    } else {                                                                                   \
        SAVE;                                                                                  \
        CONTINUE_ACCESS(load, size, core.requester->load(type, op->rd, address, Reserve::no)); \
    }
#define PEEK(type) (*reinterpret_cast<const type*>(host))
#define LOAD(type) LOAD_AS(load_type<type>(), sizeof(type), RD, static_cast<std::uint64_t>(PEEK(type)))
#define LOAD_HALF() LOAD_AS(LoadType::half, 2, WRITTEN_F, 0xffffffffffff0000u | PEEK(std::uint16_t))
#define LOAD_SINGLE() LOAD_AS(LoadType::single, 4, WRITTEN_F, 0xffffffff00000000u | PEEK(std::uint32_t))
#define LOAD_DOUBLE() LOAD_AS(LoadType::real, 8, WRITTEN_F, PEEK(std::uint64_t))

#define STORE_AS(type, value)                                                                                          \
    address = RS1 + static_cast<std::uint64_t>(IMM);                                                                   \
    if (const auto& entry = writable[(address / line_bytes) % WriteFilter::entries];                                   \
        (address & (~std::uint64_t{63} | (sizeof(type) - 1))) == entry.line && TIME < stop) [[likely]] {               \
        if (core.runs_ahead) {                                                                                         \
            if (core.checkpoint.full()) [[unlikely]]                                                                   \
                goto leave;                                                                                            \
            core.checkpoint.note(address + entry.addend);                                                              \
        }                                                                                                              \
        *reinterpret_cast<type*>(address + entry.addend) = static_cast<type>(value);                                   \
        TELL(store, sizeof(type));                                                                                     \
    } else if (TIME >= core.safe) {                                                                                    \
        ACCESSING(address);                                                                                            \
        if (TIME >= stop || !core.requester->store_ahead(address, sizeof(type), static_cast<type>(value))) goto leave; \
        TELL(store, sizeof(type));                                                                                     \
    } else {                                                                                                           \
        SAVE;                                                                                                          \
        CONTINUE_ACCESS(                                                                                               \
            store, sizeof(type),                                                                                       \
            core.requester->store(address, sizeof(type), static_cast<type>(value), op->rd != no_allocate));            \
    }
#define STORE(type) STORE_AS(type, RS2)
#define STORE_HALF() STORE_AS(std::uint16_t, FD2)
#define STORE_SINGLE() STORE_AS(std::uint32_t, FD2)
#define STORE_DOUBLE() STORE_AS(std::uint64_t, FD2)

    // .rl: earlier stores first. Loads block, so .aq asks for no order; but where readers invalidate, copies go. That
    // may happen before the access that acquires: nothing is loaded in between, and words that the cache gives up in
    // between go, too (L1Requester::may_be_acquiring).
#define ACQUIRE_IF(condition) \
    if (core.acquires && (condition)) core.requester->acquire();
#define RELEASE_IF(condition)             \
    STEP_OUT;                             \
    if (condition) {                      \
        PROCEED(core.requester->fence()); \
        SAVE;                             \
    }
#define LOAD_RESERVED(type) \
    RELEASE_IF(op->imm & 1) \
    ACQUIRE_IF(op->imm & 2) \
    address = RS1;          \
    CONTINUE_ACCESS(reserve, sizeof(type), core.requester->load(atomic_type<type>(), op->rd, address, Reserve::start))
#define WATCH(type)   \
    RELEASE_IF(false) \
    address = RS1;    \
    CONTINUE_ACCESS(reserve, sizeof(type), core.requester->load(atomic_type<type>(), op->rd, address, Reserve::add))
#define STORE_CONDITIONAL(type)           \
    RELEASE_IF(op->imm & 1)               \
    ACQUIRE_IF(op->imm & 2)               \
    address = RS1;                        \
    CONTINUE_ACCESS(atomic, sizeof(type), \
                    counted(core, core.requester->store_conditional(atomic_type<type>(), op->rd, address, RS2)))
#define ATOMIC_ON(operation, type, operands)                                                                           \
    address = RS1;                                                                                                     \
    if (TIME >= core.safe) {                                                                                           \
        ACCESSING(address);                                                                                            \
        if (TIME >= stop || (core.acquires && (op->imm & 2)) || ((op->imm & 1) && !core.requester->fence_ahead()) ||   \
            !core.requester->atomic_ahead(operation, atomic_type<type>(), std::is_unsigned_v<type>, op->rd, address,   \
                                          operands))                                                                   \
            goto leave;                                                                                                \
        ++core.statistics.atomics;                                                                                     \
        TELL(atomic, sizeof(type));                                                                                    \
    } else {                                                                                                           \
        RELEASE_IF(op->imm & 1)                                                                                        \
        ACQUIRE_IF(op->imm & 2)                                                                                        \
        CONTINUE_ACCESS(atomic, sizeof(type),                                                                          \
                        counted(core, core.requester->atomic(operation, atomic_type<type>(), std::is_unsigned_v<type>, \
                                                             op->rd, address, operands)));                             \
    }
#define ATOMIC(operation, type) ATOMIC_ON(operation, type, RS2)
#define ATOMIC_COMPARE(type) \
    ATOMIC_ON(AtomicOperation::compare_and_swap, type, compared(x, sizeof(type), op->rd, op->rs2))

    // Only "earlier writes before something later" asks for waiting: loads block, and a later write cannot overtake
    // an earlier load.
#define ORDERS_STORES (((op->imm >> 4) & 5) && (op->imm & 15))
    // Whatever a fence orders later loads behind, none may return what an old copy has: not behind stores, either.
#define ACQUIRES (core.acquires && ((op->imm >> 4) & 15) && (op->imm & 10))
    // It may have to come again for the second half of what it does: so it is counted, and final, with that.
#define FENCE()                                                                              \
    if (ORDERS_STORES) {                                                                     \
        if (TIME >= core.safe) {                                                             \
            if (TIME >= stop || core.acquires || !core.requester->fence_ahead()) goto leave; \
            ++core.statistics.fences;                                                        \
        } else {                                                                             \
            SAVE;                                                                            \
            PROCEED(core.requester->fence());                                                \
            if (core.acquires && !(op->imm & 10)) core.requester->release_next();            \
            if (!ACQUIRES) {                                                                 \
                ++core.statistics.fences;                                                    \
                MOVE_UP;                                                                     \
            }                                                                                \
        }                                                                                    \
    }                                                                                        \
    if (ACQUIRES) {                                                                          \
        STEP_OUT;                                                                            \
        core.requester->acquire();                                                           \
        if (ORDERS_STORES) ++core.statistics.fences;                                         \
        MOVE_UP;                                                                             \
    }
#define LINE(operation, at, options) \
    DO(core.requester->operate(LineOperation::operation, at, static_cast<std::uint8_t>(options)))
#define MARK(text, what) \
    if constexpr (logs) core.log->tell(ExecutionLog::Marked{TIME, text, Mark::what})
#define SEND(to, word) DO(core.user_port->send(to, word))
#define OPEN(to, words) DO(core.user_port->open(to, words))
#define PUSH(word) DO(core.user_port->push(word))
#define RECEIVE(destination) DO(core.user_port->receive(op->rd, op->rs2))
#define MAP(tag) DO((core.user_port->map(tag, op->rs2), Access::done))
#define ULI_REQUEST(to, word) DO(core.uli_port->request(to, word))
#define ULI_RESPONSE(destination) DO(core.uli_port->response(op->rd))
#define ULI_RESPOND(to, word) DO(core.uli_port->respond(to, word))
    // What is read there changes with what arrives: it cannot be read again.
#define READ_PORT(destination, value) \
    STEP_OUT;                         \
    destination = (value);            \
    MOVE_UP
#define WAITING(destination) \
    READ_PORT(destination, core.user_port->waiting(op->rs2 < UserPort::queues ? op->rs2 : UserPort::catch_all))
#define COPY(to, from, bytes)             \
    STEP_OUT;                             \
    if (!core.copy_engine) illegal(core); \
    CONTINUE(core.copy_engine->start(to, from, bytes))
#define COPIED(destination) READ_PORT(destination, core.copy_engine&& core.copy_engine->busy() ? 0 : 1)
    // Afterwards an interrupt may be due, which the machine sees to.
#define RETURN_FROM_INTERRUPT()                                               \
    STEP_OUT;                                                                 \
    RETIRE_TOWARDS(core.hart.interrupts.interrupted_pc, block->cycles_taken); \
    core.leave_handler(cycle);                                                \
    return
#define CACHE_ZERO()                                                                    \
    STEP_OUT;                                                                           \
    address = RS1 & ~std::uint64_t{63};                                                 \
    ACCESSING(address);                                                                 \
    PROCEED(core.requester->operate(LineOperation::allocate, RS1, 0));                  \
    for (unsigned i = 0; i < 56; i += 8) {                                              \
        access = core.requester->store((RS1 & ~std::uint64_t{63}) + i, 8, 0, true);     \
        if (access == Access::blocked) { /* there is more to do behind it: all again */ \
            core.state = CoreState::waits_store;                                        \
            access = Access::retry;                                                     \
        }                                                                               \
        PROCEED(access);                                                                \
    }                                                                                   \
    CONTINUE_ACCESS(zero, 64, core.requester->store((RS1 & ~std::uint64_t{63}) + 56, 8, 0, true));
#define WAIT_RESERVATION(limited)                                                                    \
    HOLD_UNTIL_SAFE;                                                                                 \
    if (core.reservation.held()) {                                                                   \
        ++core.statistics.line_waits;                                                                \
        ACCESSING(core.reservation.first());                                                         \
        SAVE;                                                                                        \
        core.sleep(CoreState::waits_line, TIME);                                                     \
        core.wait_limit = TIME + std::min((limited) ? short_wait : never - TIME, core.longest_wait); \
        access = Access::blocked;                                                                    \
        goto asleep;                                                                                 \
    }
    // Where an interrupt may be due behind a change of their state, that is seen to before the next operation.
#define CSR(how, operand)                                                             \
    {                                                                                 \
        const bool concerns = concerns_interrupts(op->imm);                           \
        if (concerns && TIME >= stop) [[unlikely]]                                    \
            goto leave;                                                               \
        const bool is_last = concerns && may_interrupt(core);                         \
        if (is_last && TIME >= core.safe) [[unlikely]]                                \
            goto leave;                                                               \
        SAVE;                                                                         \
        const auto old = access_csr(core, CsrChange::how, operand);                   \
        if (!old) illegal(core);                                                      \
        RD = *old;                                                                    \
        if (is_last) [[unlikely]] {                                                   \
            ++op;                                                                     \
            if (core.runs_ahead) core.checkpoint.take(core, block, op, cycle, false); \
            goto leave;                                                               \
        }                                                                             \
    }

#define ENTER(target)               \
    block = (target);               \
    op = block->ops.data();         \
    if (cycle >= stop) [[unlikely]] \
        goto leave;                 \
    FETCH;                          \
    goto * op->handler
    // The block's lines are the most recently used of their sets, nearly always.
#define FETCH                                                                                           \
    if constexpr (fetches) {                                                                            \
        if (fetched[block->first_line / line_bytes & fetched_mask] != block->first_line ||              \
            fetched[block->second_line / line_bytes & fetched_mask] != block->second_line) [[unlikely]] \
            goto fetch;                                                                                 \
    }
#define RETIRE                                               \
    if constexpr (fetches) core.fetches.found(block->lines); \
    core.statistics.instructions += block->instructions;     \
    core.accesses += block->accesses
#define LOG(until, next)                                                                           \
    if constexpr (logs) {                                                                          \
        core.log->tell(ExecutionLog::Step{block, until});                                          \
        if (block->linkage != Linkage::none)                                                       \
            core.log->tell(ExecutionLog::Transferred{block->next_pc, x[2], next, block->linkage}); \
    }
#define RETIRE_TOWARDS(target, after) \
    RETIRE;                           \
    cycle += (after);                 \
    LOG(cycle, target)
#define LOG_PART(until) \
    if constexpr (logs) core.log->tell(ExecutionLog::Part{block, op + 1, until})
#define TRANSFERRED(next) \
    if constexpr (logs) core.log->transferred(next, x)
#define TAKE(link, address_of_target, cost)                        \
    RETIRE_TOWARDS(block->address_of_target, cost);                \
    TRANSFERRED(block->address_of_target);                         \
    if (!block->link) [[unlikely]]                                 \
        block->link = core.blocks->find(block->address_of_target); \
    ENTER(block->link)
#define BRANCH(condition)                           \
    if (condition) {                                \
        TAKE(taken, taken_pc, block->cycles_taken); \
    }                                               \
    TAKE(next, next_pc, block->cycles)
#define JUMP()           \
    RD = block->next_pc; \
    TAKE(taken, taken_pc, block->cycles_taken)
#define JUMP_REGISTER()                                                    \
    address = (RS1 + static_cast<std::uint64_t>(IMM)) & ~std::uint64_t{1}; \
    RD = block->next_pc;                                                   \
    RETIRE_TOWARDS(address, block->cycles_taken);                          \
    TRANSFERRED(address);                                                  \
    ENTER(core.blocks->find(address))
    // The kernel sees every earlier store, so the core drains its own first.
#define ENTER_KERNEL(request)                   \
    RELEASE_IF(true)                            \
    RETIRE;                                     \
    LOG_PART(TIME);                             \
    ACCESSING(x[17] == futex_call ? x[10] : 0); \
    core.sleep(CoreState::in_kernel, TIME);     \
    core.hart.pc = block->next_pc;              \
    core.kernel_request = (request);            \
    core.cycle = TIME;                          \
    core.op = nullptr;                          \
    return
#define SYSTEM_CALL() ENTER_KERNEL(KernelRequest::system_call)
#define FENCE_I() ENTER_KERNEL(KernelRequest::synchronise_instructions)
#define BREAKPOINT()                 \
    STEP_OUT;                        \
    RETIRE;                          \
    LOG_PART(TIME);                  \
    core.hart.pc = block->pc_of(op); \
    core.state = CoreState::trapped; \
    return
#define ILLEGAL() \
    STEP_OUT;     \
    illegal(core)

    if (!op) {
        block = core.blocks->find(core.hart.pc);
        op = block->ops.data();
    }
    if constexpr (fetches) {
        if (op == block->ops.data()) {
            FETCH;
        }
    }
    goto * op->handler;

fetch:
    __attribute__((unused));
    if constexpr (fetches) {
        SAVE;
        if (!core.fetch()) return;
    }
    goto * op->handler;

do_illegal:
    ILLEGAL();
do_fall_through:
    TAKE(next, next_pc, block->cycles);
do_landmark:
    if constexpr (logs) {
        core.log->tell(ExecutionLog::Passed{TIME, block->pc_of(op)});
        goto* core.blocks->handler_behind_landmark(op);
    }
    __builtin_unreachable();

#define INSTRUCTION(name, format, match, mask, cost, ...) do_##name : __VA_ARGS__ NEXT;
#include "isa/instructions.inc"
#undef INSTRUCTION

asleep:
    if (access == Access::blocked) core.op = op + 1;
    return;
leave:
    SAVE;
}

// By the kind's number.
constexpr auto interpreters = []<std::size_t... kind>(std::index_sequence<kind...>) {
    return std::array{&run<(kind & 4 ? 4 : 6), (kind & 2) != 0, (kind & 1) != 0>...};
}(std::make_index_sequence<8>());
std::size_t number_of(InterpreterKind kind) { return kind.short_lines * 4u + kind.fetches * 2u + kind.logs; }

}  // namespace

// Each interpreter has its own labels.
std::span<const void* const> handlers(InterpreterKind kind) {
    static const auto all = [] {
        std::array<std::array<const void*, handler_count>, interpreters.size()> made;
        for (std::size_t i = 0; i < made.size(); ++i) interpreters[i](nullptr, made[i].data());
        return made;
    }();
    return all[number_of(kind)];
}

void interpret(Core& core) {
    core.accesses = 0;
    interpreters[number_of(core.blocks->interpreter())](&core, nullptr);
    core.statistics.loads += core.accesses & 0xffffffffu;
    core.statistics.stores += core.accesses >> 32;
}

}  // namespace croftsim
