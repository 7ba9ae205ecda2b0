#pragma once
// How a core's private caches keep coherent (paper 002, table I; paper 000, section 4.1). These are the traits that the
// rest of a machine must know. The table of all protocols is coherence/protocols.cpp.

#include <cstdint>
#include <span>

namespace croftsim {

enum class Protocol : std::uint8_t { ddc, mesi, denovo, gpu_wt, gpu_wb, denovo_line, gpu_wb_fetch, moesi, mesif };

// The part that answers for a line.
enum class HomeIn : std::uint8_t {
    tiles,   // the L2 of one of the tiles
    shared,  // a bank of the L2 that all cores share
};

struct ProtocolTraits {
    Protocol protocol;
    const char* name;  // in machine files
    HomeIn home;
    bool writers_invalidate;  // whoever writes takes others' copies away; else readers drop theirs when they acquire
    // For protocols at a shared L2.
    bool owns;                  // bytes that a core writes become its own; else they go to the home
    bool shares_dirty = false;  // an owner whose dirty line others read stays its owner
    bool gives_clean = false;   // the latest reader of a line gives it to the next, if its home has no bytes
};

std::span<const ProtocolTraits> all_protocols();
std::span<const ProtocolTraits> protocols();  // those that an L1 may have; the others are levels'
const ProtocolTraits& traits_of(Protocol protocol);
inline const char* name_of(Protocol protocol) { return traits_of(protocol).name; }

}  // namespace croftsim
