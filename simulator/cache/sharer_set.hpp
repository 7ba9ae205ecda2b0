#pragma once
// A set of tiles, as a directory keeps it: one bit each. A directory is consulted at every request, so only the words
// in use are looked at. On a machine of up to 64 tiles that is one word.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace croftsim {

class SharerSet {
public:
    static constexpr std::uint32_t capacity = 1024;

    void add(std::uint32_t tile) {
        used_ = std::max(used_, tile / 64 + 1);
        words_[tile / 64] |= std::uint64_t{1} << (tile % 64);
    }
    void remove(std::uint32_t tile) { words_[tile / 64] &= ~(std::uint64_t{1} << (tile % 64)); }
    bool contains(std::uint32_t tile) const { return (words_[tile / 64] >> (tile % 64)) & 1; }
    void clear() {
        for (std::uint32_t i = 0; i < used_; ++i) words_[i] = 0;
        used_ = 0;
    }
    bool empty() const {
        for (std::uint32_t i = 0; i < used_; ++i)
            if (words_[i]) return false;
        return true;
    }
    bool empty_but_for(std::uint32_t tile) const {
        for (std::uint32_t i = 0; i < used_; ++i)
            if (words_[i] & ~(i == tile / 64 ? std::uint64_t{1} << (tile % 64) : 0)) return false;
        return true;
    }
    std::uint32_t size() const {
        std::uint32_t total = 0;
        for (std::uint32_t i = 0; i < used_; ++i) total += static_cast<std::uint32_t>(std::popcount(words_[i]));
        return total;
    }
    template <class Visit>
    void for_each(Visit visit) const {  // in ascending order
        for (std::uint32_t i = 0; i < used_; ++i)
            for (auto word = words_[i]; word; word &= word - 1)
                visit(i * 64 + static_cast<std::uint32_t>(std::countr_zero(word)));
    }

private:
    std::uint32_t used_ = 0;  // words that may hold a bit; those beyond are zero
    std::array<std::uint64_t, capacity / 64> words_{};
};

}  // namespace croftsim
