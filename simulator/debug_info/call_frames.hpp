#pragma once
// The unwinding tables of a program (.eh_frame): where each function keeps its caller's registers. Linux Standard Base
// 5.0, 10.6; DWARF 5, 6.4.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "debug_info/sections.hpp"

namespace croftsim::debug_info {

// How to get from an instruction to its caller.
struct FrameRules {
    static constexpr std::size_t registers = 32;  // from 32 on they are floating-point registers, which lead nowhere

    // The frame's address is `offset` beyond the value of a register; not said, if an expression is needed.
    std::optional<std::uint64_t> frame_register;
    std::int64_t offset = 0;
    // Where a register is kept, from the frame's address on.
    std::array<std::optional<std::int64_t>, registers> kept{};
};

class CallFrames {
public:
    // None if the tables are damaged.
    CallFrames(const Section& section, Budget& budget);

    // At an address; nothing if no table covers it, or a damaged one does.
    std::optional<FrameRules> rules(std::uint64_t address);

private:
    struct Common {  // of many functions (CIE)
        std::uint64_t code_step = 1;
        std::int64_t data_step = 1;
        std::uint8_t pointers = 0;  // the encoding of addresses
        bool has_augmentation = false;
        Bytes instructions;
    };
    struct Function {  // FDE
        std::uint64_t begin = 0, end = 0;
        const Common* common = nullptr;
        Bytes instructions;
    };
    struct State;

    void read(const Section& section);
    const Common& common(Bytes table, std::uint64_t offset);
    void carry_out(Bytes instructions, State& state) const;

    std::map<std::uint64_t, Common> common_;  // by offset
    std::vector<Function> functions_;         // by address
    Budget& budget_;
};

}  // namespace croftsim::debug_info
