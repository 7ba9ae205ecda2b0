#include "debug_info/unwinder.hpp"

namespace croftsim::debug_info {

std::vector<std::uint64_t> callers(CallFrames& frames, const Stopped& at, std::uint64_t moved) {
    constexpr std::size_t deepest = 64, return_address = 1, stack_pointer = 2;
    std::vector<std::uint64_t> found{at.pc};
    auto registers = at.registers;
    while (found.size() < deepest) {
        const std::optional<FrameRules> rules = frames.rules(found.back() - moved);
        if (!rules) {
            // Only a leaf written in assembly has no table: its caller is in ra.
            if (found.size() > 1 || registers[return_address] == 0) break;
            found.push_back(registers[return_address] - 1);
            continue;
        }
        if (!rules->frame_register || *rules->frame_register >= registers.size()) break;
        const std::uint64_t frame = registers[*rules->frame_register] + static_cast<std::uint64_t>(rules->offset);
        auto outer = registers;
        for (std::size_t number = 0; number < outer.size(); ++number) {
            if (!rules->kept[number]) continue;
            // An address below sp wraps around, to one far beyond what is at hand.
            const std::uint64_t offset =
                frame + static_cast<std::uint64_t>(*rules->kept[number]) - at.registers[stack_pointer];
            if (at.stack.size() < 8 || offset > at.stack.size() - 8) return found;
            outer[number] = Reader(at.stack, offset).number(8);
        }
        outer[stack_pointer] = frame;
        if (outer[return_address] <= 1) break;
        const std::uint64_t caller = outer[return_address] - 1;
        if (caller == found.back() && frame == registers[stack_pointer]) break;
        found.push_back(caller);
        registers = outer;
    }
    return found;
}

}  // namespace croftsim::debug_info
