#pragma once
// Lines that a core writes without having them: stores that do not allocate (`ntl.pall`), as x86's write-combining
// buffers take non-temporal ones. An entry takes stores until it is sent, and stays until its home has answered. So
// loads of the line wait meanwhile. It is sent when the line is written as a whole or forwarded, by a fence, to make
// room, or when it is due. A line that is written as a whole goes to its home as if it were forwarded. Its writer has
// not wanted it in its own caches, and its home is the core that reads it next.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "cache/line_cache.hpp"

namespace croftsim {

struct CollectedStore {
    static constexpr bool is_plain = true;
    std::uint64_t line, mask, due;
    bool sent;
    std::array<std::uint8_t, line_bytes> bytes;
};

class CollectedStores {
public:
    CollectedStore* find(std::uint64_t line) {
        const auto found = std::ranges::find(entries_, line, &CollectedStore::line);
        return found == entries_.end() ? nullptr : &*found;
    }
    const CollectedStore* find(std::uint64_t line) const { return const_cast<CollectedStores*>(this)->find(line); }
    // The first to be sent; null: all are.
    CollectedStore* oldest() {
        const auto found = std::ranges::find(entries_, false, &CollectedStore::sent);
        return found == entries_.end() ? nullptr : &*found;
    }
    // When the next is due; never, if all are sent.
    std::uint64_t due() const {
        const auto found = std::ranges::find(entries_, false, &CollectedStore::sent);
        return found == entries_.end() ? never : found->due;
    }
    CollectedStore& open(std::uint64_t line, std::uint64_t due) {
        return entries_.emplace_back(CollectedStore{line, 0, due, false, {}});
    }
    void answered(std::uint64_t line) {
        std::erase_if(entries_, [&](const CollectedStore& one) { return one.line == line; });
    }
    std::size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }
    const std::vector<CollectedStore>& all() const { return entries_; }
    void serialise(Archive& archive) { archive(entries_); }

private:
    std::vector<CollectedStore> entries_;  // few; in the order in which they were opened
};
static_assert(is_listed<CollectedStores, 24>);

}  // namespace croftsim
