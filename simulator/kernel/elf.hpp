#pragma once
// A RISC-V program file, or the interpreter (ld.so) that a dynamically linked one asks for: its parts, and where in
// memory they go.
// System V ABI, edition 4.1, chapters 4 and 5; RISC-V ELF psABI, chapter 8.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace croftsim {

struct Elf {
    struct Segment {
        std::uint64_t address = 0;           // where its bytes go; the rest, up to `bytes`, is zero
        std::uint64_t bytes = 0;             // in memory; not 0
        std::span<const std::uint8_t> file;  // its bytes in the file, at most `bytes`
        std::uint8_t permission = 0;         // as Permission
        std::uint64_t end() const { return address + bytes; }
    };

    std::uint64_t entry = 0;
    std::vector<Segment> segments;      // by address; disjoint; inside [first_address, last_address)
    std::uint64_t headers_address = 0;  // of the program headers in memory; 0 if they are not loaded
    std::uint16_t headers = 0;
    bool relocates_itself = false;  // a static-pie or an interpreter, moved to its base
    std::string interpreter;        // the path of the one that links the program and starts it; empty: none

    static constexpr std::uint64_t first_address = 4096;
    static constexpr std::uint64_t last_address = std::uint64_t{1} << 37;
    static constexpr std::uint64_t pie_base = std::uint64_t{1} << 30;
    static constexpr std::uint64_t interpreter_base = std::uint64_t{1} << 36;
    static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;  // in memory, all segments
    static constexpr std::uint64_t header_bytes = 56;                    // of one program header
};

// The result refers to `file`. `base`: where an interpreter goes; 0: it is a program. Throws BadProgram.
Elf parse_elf(std::span<const std::uint8_t> file, std::uint64_t base = 0);

}  // namespace croftsim
