#include "kernel/user_memory.hpp"

#include <algorithm>
#include <array>

#include "kernel/linux_abi.hpp"

namespace croftsim {

void UserMemory::check(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const {
    if (!memory_.allows(address, bytes, permission)) throw Errno{EFAULT};
}

void UserMemory::read(std::uint64_t address, std::span<std::uint8_t> to) const {
    check(address, to.size(), Permission::read);
    if (!to.empty()) machine_.read(address, to);
}

void UserMemory::write(std::uint64_t address, std::span<const std::uint8_t> from) const {
    check(address, from.size(), Permission::write);
    if (!from.empty()) machine_.write(address, from);
}

std::uint64_t UserMemory::accessible(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const {
    std::uint64_t done = 0;
    while (done < bytes) {
        const std::uint64_t at = address + done;
        const std::uint64_t count = std::min(bytes - done, AddressSpace::page_bytes - at % AddressSpace::page_bytes);
        if (at < address || !memory_.allows(at, count, permission)) break;
        done += count;
    }
    return done;
}

std::string UserMemory::string(std::uint64_t address, std::size_t limit) const {
    std::string text;
    std::array<std::uint8_t, 64> piece;
    for (std::uint64_t at = address; text.size() < limit;) {
        const std::uint64_t count = accessible(at, piece.size() - at % piece.size(), Permission::read);
        if (count == 0) throw Errno{EFAULT};
        machine_.read(at, {piece.data(), count});
        const auto end = std::find(piece.begin(), piece.begin() + count, 0);
        text.append(piece.begin(), end);
        if (end != piece.begin() + count) {
            if (text.size() < limit) return text;
            break;
        }
        at += count;
    }
    throw Errno{ENAMETOOLONG};
}

}  // namespace croftsim
