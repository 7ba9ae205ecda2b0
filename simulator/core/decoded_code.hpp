#pragma once
// The program as an out-of-order core fetches it: one decoded instruction for each address, with what the window has to
// know of it. Decoded at first use, and shared by all cores of one kind, as blocks are by in-order cores.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "contract/description.hpp"
#include "core/core.hpp"
#include "isa/instruction.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

// How the window goes about an instruction.
enum class Handling : std::uint8_t {
    computes,  // a result from registers
    branch,
    jump,           // jal
    jump_register,  // jalr
    load,
    store,
    serial,  // alone, when the window is empty, by the in-order interpreter
};

// Registers of both files by one number: integer ones, floating-point ones behind them, and one that is always zero and
// that nobody writes, for x0 and for fields that name none.
constexpr std::uint8_t first_floating = 32, no_register = 64, register_count = 65;

struct Decoded {
    Opcode opcode = Opcode::illegal;
    std::uint16_t latency = 0;  // cycles from issue to the result
    std::int32_t imm = 0;
    Handling handling = Handling::serial;
    IssueUnit unit = IssueUnit::alu;
    bool keeps_unit = false;  // until the result is there: divisions and square roots
    std::uint8_t length = 0;  // bytes; 0: not decoded yet
    std::uint8_t rd = no_register;
    std::array<std::uint8_t, 3> sources{no_register, no_register, no_register};
    std::uint8_t source_count = 0;  // the first ones; the others are no_register
    std::uint8_t rounding = 0;      // of a floating-point operation; 7: the dynamic mode
    std::uint8_t size = 0;          // of a load or store, bytes
    LoadType type = LoadType::i64;
    bool calls = false, returns = false;  // a jump that pushes or pops the return-address stack (chapter 2, table 3)
};

class DecodedCode {
public:
    DecodedCode(const CoreDescription& core, const AddressSpace& memory) : core_(core), memory_(memory) {}

    // What is at pc: Opcode::illegal if there is no executable memory or no instruction.
    const Decoded& at(std::uint64_t pc) {
        Page*& page = direct_[pc / page_bytes % direct_.size()];
        if (!page || page->number != pc / page_bytes || (pc & 1)) [[unlikely]] {
            if (pc & 1) return nothing_;
            page = &page_of(pc / page_bytes);
        }
        Decoded& decoded = page->instructions[pc % page_bytes / 2];
        if (decoded.length == 0) [[unlikely]]
            decoded = decode_at(pc);
        return decoded;
    }

    // Decode everything anew (fence.i).
    void forget() {
        direct_.fill(nullptr);
        pages_.clear();
    }

private:
    static constexpr std::uint64_t page_bytes = 4096;
    struct Page {
        std::uint64_t number = 0;
        std::array<Decoded, page_bytes / 2> instructions;
    };

    Page& page_of(std::uint64_t number);
    Decoded decode_at(std::uint64_t pc) const;

    const CoreDescription& core_;
    const AddressSpace& memory_;
    const Decoded nothing_;
    std::array<Page*, 64> direct_{};  // an index in front of the map
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace croftsim
