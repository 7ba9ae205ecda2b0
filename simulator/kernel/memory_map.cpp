#include "kernel/memory_map.hpp"

namespace croftsim {

void MemoryMap::remove(std::uint64_t first, std::uint64_t end) {
    auto it = mappings_.upper_bound(first);
    if (it != mappings_.begin() && std::prev(it)->second.end > first) --it;
    while (it != mappings_.end() && it->first < end) {
        const auto [old_first, old] = *it;
        it = mappings_.erase(it);
        if (old_first < first) mappings_.emplace(old_first, Rest{first, old.from_file, old.stack});
        if (old.end > end) mappings_.emplace(end, old);
    }
}

void MemoryMap::add(std::uint64_t first, std::uint64_t end, bool from_file) {
    remove(first, end);
    mappings_.emplace(first, Rest{end, from_file});
}

MemoryMap::Mapping MemoryMap::at(std::uint64_t address) const {
    auto it = mappings_.upper_bound(address);
    if (it == mappings_.begin() || (--it)->second.end <= address) return {};
    return {it->first, it->second.end, it->second.from_file, it->second.stack};
}

}  // namespace croftsim
