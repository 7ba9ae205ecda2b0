#pragma once
// Prefetches the lines behind the one that is wanted (Smith, "Cache Memories", ACM Computing Surveys 14(3), 1982,
// section 2.1: one block lookahead, tagged).

#include "cache/line_cache.hpp"
#include "coherence/prefetcher.hpp"

namespace croftsim {

class NextLine final : public Prefetcher {
public:
    explicit NextLine(const PrefetchDescription& description) : degree_(description.degree) {}

    void wants(std::uint64_t line, std::vector<std::uint64_t>& wanted) override {
        for (std::uint32_t ahead = 1; ahead <= degree_; ++ahead) wanted.push_back(line + ahead * line_bytes);
    }

private:
    const std::uint32_t degree_;
};

}  // namespace croftsim
