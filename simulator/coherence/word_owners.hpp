#pragma once
// The owners of the words of a bank's lines. Mostly a line's words all have one owner, and the line keeps it. Only
// while they have several, the line has a row in a table of the bank, with an owner for each word.
//
// A row's entries of words that nobody owns mean nothing. So two rules are enough, and each change of a line ends with
// them:
//
//   - a line has a row if and only if its owned words have more than one owner;
//   - no two lines have the same row.
//
// A row is given back as soon as the line can do without it. So a line that leaves, owned by nobody, has none, and the
// table is as long as there have been such lines at a time.

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "cache/private_l1.hpp"

namespace croftsim {

// The part in the line. Zero bytes: nobody owns anything.
struct OwnedWords {
    std::uint64_t owned = 0;  // bytes, always whole words, whose latest value an owner has
    std::uint32_t row = 0;    // 1 for the table's first; 0: none, and `owner` has all of these
    std::uint16_t owner = 0;
};

class WordOwners {
public:
    std::uint32_t owner_of(const OwnedWords& line, std::size_t word) const {
        return line.row ? rows_[line.row - 1][word] : line.owner;
    }
    std::uint64_t owned_by(const OwnedWords& line, std::uint32_t tile) const {
        if (!line.row) return line.owner == tile ? line.owned : 0;
        std::uint64_t bytes = 0;
        for_each_word(line.owned, [&](std::size_t word) {
            if (owner_of(line, word) == tile) bytes |= mask_of(word);
        });
        return bytes;
    }
    // The tile is the one owner of these bytes, whole words, from now on.
    void give(OwnedWords& line, std::uint64_t bytes, std::uint32_t tile) {
        assert(bytes == words_of(bytes));
        const auto owner = static_cast<std::uint16_t>(tile);
        const bool by_others = (line.owned & ~bytes) != 0 && (line.row || line.owner != owner);
        line.owned |= bytes;
        if (!by_others) return keep_in_line(line, owner);
        if (!line.row) line.row = new_row(line.owner);
        for_each_word(bytes, [&](std::size_t word) { rows_[line.row - 1][word] = owner; });
        do_without_row(line);
    }
    // Nobody is the owner of these bytes, whole words, from now on.
    void take(OwnedWords& line, std::uint64_t bytes) {
        assert(bytes == words_of(bytes));
        line.owned &= ~bytes;
        if (line.row) do_without_row(line);
    }

    std::size_t rows_in_use() const { return rows_.size() - free_.size(); }
    bool has(const OwnedWords& line) const { return line.row <= rows_.size(); }
    void serialise(Archive& archive) {
        archive(rows_, free_);
        if (free_.size() > rows_.size()) Archive::damaged();
        for (const std::uint32_t row : free_)
            if (row == 0 || row > rows_.size()) Archive::damaged();
    }

private:
    using Row = std::array<std::uint16_t, line_bytes / 4>;

    static constexpr std::uint64_t mask_of(std::size_t word) { return std::uint64_t{15} << (4 * word); }
    template <class Visit>
    static void for_each_word(std::uint64_t bytes, Visit visit) {
        for (; bytes;) {
            const auto word = static_cast<std::size_t>(std::countr_zero(bytes)) / 4;
            bytes &= ~mask_of(word);
            visit(word);
        }
    }

    std::uint32_t new_row(std::uint16_t owner) {
        if (free_.empty()) {
            rows_.emplace_back();
            free_.push_back(static_cast<std::uint32_t>(rows_.size()));
        }
        const std::uint32_t row = free_.back();
        free_.pop_back();
        rows_[row - 1].fill(owner);
        return row;
    }
    void keep_in_line(OwnedWords& line, std::uint16_t owner) {
        if (line.row) free_.push_back(line.row);
        line.row = 0;
        line.owner = owner;
    }
    // If the words have one owner again, or none.
    void do_without_row(OwnedWords& line) {
        if (line.owned == 0) return keep_in_line(line, 0);
        const std::uint32_t first = owner_of(line, static_cast<std::size_t>(std::countr_zero(line.owned)) / 4);
        bool is_only = true;
        for_each_word(line.owned, [&](std::size_t word) { is_only &= owner_of(line, word) == first; });
        if (is_only) keep_in_line(line, static_cast<std::uint16_t>(first));
    }

    std::vector<Row> rows_;
    std::vector<std::uint32_t> free_;  // the next to be taken last
};
static_assert(is_listed<WordOwners, 48>);

}  // namespace croftsim
