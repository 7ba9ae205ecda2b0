// Any bytes are a program that can be loaded, or are refused with BadProgram and a sentence.

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernel/elf.hpp"
#include "machine/simulation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        croftsim::parse_elf({data, size});
    } catch (const croftsim::BadProgram& refused) {
        if (std::strlen(refused.what()) == 0) std::abort();
    }
    return 0;
}
