// System calls about which node's memory pages get, and which pages there are. There is one node, so every policy that
// Linux would accept is accepted, and means the same.

#include <algorithm>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

enum Policy : std::uint32_t { by_default, preferred, bound, interleaved, local, preferred_many };

// Throws Errno{EINVAL} unless Linux would take the policy and its nodes.
void check_policy(System& system, std::uint64_t mode_and_flags, std::uint64_t mask, std::uint64_t most) {
    constexpr std::uint32_t static_nodes = 1 << 15, relative_nodes = 1 << 14, flags = 7 << 13;
    const auto said = static_cast<std::uint32_t>(mode_and_flags);
    const std::uint32_t mode = said & ~flags;
    if (mode > preferred_many || (said & static_nodes && said & relative_nodes)) throw Errno{EINVAL};
    bool has_first = false, has_others = false;
    if (mask && most > 1) {
        if (most - 1 > page * 8) throw Errno{EINVAL};
        for (std::uint64_t bit = 0; bit < most - 1; bit += 64) {
            auto word = system.user.get<std::uint64_t>(mask + bit / 8);
            if (most - 1 - bit < 64) word &= (std::uint64_t{1} << (most - 1 - bit)) - 1;
            has_first |= bit == 0 && word & 1;
            has_others |= (word & ~std::uint64_t{bit == 0}) != 0;
        }
    }
    const bool takes_none = mode == by_default || mode == local;
    const bool has_any = has_first || has_others;
    if (takes_none ? has_any : has_any ? !has_first : mode != preferred) throw Errno{EINVAL};
}

}  // namespace

namespace calls {

Result set_mempolicy(System& system, const Call& call) {
    check_policy(system, call.a[0], call.a[1], call.a[2]);
    return 0;
}

Result mbind(System& system, const Call& call) {
    const auto [address, length, mode, mask, most, flags] = call.a;
    constexpr std::uint64_t move_all = 4, known = 7;
    if (flags & ~known || address % page) return -EINVAL;
    if (flags & move_all) return -EPERM;
    check_policy(system, mode, mask, most);
    const std::uint64_t bytes = (length + page - 1) / page * page;
    if (bytes < length || address + bytes < address) return -EINVAL;
    if (bytes && !system.memory.allows(address, bytes, Permission::none)) return -EFAULT;
    return 0;
}

Result get_mempolicy(System& system, const Call& call) {
    const auto [mode, mask, most, address, flags, unused] = call.a;
    constexpr std::uint64_t node = 1, of_address = 2, allowed = 4;
    if (flags & ~std::uint64_t{7} || (mask && most < 1)) return -EINVAL;
    if (flags & allowed && flags & (node | of_address)) return -EINVAL;
    if (!(flags & (of_address | allowed)) && address) return -EINVAL;
    if ((flags & (node | of_address)) == node) return -EINVAL;  // the next node of an interleaved policy
    if (flags & of_address && !system.memory.allows(address, 1, Permission::none)) return -EFAULT;
    if (mode) system.user.put(mode, std::uint32_t{0});  // MPOL_DEFAULT, or node 0
    for (std::uint64_t bit = 0; mask && bit < std::min(most, page * 8); bit += 64)
        system.user.put(mask + bit / 8, std::uint64_t{bit == 0 && flags & allowed});
    return 0;
}

// As anonymous pages under Linux: resident once they have been used.
Result mincore(System& system, const Call& call) {
    if (call.a[0] % page) return -EINVAL;
    const std::uint64_t pages = call.a[1] / page + (call.a[1] % page != 0);
    if (pages > AddressSpace::limit / page || !system.memory.allows(call.a[0], pages * page, Permission::none))
        return -ENOMEM;
    std::array<std::uint8_t, 4096> piece{};
    for (std::uint64_t done = 0; done < pages;) {
        const std::uint64_t count = std::min<std::uint64_t>(piece.size(), pages - done);
        for (std::uint64_t i = 0; i < count; ++i)
            piece[i] = system.machine.is_used(call.a[0] + (done + i) * page, page);
        system.user.write(call.a[2] + done, {piece.data(), count});
        done += count;
    }
    return 0;
}

}  // namespace calls
}  // namespace croftsim
