#pragma once
// The text of a mark that a program has come to. It is read later, past all caches, because it never changes
// (croft/mark.hpp takes no other).

#include <cstdint>
#include <string>

#include "memory/address_space.hpp"

namespace croftsim {

// It has so many bytes at most, as far as the program may read it. A question mark stands for each byte that is no
// printable ASCII character.
inline std::string marked_text(const AddressSpace& memory, std::uint64_t at) {
    constexpr std::size_t longest = 80;
    std::string text;
    for (char one = 0; text.size() < longest && memory.allows(at, 1, Permission::read); ++at) {
        memory.read_dram(at, &one, 1);
        if (one == 0) break;
        text.push_back(one >= ' ' && one <= '~' ? one : '?');
    }
    return text.empty() ? "?" : text;
}

}  // namespace croftsim
