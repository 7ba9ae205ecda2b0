#pragma once
// Which word was meant.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace croftsim {

// Letters to insert, remove or change to make one word of the other (Levenshtein, 1965).
inline std::size_t letters_between(const std::string& one, const std::string& other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t changed = diagonal + (one[i] != other[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

// The known word that differs from `word` in the fewest letters; empty if that is half of it or more.
inline std::string nearest(const std::string& word, const std::vector<std::string>& known) {
    std::string found;
    std::size_t fewest = (word.size() + 1) / 2;
    for (const std::string& one : known) {
        const std::size_t letters = letters_between(word, one);
        if (letters < fewest) fewest = letters, found = one;
    }
    return found;
}

}  // namespace croftsim
