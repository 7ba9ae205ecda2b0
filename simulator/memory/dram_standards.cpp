// Where two sources differ, docs/evidence/tilepro64.md (1.2, 1.3) has both; here stands JEDEC's value, or the one of
// the speed grade named.

#include <algorithm>
#include <array>
#include <cmath>

#include "contract/dram_standard.hpp"
#include "contract/unexpected.hpp"

namespace croftsim {
namespace {

// clang-format off: a table
constexpr std::array standards{
    // 5-5-5 (-25E), devices of 1 Gb, eight bits wide, eight on a rank of 64 bits. A read's bank may be precharged
    // BL/2 - 2 + tRTP behind it (JESD79-2).
    DramTraits{DramStandard::ddr2_800, "DDR2-800", {
        .clock_ps = 2500, .banks = 8, .groups = 1, .row_bytes = 8192, .line = 4,
        .cl = 5, .cwl = 4, .rcd = 5, .rp = 5, .ras = 18, .rc = 23,
        .rrd_other = 3, .rrd_same = 3, .faw = 14, .ccd_other = 4, .ccd_same = 4, .turn = 1,
        .wtr_other = 3, .wtr_same = 3, .wr = 6, .rtp = 5, .refi = 3120, .rfc = 51}},
    // 11-11-11, devices of 4 Gb.
    DramTraits{DramStandard::ddr3_1600, "DDR3-1600", {
        .clock_ps = 1250, .banks = 8, .groups = 1, .row_bytes = 8192, .line = 4,
        .cl = 11, .cwl = 8, .rcd = 11, .rp = 11, .ras = 28, .rc = 39,
        .rrd_other = 5, .rrd_same = 5, .faw = 24, .ccd_other = 4, .ccd_same = 4, .turn = 2,
        .wtr_other = 6, .wtr_same = 6, .wr = 12, .rtp = 6, .refi = 6240, .rfc = 208}},
    // 17-17-17 (U), devices of 8 Gb.
    DramTraits{DramStandard::ddr4_2400, "DDR4-2400", {
        .clock_ps = 833, .banks = 16, .groups = 4, .row_bytes = 8192, .line = 4,
        .cl = 17, .cwl = 12, .rcd = 17, .rp = 17, .ras = 39, .rc = 56,
        .rrd_other = 4, .rrd_same = 6, .faw = 26, .ccd_other = 4, .ccd_same = 6, .turn = 2,
        .wtr_other = 3, .wtr_same = 9, .wr = 18, .rtp = 9, .refi = 9364, .rfc = 420}},
    // One channel of 128 bits of a stack at 2 Gb/s a pin: a line is one burst of four.
    DramTraits{DramStandard::hbm2, "HBM2", {
        .clock_ps = 1000, .banks = 16, .groups = 4, .row_bytes = 2048, .line = 2,
        .cl = 14, .cwl = 4, .rcd = 14, .rp = 14, .ras = 34, .rc = 48,
        .rrd_other = 4, .rrd_same = 6, .faw = 30, .ccd_other = 2, .ccd_same = 2, .turn = 2,
        .wtr_other = 6, .wtr_same = 8, .wr = 16, .rtp = 6, .refi = 3900, .rfc = 260}},
};
// clang-format on

}  // namespace

DramTimes in_cycles(DramTimes times, double clock_mhz) {
    // In kHz, so that the division is one of integers.
    const auto khz = static_cast<std::uint64_t>(std::llround(clock_mhz * 1000));
    constexpr std::uint64_t ps_and_khz = 1'000'000'000;  // to a cycle
    const auto convert = [&](std::uint32_t& clocks) {
        clocks =
            static_cast<std::uint32_t>((std::uint64_t{clocks} * times.clock_ps * khz + ps_and_khz - 1) / ps_and_khz);
    };
    for (std::uint32_t* const one :
         {&times.line, &times.cl, &times.cwl, &times.rcd, &times.rp, &times.ras, &times.rc, &times.rrd_other,
          &times.rrd_same, &times.faw, &times.ccd_other, &times.ccd_same, &times.turn, &times.wtr_other,
          &times.wtr_same, &times.wr, &times.rtp, &times.refi, &times.rfc})
        convert(*one);
    return times;
}

std::span<const DramTraits> dram_standards() { return standards; }

const DramTraits& traits_of(DramStandard standard) {
    const auto found = std::ranges::find(standards, standard, &DramTraits::standard);
    if (found == standards.end()) throw SimulatorFault("a standard of DRAM is in no table");
    return *found;
}

}  // namespace croftsim
