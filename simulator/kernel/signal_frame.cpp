#include "kernel/signal_frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace croftsim::signal_frame {
namespace {

struct Registers {  // struct user_regs_struct: pc in the place of x0
    std::uint64_t pc;
    std::array<std::uint64_t, 31> x;
};

struct Floating {  // union __riscv_fp_state, as the extension D uses it, to the size that Q would need
    std::array<std::uint64_t, 32> f;
    std::uint32_t control;
    std::array<std::uint32_t, 67> unused;
};
static_assert(sizeof(Floating) == 528);

struct Context {  // struct ucontext
    std::uint64_t flags, link;
    SignalStack stack;
    SignalSet mask;
    std::array<std::uint8_t, 120> room_for_larger_masks;
    alignas(16) Registers registers;
    Floating floating;
};
static_assert(offsetof(Context, registers) == 176 && sizeof(Context) == 960);

struct Frame {
    std::array<std::uint8_t, 128> info;
    Context context;
};
static_assert(sizeof(Frame) == 1088);

constexpr std::size_t ra = 1, a1 = 11, a2 = 12;

}  // namespace

void push(const UserMemory& user, Hart& hart, const SignalInfo& info, const SignalAction& action,
          const SignalStack& stack, SignalSet mask) {
    std::uint64_t top = hart.x[Hart::sp];
    const bool is_there = stack.holds(top);
    if ((action.flags & SignalAction::on_stack) && !(stack.flags & SignalStack::disabled) && !is_there)
        top = stack.base + stack.size;
    const std::uint64_t at = (top - sizeof(Frame)) / 16 * 16;

    Frame frame{.info = info.bytes(), .context = {}};
    Context& context = frame.context;
    context.stack = stack;
    if (is_there) context.stack.flags |= SignalStack::in_use;
    context.mask = mask;
    context.registers.pc = hart.pc;
    std::copy_n(hart.x.begin() + 1, context.registers.x.size(), context.registers.x.begin());
    context.floating.f = hart.f;
    context.floating.control = static_cast<std::uint32_t>(hart.frm << 5 | hart.fflags);
    user.put(at, frame);

    hart.x[ra] = return_page;
    hart.x[Hart::sp] = at;
    hart.x[Hart::a0] = info.signal;
    hart.x[a1] = at;
    hart.x[a2] = at + offsetof(Frame, context);
    hart.pc = action.handler & ~std::uint64_t{1};
}

SignalSet pop(const UserMemory& user, Hart& hart) {
    const auto context = user.get<Context>(hart.x[Hart::sp] + offsetof(Frame, context));
    hart.pc = context.registers.pc & ~std::uint64_t{1};
    std::copy_n(context.registers.x.begin(), context.registers.x.size(), hart.x.begin() + 1);
    hart.f = context.floating.f;
    hart.frm = context.floating.control >> 5 & 7;
    hart.fflags = context.floating.control & 31;
    return context.mask & ~not_maskable;
}

}  // namespace croftsim::signal_frame
