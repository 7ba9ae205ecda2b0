#pragma once
// The standards of DRAM that a memory controller may drive, as tables: the commands that JEDEC lets a controller give a
// rank, and when. The table of all of them, with its sources, is memory/dram_standards.cpp.

#include <cstdint>
#include <span>

namespace croftsim {

enum class DramStandard : std::uint8_t { ddr2_800, ddr3_1600, ddr4_2400, hbm2 };

// Where consecutive lines of a controller are. With `rows`, they are in one row, and rows go round the banks. With
// `groups`, lines go round the bank groups, in a row of each.
enum class DramMapping : std::uint8_t { rows, groups };

// In clocks of the DRAM, of which `clock_ps` is the length in picoseconds. "Same" and "other" are of the bank group of
// the command before; where there are no groups, all banks are of one.
struct DramTimes {
    std::uint32_t clock_ps;
    std::uint32_t banks, groups;             // of a rank
    std::uint32_t row_bytes;                 // of a rank: what an activate opens
    std::uint32_t line;                      // the burst of a line of 64 bytes keeps the data bus
    std::uint32_t cl, cwl;                   // from a read, from a write, to its first data
    std::uint32_t rcd;                       // from an activate to a read or write
    std::uint32_t rp;                        // from a precharge to an activate
    std::uint32_t ras, rc;                   // from an activate to the bank's next precharge; to its next activate
    std::uint32_t rrd_other, rrd_same, faw;  // between activates of two banks; of five
    std::uint32_t ccd_other, ccd_same;       // between two reads, or two writes
    std::uint32_t turn;                      // the data bus idles so long between a read's data and a write's
    std::uint32_t wtr_other, wtr_same;       // from a write's last data to a read
    std::uint32_t wr;                        // from a write's last data to its bank's precharge
    std::uint32_t rtp;                       // from a read to its bank's precharge
    std::uint32_t refi, rfc;                 // a refresh is due so often, and takes so long
};

struct DramTraits {
    DramStandard standard;
    const char* name;  // in machine files
    DramTimes times;
    // The mapping that suits a stream. If bursts of one bank group are further apart than a burst is long, a row alone
    // cannot keep the data bus busy.
    constexpr DramMapping mapping() const {
        return times.ccd_same > times.line ? DramMapping::groups : DramMapping::rows;
    }
};

// Each rounded up to cycles of a machine's clock.
DramTimes in_cycles(DramTimes clocks, double clock_mhz);

std::span<const DramTraits> dram_standards();
const DramTraits& traits_of(DramStandard standard);

}  // namespace croftsim
