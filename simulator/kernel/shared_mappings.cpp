#include "kernel/shared_mappings.hpp"

#include <algorithm>
#include <array>

#include "kernel/system.hpp"

namespace croftsim {

bool SharedMappings::is_same(const OpenFile& one, const OpenFile& other) {
    if (!one.is_regular() || !other.is_regular()) return false;
    const struct stat here = one.status(), there = other.status();
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void SharedMappings::add(std::uint64_t first, std::uint64_t end, std::shared_ptr<OpenFile> file, std::uint64_t offset) {
    const std::uint64_t bytes = end - first;
    for (const auto& [at, mapping] : mappings_)
        if (offset < mapping.offset + (mapping.end - at) && mapping.offset < offset + bytes &&
            is_same(*file, *mapping.file))
            throw Errno{ENODEV};
    mappings_.emplace(first, Mapping{end, offset, std::move(file)});
}

bool SharedMappings::overlaps(std::uint64_t first, std::uint64_t end) const {
    return std::ranges::any_of(mappings_,
                               [&](const auto& entry) { return entry.first < end && first < entry.second.end; });
}

void SharedMappings::write_back(System& system, std::uint64_t first, std::uint64_t end, const Mapping& mapping,
                                std::uint64_t mapped_at) {
    std::array<std::uint8_t, 16384> changed, there;
    const auto length = static_cast<std::uint64_t>(mapping.file->status().st_size);
    for (std::uint64_t at = first; at < end;) {
        const std::uint64_t offset = mapping.offset + (at - mapped_at);
        if (offset >= length) return;  // what lies behind the file's end belongs to nobody
        const std::uint64_t count = std::min({changed.size(), end - at, length - offset});
        system.machine.read(at, {changed.data(), count});
        const std::size_t got = mapping.file->read_at({there.data(), count}, offset);
        if (got < count || !std::equal(changed.begin(), changed.begin() + count, there.begin()))
            mapping.file->write_at({changed.data(), count}, offset);
        at += count;
    }
}

void SharedMappings::write_back(System& system, std::uint64_t first, std::uint64_t end) {
    for (const auto& [at, mapping] : mappings_)
        if (at < end && first < mapping.end)
            write_back(system, std::max(at, first), std::min(mapping.end, end), mapping, at);
}

void SharedMappings::write_back(System& system, const OpenFile& file) {
    for (const auto& [at, mapping] : mappings_)
        if (is_same(*mapping.file, file)) write_back(system, at, mapping.end, mapping, at);
}

void SharedMappings::read_again(System& system, const OpenFile& file, std::uint64_t offset, std::uint64_t bytes) {
    std::array<std::uint8_t, 16384> piece;
    for (const auto& [at, mapping] : mappings_) {
        if (!is_same(*mapping.file, file)) continue;
        const std::uint64_t first = std::max(offset, mapping.offset),
                            end = std::min(offset + bytes, mapping.offset + (mapping.end - at));
        for (std::uint64_t done = first; done < end;) {
            const std::size_t got = mapping.file->read_at({piece.data(), std::min(piece.size(), end - done)}, done);
            if (got == 0) break;
            system.machine.write(at + (done - mapping.offset), {piece.data(), got});
            done += got;
        }
    }
}

void SharedMappings::remove(std::uint64_t first, std::uint64_t end) {
    std::map<std::uint64_t, Mapping> rest;
    for (auto& [at, mapping] : mappings_) {
        if (at >= end || first >= mapping.end) {
            rest.emplace(at, mapping);
            continue;
        }
        if (at < first) rest.emplace(at, Mapping{first, mapping.offset, mapping.file});
        if (end < mapping.end) rest.emplace(end, Mapping{mapping.end, mapping.offset + (end - at), mapping.file});
    }
    mappings_ = std::move(rest);
}

void SharedMappings::serialise(Archive& archive, const System& system) {
    std::size_t count = archive.count(mappings_.size());
    if (archive.loads()) {
        mappings_.clear();
        for (; count > 0; --count) {
            std::uint64_t first = 0, number = 0;
            Mapping mapping;
            archive(first, mapping.end, mapping.offset, number);
            mapping.file = system.files.find(number, -1);
            if (!mapping.file || first >= mapping.end) Archive::damaged();
            mappings_.emplace(first, std::move(mapping));
        }
        return;
    }
    for (auto& [first, mapping] : mappings_) {
        std::uint64_t at = first, number = mapping.file->number;
        if (!system.files.find(number, -1))
            throw CheckpointError("the program has mapped the file " + mapping.file->path + ", and has closed it");
        archive(at, mapping.end, mapping.offset, number);
    }
}

// As Linux, but that it writes at once.
Result calls::msync(System& system, const Call& call) {
    constexpr std::uint64_t later = 1, invalidates = 2, now = 4;
    if (call.a[2] & ~(later | invalidates | now) || (call.a[2] & later && call.a[2] & now)) return -EINVAL;
    if (call.a[0] % page) return -EINVAL;
    const std::uint64_t bytes = (call.a[1] + page - 1) / page * page;
    if (bytes < call.a[1] || !system.memory.allows(call.a[0], bytes, Permission::none)) return -ENOMEM;
    system.shared_mappings.write_back(system, call.a[0], call.a[0] + bytes);
    return 0;
}

}  // namespace croftsim
