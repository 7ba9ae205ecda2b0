#pragma once
// Numbers as messages show them: "0x1f".

#include <cstddef>
#include <cstdint>
#include <string>

namespace croftsim {

// `least`: digits.
inline std::string hexadecimal(std::uint64_t value, std::size_t least = 1) {
    std::string digits;
    for (; value || digits.size() < least; value /= 16) digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
    return "0x" + digits;
}

}  // namespace croftsim
