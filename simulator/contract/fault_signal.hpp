#pragma once
// The signals by which Linux tells a program what it must not do, as a fault carries them (GuestFault::signal).

#include <cstdint>

namespace croftsim::fault_signal {

constexpr std::uint32_t illegal_instruction = 4, segmentation = 11;  // SIGILL, SIGSEGV

}  // namespace croftsim::fault_signal
