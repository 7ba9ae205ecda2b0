#pragma once
// The contents of a machine file: tables of values by their keys, in the file's order.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace croftsim {

struct Value;
using List = std::vector<Value>;

struct Table {
    std::vector<std::pair<std::string, Value>> entries;

    // Null if there is none, or nothing.
    const Value* find(const std::string& key) const;
    void add(std::string key, Value value);
};

struct Value {
    // Anything that no key may have, in the words of the file.
    struct Other {
        std::string text;
    };
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Table, List, Other> is;

    std::string text() const;  // for sentences about it
};

}  // namespace croftsim
