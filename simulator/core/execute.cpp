#include "core/execute.hpp"

#include <bit>

#include "isa/floating_point.hpp"

namespace croftsim {

#define RD result.value
#define RS1 operands[0]
#define RS2 operands[1]
#define IMM \
    std::int64_t { instruction.imm }
#define PC_RELATIVE (pc + static_cast<std::uint64_t>(IMM))
#define FD(...) (result.value = (__VA_ARGS__))
#define FS(...) (result.value = 0xffffffff00000000u | static_cast<std::uint32_t>(__VA_ARGS__))
#define FH(...) (result.value = 0xffffffffffff0000u | static_cast<std::uint16_t>(__VA_ARGS__))
#define FD1 operands[0]
#define FD2 operands[1]
#define FD3 operands[2]
#define UNBOX(bits) ((bits) >> 32 == 0xffffffffu ? static_cast<std::uint32_t>(bits) : 0x7fc00000u)
#define FS1 UNBOX(FD1)
#define FS2 UNBOX(FD2)
#define FS3 UNBOX(FD3)
#define UNBOX_HALF(bits) \
    static_cast<std::uint16_t>((bits) >> 16 == 0xffffffffffffu ? (bits) : fp::Format<std::uint16_t>::canonical_nan)
#define FH1 UNBOX_HALF(FD1)
#define FLAGS result.flags
#define RM rounding
#define LINK result.value = pc + instruction.length
#define TO(where) (result.taken = true, result.target = (where))
#define BRANCH(condition) \
    if (condition) TO(PC_RELATIVE)
#define JUMP() LINK, TO(PC_RELATIVE)
#define JUMP_REGISTER() LINK, TO((RS1 + static_cast<std::uint64_t>(IMM)) & ~std::uint64_t{1})
// Instructions that concern more than registers never get here.
#define MORE(...)

Computed execute(const Decoded& instruction, const std::uint64_t* operands, std::uint64_t pc, std::uint8_t rounding,
                 std::uint8_t flags) {
    Computed result;
    result.flags = flags;
    switch (instruction.opcode) {
#define INSTRUCTION(name, format, match, mask, cost, ...) \
    case Opcode::name:                                    \
        __VA_ARGS__ break;
#include "isa/instructions.inc"
#undef INSTRUCTION
        case Opcode::illegal:
        case Opcode::count:
            break;
    }
    return result;
}

}  // namespace croftsim
