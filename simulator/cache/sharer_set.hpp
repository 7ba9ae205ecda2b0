#pragma once
// A set of tiles, as a directory keeps it: one bit each.

#include <array>
#include <bit>
#include <cstdint>

namespace croftsim {

class SharerSet {
public:
    static constexpr std::uint32_t capacity = 1024;

    void add(std::uint32_t tile) { words_[tile / 64] |= std::uint64_t{1} << (tile % 64); }
    void remove(std::uint32_t tile) { words_[tile / 64] &= ~(std::uint64_t{1} << (tile % 64)); }
    bool contains(std::uint32_t tile) const { return (words_[tile / 64] >> (tile % 64)) & 1; }
    void clear() { words_.fill(0); }
    bool empty() const {
        std::uint64_t all = 0;
        for (auto word : words_) all |= word;
        return all == 0;
    }
    bool empty_but_for(std::uint32_t tile) const {
        std::uint64_t all = 0;
        for (std::uint32_t i = 0; i < words_.size(); ++i)
            all |= words_[i] & ~(i == tile / 64 ? std::uint64_t{1} << (tile % 64) : 0);
        return all == 0;
    }
    std::uint32_t size() const {
        std::uint32_t total = 0;
        for (auto word : words_) total += static_cast<std::uint32_t>(std::popcount(word));
        return total;
    }
    template <class Visit>
    void for_each(Visit visit) const {  // in ascending order
        for (std::uint32_t i = 0; i < words_.size(); ++i)
            for (auto word = words_[i]; word; word &= word - 1)
                visit(i * 64 + static_cast<std::uint32_t>(std::countr_zero(word)));
    }

private:
    std::array<std::uint64_t, capacity / 64> words_{};
};

}  // namespace croftsim
