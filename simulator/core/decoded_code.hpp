#pragma once
// The program as an out-of-order core fetches it: one decoded instruction for each address, with the facts that the
// window needs. Instructions are decoded at first use, and shared by all cores of one kind, as blocks are by in-order
// cores.

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/archive.hpp"
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

constexpr bool is_access(Handling handling) { return handling == Handling::load || handling == Handling::store; }

struct Decoded {
    static constexpr bool is_plain = true;
    Opcode opcode = Opcode::illegal;
    std::uint16_t latency = 0;  // cycles from issue to the result
    std::int32_t imm = 0;
    Handling handling = Handling::serial;
    bool may_be_serial = true;  // if not by its handling, then by what frm holds
    IssueUnit unit = IssueUnit::alu;
    bool keeps_unit = false;  // until the result is there: divisions and square roots
    std::uint8_t length = 0;  // bytes; 0: not decoded yet
    std::uint8_t rd = no_register;
    std::array<std::uint8_t, 3> sources{no_register, no_register, no_register};
    std::uint8_t rounding = 0;  // of a floating-point operation; 7: the dynamic mode
    std::uint8_t size = 0;      // of a load or store, bytes
    bool allocates = true;      // of a store: brings its line into the own caches
    bool forwards = false;      // of a store: no bytes, but croft.forward of its line, with these options
    std::uint8_t options = 0;   // of a fence: what it orders, earlier ones' bits above later ones'
    LoadType type = LoadType::i64;
    Linkage linkage = Linkage::none;  // a call pushes the return-address stack
    bool returns = false;             // a jump that pops it, a call perhaps (chapter 2, table 3)

    // The address that a load or store accesses, or to which a branch or jal leads.
    std::uint64_t address(std::uint64_t base) const { return base + static_cast<std::uint64_t>(std::int64_t{imm}); }
};

class DecodedCode {
public:
    // Instructions that go through the window here, and are serial otherwise.
    struct Passing {
        bool forwards = false;  // croft.forward, as a store does: the chip forwards lines between levels
        bool fences = false;    // fences that order no store before a load: all else is in order on such a core
    };

    DecodedCode(const CoreDescription& core, const AddressSpace& memory, Passing passing)
        : core_(core), memory_(memory), passing_(passing) {}

    // What is at pc: Opcode::illegal if there is no executable memory or no instruction.
    const Decoded& at(std::uint64_t pc) {
        // An odd address, at which there is none, comes to one beyond the page, too.
        const std::uint64_t index = std::rotr(pc - latest_from_, 1);
        if (index < page_bytes / 2 && latest_[index].length) [[likely]]
            return latest_[index];
        return look_up(pc);
    }

    // Decode everything anew (fence.i).
    void forget() {
        direct_.fill(nullptr);
        pages_.clear();
        latest_from_ = 1;
        ++generation_;
    }

    void serialise(Archive& archive);

    std::uint64_t generation() const { return generation_; }  // how often that was

private:
    static constexpr std::uint64_t page_bytes = 4096;
    struct Page {
        std::uint64_t number = 0;
        std::array<Decoded, page_bytes / 2> instructions;
    };

    const Decoded& look_up(std::uint64_t pc);
    Page& page_of(std::uint64_t number);
    Decoded decode_at(std::uint64_t pc) const;
    void let_pass(const Instruction& instruction, Decoded& decoded) const;

    const CoreDescription& core_;
    const AddressSpace& memory_;
    const Passing passing_;
    const Decoded nothing_;
    std::uint64_t latest_from_ = 1;  // where the page begins that was looked up last; no page does at an odd address
    const Decoded* latest_ = nullptr;
    std::uint64_t generation_ = 0;
    std::array<Page*, 64> direct_{};  // an index in front of the map
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};
static_assert(is_listed<DecodedCode, 640>);

}  // namespace croftsim
