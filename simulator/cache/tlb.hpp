#pragma once
// A translation look-aside buffer, of data or of instructions: the pages that a core may use without asking. Software
// handles a miss, for a fixed number of cycles in which the access waits; then the core tries it again. Translations
// themselves are the simulator's own (memory/address_space.hpp): this is the time that they take.
//
// Entries are replaced in the order in which they came, so a hit changes nothing. The interpreter's fast path need not
// ask, because the lines of its L1 are of pages that are here. For that, whoever puts a page in takes the lines of the
// page that leaves out of the L1. (On the chip they stay. The difference is a few cycles of the L2's for a line that is
// used again, behind a miss of this buffer.)

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"

namespace croftsim {

class Tlb {
public:
    explicit Tlb(const TlbDescription& shape) : miss(shape.miss), page_bytes(shape.page), pages_(shape.entries, none) {}

    const std::uint32_t miss;  // cycles
    const std::uint64_t page_bytes;

    bool holds(std::uint64_t address) {
        const std::uint64_t page = page_of(address);
        if (pages_[latest_] == page) return true;
        const auto found = std::ranges::find(pages_, page);
        if (found == pages_.end()) return false;
        latest_ = static_cast<std::uint64_t>(found - pages_.begin());
        return true;
    }
    // The address's page comes in. Which one leaves for it, as its first address.
    std::optional<std::uint64_t> insert(std::uint64_t address) {
        ++misses_;
        const std::uint64_t left = pages_[oldest_];
        pages_[oldest_] = page_of(address);
        latest_ = oldest_;
        oldest_ = (oldest_ + 1) % pages_.size();
        if (left == none) return std::nullopt;
        return left * page_bytes;
    }
    std::uint64_t misses() const { return misses_; }

    void serialise(Archive& archive) { archive(pages_, oldest_, latest_, misses_); }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t page_of(std::uint64_t address) const { return address / page_bytes; }

    std::vector<std::uint64_t> pages_;
    std::uint64_t oldest_ = 0;
    std::uint64_t latest_ = 0;  // found: most accesses are to the page of the one before
    std::uint64_t misses_ = 0;
};
static_assert(is_listed<Tlb, 64>);

}  // namespace croftsim
