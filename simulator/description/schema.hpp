#pragma once
// The list of all keys that a machine file may have.

#include <cstdint>
#include <string>
#include <vector>

#include "contract/description.hpp"

namespace croftsim {

struct Key {
    enum class Kind : std::uint8_t { number, real, label, word, list, table };
    Kind kind;
    std::string name;
    std::string meaning;  // of a table: a sentence about it
    std::string allowed;  // "integer from 1 to 3"
    std::string unit;
    bool optional = false;
    std::uint32_t least = 0, most = 0;  // of a number, or of how many a list has
    std::vector<Key> keys;              // of a table, or of a list's tables
};

std::vector<Key> schema();
// The keys at the top of a kind of core.
std::vector<std::string> names_of(CoreKind kind);

}  // namespace croftsim
