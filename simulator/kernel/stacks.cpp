#include "kernel/stacks.hpp"

#include <algorithm>

#include "base/hexadecimal.hpp"

namespace croftsim {

bool grow_stack(System& system, std::uint64_t bytes) {
    // Between what mmap hands out and the stack's end; the last page stays a guard.
    constexpr std::uint64_t most = System::stack_end - AddressSpace::mmap_top - page;
    const std::uint64_t wanted = std::min(bytes, most) / page * page;
    const MemoryMap::Mapping old = system.map.at(System::stack_end - 1);
    const std::uint64_t first = System::stack_end - wanted;
    if (old.end == 0 || first >= old.first) return true;
    for (std::uint64_t at = first; at < old.first; at += page)
        if (system.memory.find(at)) return false;
    const Page like = *system.memory.find(old.first);
    if (!system.map_fresh(first, old.first - first, Permission::read | Permission::write)) return false;
    system.memory.set_home(first, old.first - first, like.home);
    // One mapping, so that it moves as one with its thread.
    system.map.add(first, old.end, false);
    if (old.stack) system.map.make_stack(system.map.at(first), old.stack);
    return true;
}

std::optional<std::string> stack_overflow(System& system, std::uint32_t core) {
    constexpr std::uint64_t reach = std::uint64_t{16} << 20, usable = Permission::read | Permission::write;
    if (!system.threads.is_taken(core)) return std::nullopt;
    const Thread& thread = system.threads.on(core);
    const std::uint64_t sp = system.machine.hart(core).x[Hart::sp];
    if (sp >= thread.stack || system.memory.allows(sp, 1, usable)) return std::nullopt;
    std::uint64_t low = sp / page * page;
    while (low < sp + reach && low < thread.stack && !system.memory.allows(low, 1, usable)) low += page;
    // All of what is above, to where the thread began, is its stack.
    if (low >= thread.stack || !system.memory.allows(low, thread.stack - low, usable)) return std::nullopt;
    return "stack overflow: thread " + std::to_string(thread.id) + " has a stack of " +
           std::to_string((thread.stack - low + 1023) / 1024) + " KiB, and its stack pointer is at " + hexadecimal(sp) +
           ", below that";
}

}  // namespace croftsim
