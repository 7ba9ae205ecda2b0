// Any bytes are instructions or illegal ones: the decoder must say which, consistently, and never fail.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "isa/disassemble.hpp"
#include "isa/instruction.hpp"

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

bool same(const croftsim::Instruction& a, const croftsim::Instruction& b) {
    return a.opcode == b.opcode && a.rd == b.rd && a.rs1 == b.rs1 && a.rs2 == b.rs2 && a.imm == b.imm;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace croftsim;
    for (std::size_t at = 0; at + 2 <= size;) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, data + at, size - at < 4 ? 2 : 4);
        const Instruction instruction = decode(bits);
        const bool compressed = (bits & 3) != 3;
        require(instruction.length == (compressed ? 2 : 4));
        require(instruction.opcode < Opcode::count);
        require(instruction.rd < 32 && instruction.rs1 < 32 && instruction.rs2 < 32);
        if (compressed) {
            const std::uint32_t whole = expand_compressed(static_cast<std::uint16_t>(bits));
            require((whole == 0) == (instruction.opcode == Opcode::illegal));
            require(whole == 0 || same(instruction, decode(whole)));
            require(same(instruction, decode(bits & 0xffff)));
        }
        const std::string text = disassemble(bits, at);
        require(text.starts_with(name_of(instruction.opcode)));
        require(text.starts_with("illegal") == (instruction.opcode == Opcode::illegal));
        at += instruction.length;
    }
    return 0;
}
