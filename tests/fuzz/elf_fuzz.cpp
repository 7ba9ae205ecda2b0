// Any bytes are a program that can be loaded, or are refused with BadProgram and a sentence. A program that is not
// refused keeps the promises of kernel/elf.hpp.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "contract/simulation.hpp"
#include "kernel/elf.hpp"

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void check(const croftsim::Elf& elf, const std::uint8_t* data, std::size_t size) {
    using croftsim::Elf;
    const std::less_equal<const std::uint8_t*> not_after;
    std::uint64_t previous_end = Elf::first_address, total = 0;
    for (const Elf::Segment& segment : elf.segments) {
        require(segment.bytes > 0 && segment.file.size() <= segment.bytes);
        require(segment.address >= previous_end);
        require(segment.address <= Elf::last_address && segment.bytes <= Elf::last_address - segment.address);
        require(segment.file.empty() || (not_after(data, segment.file.data()) &&
                                         not_after(segment.file.data() + segment.file.size(), data + size)));
        previous_end = segment.end();
        total += segment.bytes;
    }
    require(total <= Elf::most_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        check(croftsim::parse_elf({data, size}), data, size);
    } catch (const croftsim::BadProgram& refused) {
        require(std::strlen(refused.what()) > 0);
    }
    return 0;
}
