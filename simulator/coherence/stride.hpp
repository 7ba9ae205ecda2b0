#pragma once
// Prefetches at the distance that lines of one page have had twice in a row (after Baer and Chen, Supercomputing 1991).
// It goes by pages and not by instructions, because an L1 does not see those. It remembers so many pages. The one that
// was wanted least recently makes room.

#include <algorithm>
#include <cstdint>

#include "cache/line_cache.hpp"
#include "coherence/prefetcher.hpp"

namespace croftsim {

class Stride final : public Prefetcher {
public:
    explicit Stride(const PrefetchDescription& description) : degree_(description.degree), pages_(description.pages) {}

    void wants(std::uint64_t line, std::vector<std::uint64_t>& wanted) override {
        const std::uint64_t number = line / page_bytes;
        auto page = std::ranges::find(pages_, number, &Page::number);
        if (page == pages_.end()) {
            page = std::ranges::min_element(pages_, {}, &Page::used);
            *page = {number, line, 0, 0};
        }
        page->used = ++clock_;
        const auto distance = static_cast<std::int64_t>(line - page->last);
        if (distance == 0) return;
        if (distance == page->distance)
            for (std::uint32_t ahead = 1; ahead <= degree_; ++ahead)
                wanted.push_back(line + ahead * static_cast<std::uint64_t>(distance));
        page->last = line;
        page->distance = distance;
    }
    void serialise(Archive& archive) override { archive(pages_, clock_); }

private:
    static constexpr std::uint64_t page_bytes = 4096;
    struct Page {
        static constexpr bool is_plain = true;
        std::uint64_t number = ~std::uint64_t{0}, last = 0;
        std::int64_t distance = 0;
        std::uint64_t used = 0;
    };
    const std::uint32_t degree_;
    std::vector<Page> pages_;
    std::uint64_t clock_ = 0;
};

}  // namespace croftsim
