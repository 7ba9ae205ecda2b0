#pragma once
// A set of tiles, as a directory keeps it: one bit each, and as many words as the machine needs. The first 64 tiles'
// word is in the line. A machine of more tiles has the others beside its lines (line_cache.hpp), so a smaller one pays
// nothing for them. A directory is consulted at every request, so only the words in use are looked at.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace croftsim {

// The part in the line. Its zero bytes are the empty set, if those of the further words are zero, too.
class Sharers {
public:
    static constexpr bool is_plain = true;
    // How many words beside the line may hold a bit; those behind them are zero.
    std::uint32_t further() const { return further_; }

private:
    friend class SharerSet;
    std::uint64_t first_ = 0;
    std::uint32_t further_ = 0;
};

// The whole set. It is a view: the words are elsewhere, and outlive it.
class SharerSet {
public:
    static constexpr std::uint32_t capacity = 1024;  // tiles of the largest machine

    // How many words beside the line a machine of so many tiles needs.
    static constexpr std::uint32_t further_words(std::uint32_t tiles) { return tiles > 64 ? (tiles - 1) / 64 : 0; }

    SharerSet(Sharers& in_line, std::uint64_t* beside) : in_line_(in_line), beside_(beside) {}

    void add(std::uint32_t tile) {
        in_line_.further_ = std::max(in_line_.further_, tile / 64);
        word(tile / 64) |= bit(tile);
    }
    void remove(std::uint32_t tile) { word(tile / 64) &= ~bit(tile); }
    bool contains(std::uint32_t tile) const { return (word(tile / 64) & bit(tile)) != 0; }
    void clear() {
        for (std::uint32_t i = 0; i < words(); ++i) word(i) = 0;
        in_line_.further_ = 0;
    }
    bool empty() const {
        for (std::uint32_t i = 0; i < words(); ++i)
            if (word(i)) return false;
        return true;
    }
    bool empty_but_for(std::uint32_t tile) const {
        for (std::uint32_t i = 0; i < words(); ++i)
            if (word(i) & ~(i == tile / 64 ? bit(tile) : 0)) return false;
        return true;
    }
    std::uint32_t size() const {
        std::uint32_t total = 0;
        for (std::uint32_t i = 0; i < words(); ++i) total += static_cast<std::uint32_t>(std::popcount(word(i)));
        return total;
    }
    template <class Visit>
    void for_each(Visit visit) const {  // in ascending order
        for (std::uint32_t i = 0; i < words(); ++i)
            for (auto left = word(i); left; left &= left - 1)
                visit(i * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
    }

private:
    static constexpr std::uint64_t bit(std::uint32_t tile) { return std::uint64_t{1} << (tile % 64); }
    std::uint32_t words() const { return 1 + in_line_.further_; }
    std::uint64_t& word(std::uint32_t i) const { return i == 0 ? in_line_.first_ : beside_[i - 1]; }

    Sharers& in_line_;
    std::uint64_t* beside_;
};

}  // namespace croftsim
