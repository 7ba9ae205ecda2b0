#include <algorithm>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

// The range [address, address + bytes) in whole pages, or nothing if it is empty or leaves the address space.
struct Range {
    std::uint64_t first = 0, bytes = 0;
    std::uint64_t end() const { return first + bytes; }
    explicit operator bool() const { return bytes > 0; }
};

Range pages(std::uint64_t address, std::uint64_t bytes) {
    if (address % page || bytes == 0 || bytes > AddressSpace::limit) return {};
    const std::uint64_t rounded = (bytes + page - 1) / page * page;
    if (address > AddressSpace::limit || rounded > AddressSpace::limit - address) return {};
    return {address, rounded};
}

// RISC-V has no pages that can be written and not read.
std::uint8_t permission_of(std::uint64_t protection) {
    auto permission = static_cast<std::uint8_t>(protection & 7);
    if (permission & Permission::write) permission |= Permission::read;
    return permission;
}

bool is_free(const AddressSpace& memory, const Range& range) {
    for (std::uint64_t at = range.first; at < range.end(); at += page)
        if (memory.find(at)) return false;
    return true;
}

// Whether a page of the range, which is mapped, allows something that will not be allowed any more.
bool is_narrowed(const AddressSpace& memory, const Range& range, std::uint8_t permission) {
    for (std::uint64_t at = range.first; at < range.end(); at += page)
        if (memory.find(at)->permission & ~permission) return true;
    return false;
}

void unmap(System& system, const Range& range) {
    system.shared_mappings.write_back(system, range.first, range.end());
    system.shared_mappings.remove(range.first, range.end());
    system.machine.address_space_changes(range.first, range.bytes, true);
    system.memory.unmap(range.first, range.bytes);
    system.map.remove(range.first, range.end());
}

}  // namespace

bool System::has_room(std::uint64_t first, std::uint64_t bytes, std::uint8_t permission, std::uint64_t leaving) const {
    if (permission == Permission::none) return true;
    if (bytes > memory_bytes) return false;
    return memory.open_bytes() - memory.open_bytes(first, bytes) - leaving <= memory_bytes - bytes;
}

// Where nothing was mapped nothing is cached: it was forgotten when the last mapping there went.
bool System::map_fresh(std::uint64_t first, std::uint64_t bytes, std::uint8_t permission, bool from_file,
                       std::uint64_t leaving) {
    if (!has_room(first, bytes, permission, leaving)) return false;
    if (!is_free(memory, {first, bytes})) {
        shared_mappings.write_back(*this, first, first + bytes);
        shared_mappings.remove(first, first + bytes);
        machine.address_space_changes(first, bytes, true);
    }
    if (!memory.map(first, bytes, permission)) return false;
    map.add(first, first + bytes, from_file);
    return true;
}

namespace calls {

Result brk(System& system, const Call& call) {
    MemoryMap& map = system.map;
    const std::uint64_t wanted = call.a[0];
    if (wanted < map.break_first || wanted >= AddressSpace::mmap_top) return static_cast<std::int64_t>(map.break_now);
    const auto page_end = [](std::uint64_t address) { return (address + page - 1) / page * page; };
    const std::uint64_t old_end = page_end(map.break_now), new_end = page_end(wanted);
    if (new_end > old_end) {
        const Range grown{old_end, new_end - old_end};
        constexpr std::uint8_t permission = Permission::read | Permission::write;
        if (!system.has_room(grown.first, grown.bytes, permission) || !is_free(system.memory, grown) ||
            !system.memory.map(grown.first, grown.bytes, permission))
            return static_cast<std::int64_t>(map.break_now);
    } else if (new_end < old_end) {
        unmap(system, {new_end, old_end - new_end});
    }
    map.break_now = wanted;
    return static_cast<std::int64_t>(wanted);
}

Result mmap(System& system, const Call& call) {
    const auto [address, length, protection, flags, fd, offset] = call.a;
    const std::uint64_t type = flags & abi::map_type;
    if (length == 0 || offset % page || protection & ~std::uint64_t{7}) return -EINVAL;
    if (type != abi::map_private && type != abi::map_shared && type != abi::map_shared_validate) return -EINVAL;
    if (flags & abi::map_hugetlb) return -ENOMEM;
    const bool anonymous = flags & abi::map_anonymous;
    OpenFile* file = nullptr;
    if (!anonymous) {
        file = &system.files.get(static_cast<std::int32_t>(fd));
        if (!file->may_read()) return -EACCES;
        if (!file->is_regular()) return -ENODEV;
        if (type != abi::map_private && protection & Permission::write && !file->may_write()) return -EACCES;
    }

    Range range;
    if (flags & (abi::map_fixed | abi::map_fixed_noreplace)) {
        if (address % page) return -EINVAL;
        range = pages(address, length);
        if (!range) return -ENOMEM;
        if (range.first < page) return -EPERM;
        if (flags & abi::map_fixed_noreplace && !is_free(system.memory, range)) return -EEXIST;
    } else {
        range = pages(address / page * page, length);  // a hint
        if (!range || range.first < page || range.end() > AddressSpace::mmap_top || !is_free(system.memory, range)) {
            range = pages(0, length);
            if (!range) return -ENOMEM;
            range.first = system.memory.find_free(range.bytes);
            if (!range.first) return -ENOMEM;
        }
    }
    const bool is_shared = file && type != abi::map_private && file->may_write();
    if (is_shared) system.shared_mappings.write_back(system, *file);  // elsewhere it may be mapped, too
    if (!system.map_fresh(range.first, range.bytes, permission_of(protection), !anonymous)) return -ENOMEM;
    if (is_shared) {
        try {
            system.shared_mappings.add(range.first, range.end(), system.files.share(static_cast<std::int32_t>(fd)),
                                       offset);
        } catch (const Errno&) {
            unmap(system, range);
            throw;
        }
    }
    if (file) {
        // No cache holds anything of these pages, so the bytes can go straight to DRAM. The rest of the last page stays
        // zero.
        std::array<std::uint8_t, 16384> piece;
        for (std::uint64_t done = 0; done < range.bytes;) {
            const std::uint64_t count = std::min<std::uint64_t>(piece.size(), range.bytes - done);
            const std::size_t got = file->read_at({piece.data(), count}, offset + done);
            system.memory.write_dram(range.first + done, piece.data(), got);
            if (got < count) break;
            done += got;
        }
    }
    return static_cast<std::int64_t>(range.first);
}

Result munmap(System& system, const Call& call) {
    const Range range = pages(call.a[0], call.a[1]);
    if (!range) return -EINVAL;
    unmap(system, range);
    return 0;
}

Result mprotect(System& system, const Call& call) {
    if (call.a[0] % page || call.a[2] & ~std::uint64_t{7}) return -EINVAL;
    if (call.a[1] == 0) return 0;
    const Range range = pages(call.a[0], call.a[1]);
    if (!range) return -ENOMEM;
    const std::uint8_t permission = permission_of(call.a[2]);
    if (!system.memory.allows(range.first, range.bytes, Permission::none)) return -ENOMEM;
    if (!system.has_room(range.first, range.bytes, permission)) return -ENOMEM;
    // If pages allow no less than before, caches may keep their lines.
    if (is_narrowed(system.memory, range, permission))
        system.machine.address_space_changes(range.first, range.bytes, false);
    system.memory.protect(range.first, range.bytes, permission);
    return 0;
}

Result madvise(System& system, const Call& call) {
    if (call.a[0] % page) return -EINVAL;
    if (call.a[1] == 0) return 0;
    const Range range = pages(call.a[0], call.a[1]);
    if (!range) return -EINVAL;
    const std::uint64_t advice = call.a[2];
    // Up to MADV_POPULATE_WRITE, and the gap in Linux' numbering; but for the one below they are hints.
    if (advice > 23 || (advice > 4 && advice < 8)) return -EINVAL;
    if (!system.memory.allows(range.first, range.bytes, Permission::none)) return -ENOMEM;
    if (advice != abi::madv_dontneed) return 0;
    // Linux would read pages that came from a file from it again. Here they keep their contents, which are the same
    // unless the program has changed them.
    for (std::uint64_t at = range.first; at < range.end();) {
        const MemoryMap::Mapping mapping = system.map.at(at);
        const std::uint64_t end = mapping.end ? std::min(range.end(), mapping.end) : at + page;
        if (!mapping.from_file) {
            system.machine.address_space_changes(at, end - at, true);
            system.memory.clear(at, end - at);
        }
        at = end;
    }
    return 0;
}

Result mremap(System& system, const Call& call) {
    const auto [address, old_length, new_length, flags, wanted, unused] = call.a;
    const bool may_move = flags & abi::mremap_maymove, fixed = flags & abi::mremap_fixed;
    if (flags & ~(abi::mremap_maymove | abi::mremap_fixed) || (fixed && !may_move)) return -EINVAL;
    const Range old = pages(address, old_length), sized = pages(0, new_length);
    if (!old || !sized) return -EINVAL;
    if (!system.memory.allows(old.first, old.bytes, Permission::none)) return -EFAULT;
    const MemoryMap::Mapping mapping = system.map.at(old.first);
    const std::uint8_t permission = system.memory.find(old.first)->permission;
    // A mapping that is shared with a file may shrink only.
    if ((fixed || sized.bytes > old.bytes) && system.shared_mappings.overlaps(old.first, old.end())) return -ENOMEM;

    if (!fixed) {
        if (sized.bytes <= old.bytes) {
            if (sized.bytes < old.bytes) unmap(system, {old.first + sized.bytes, old.bytes - sized.bytes});
            return static_cast<std::int64_t>(old.first);
        }
        const Range grown{old.end(), sized.bytes - old.bytes};
        if (!system.has_room(grown.first, grown.bytes, permission)) return -ENOMEM;
        if (pages(old.first, sized.bytes) && grown.end() <= AddressSpace::mmap_top && is_free(system.memory, grown)) {
            if (!system.map_fresh(grown.first, grown.bytes, permission, mapping.from_file)) return -ENOMEM;
            if (mapping.end == old.end()) system.map.add(mapping.first, grown.end(), mapping.from_file);
            return static_cast<std::int64_t>(old.first);
        }
        if (!may_move) return -ENOMEM;
    }

    Range target{fixed ? wanted : system.memory.find_free(sized.bytes), sized.bytes};
    if (fixed) {
        if (!pages(wanted, new_length) || wanted < page) return -EINVAL;
        if (wanted < old.end() && old.first < target.end()) return -EINVAL;
    }
    if (!target.first) return -ENOMEM;
    const std::uint64_t leaving = system.memory.open_bytes(old.first, old.bytes);
    if (!system.map_fresh(target.first, target.bytes, permission, mapping.from_file, leaving)) return -ENOMEM;
    // Dirty lines go to DRAM, and the DRAM moves. The target is fresh, so no cache has any of it.
    const std::uint64_t kept = std::min(old.bytes, target.bytes);
    system.machine.address_space_changes(old.first, old.bytes, false);
    system.memory.move(old.first, target.first, kept);
    unmap(system, old);
    return static_cast<std::int64_t>(target.first);
}

}  // namespace calls
}  // namespace croftsim
