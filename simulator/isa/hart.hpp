#pragma once
// The architectural state of one RISC-V hardware thread ("hart", unprivileged specification, section 1.2).

#include <array>
#include <cstddef>
#include <cstdint>

namespace croftsim {

struct Hart {
    static constexpr bool is_plain = true;
    static constexpr std::size_t sp = 2, tp = 4, a0 = 10, a7 = 17;  // of x, by the calling convention's names
    // x[0] reads as zero. x[32] takes the results whose destination is x0, so that no instruction tests for it.
    std::array<std::uint64_t, 33> x{};
    std::uint64_t pc = 0;
    std::uint8_t fflags = 0;  // accrued exceptions: NV 16, DZ 8, OF 4, UF 2, NX 1 (section 20.2)
    // User-level interrupts, by the names of the draft extension "N": ustatus.UIE and UPIE, uie, utvec, ...
    struct Interrupts {
        bool enabled = false, enabled_before = false;
        std::uint64_t sources = 0, handler = 0, scratch = 0, interrupted_pc = 0, cause = 0;
    } interrupts;
    std::uint8_t frm = 0;  // dynamic rounding mode: RNE 0, RTZ 1, RDN 2, RUP 3, RMM 4
    // Bit patterns. A single-precision value is NaN-boxed: its upper 32 bits are all ones (section 21.2). They come
    // last, because a checkpoint leaves them out if nothing has written them (core/checkpoint.hpp).
    std::array<std::uint64_t, 32> f{};
};

}  // namespace croftsim
