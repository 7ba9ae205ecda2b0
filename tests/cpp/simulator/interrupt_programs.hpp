#pragma once
// Programs that are interrupted by other cores, or interrupt them.

#include <vector>

#include "critical_sections.hpp"

namespace croftsim {

inline constexpr Word uli_request(Word to, Word word) { return 0x2200000b | word << 20 | to << 15; }
inline constexpr Word uli_response(Word rd) { return 0x2400000b | rd << 7; }
inline constexpr Word uli_respond(Word to, Word word) { return 0x2600000b | word << 20 | to << 15; }
inline constexpr Word csrrw(Word csr, Word rs1) { return csr << 20 | rs1 << 15 | 1 << 12 | 0x73; }
inline constexpr Word csrrs(Word rd, Word csr) { return csr << 20 | 2 << 12 | rd << 7 | 0x73; }
inline constexpr Word csrrsi(Word csr, Word bits) { return csr << 20 | bits << 15 | 6 << 12 | 0x73; }
inline constexpr Word csrrci(Word csr, Word bits) { return csr << 20 | bits << 15 | 7 << 12 | 0x73; }
inline constexpr Word srli(Word rd, Word rs1, Word by) { return by << 20 | rs1 << 15 | 5 << 12 | rd << 7 | 0x13; }
inline constexpr Word slli(Word rd, Word rs1, Word by) { return by << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x13; }
inline constexpr Word jal(std::int32_t offset) {
    const auto bits = static_cast<Word>(offset);
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 | (bits >> 12 & 0xff) << 12 |
           0x6f;
}
inline constexpr Word uret = 0x00200073, auipc_x7 = 7 << 7 | 0x17;

inline MachineDescription with_interrupts() {
    MachineDescription machine = four_by_four({Protocol::gpu_wb});
    machine.uli = UliDescription{1, 1};
    machine.kinds[0].interrupt = 5;
    return machine;
}

// `cycles` of work in x9, in steps of three instructions, between which interrupts are taken.
inline void work(std::vector<Word>& code, std::int32_t cycles) {
    append(code, {lui(23, (cycles / 3 + 2048) & ~0xfff), addi(23, 23, cycles / 3 << 20 >> 20)});
    append(code, {addi(9, 9, 1), addi(23, 23, -1), bnez(23, -8)});
}

// Enables interrupts, works, disables them, works again. Its handler adds one to x20 and answers with the request's
// word plus 100.
inline std::vector<Word> victim(std::int32_t listening, std::int32_t deaf) {
    // x7 = here; the handler is six instructions on
    std::vector<Word> code{auipc_x7, addi(7, 7, 24), csrrw(0x005, 7), lui(6, 1 << 24), csrrw(0x004, 6), jal(4 + 8 * 4)};
    append(code, {csrrs(21, 0x043), srli(22, 21, 32), slli(21, 21, 32), srli(21, 21, 32), addi(21, 21, 100)});
    append(code, {addi(20, 20, 1), uli_respond(22, 21), uret});
    code.push_back(csrrsi(0x000, 1));
    work(code, listening);
    code.push_back(csrrci(0x000, 1));
    work(code, deaf);
    return code;
}

}  // namespace croftsim
