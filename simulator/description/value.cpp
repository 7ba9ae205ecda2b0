#include "description/value.hpp"

#include "description/joined.hpp"

namespace croftsim {

const Value* Table::find(const std::string& key) const {
    for (const auto& [name, value] : entries)
        if (name == key) return std::holds_alternative<std::monostate>(value.is) ? nullptr : &value;
    return nullptr;
}

void Table::add(std::string key, Value value) { entries.emplace_back(std::move(key), std::move(value)); }

std::string Value::text() const {
    struct Text {
        std::string operator()(std::monostate) const { return "nothing"; }
        std::string operator()(bool value) const { return value ? "true" : "false"; }
        std::string operator()(std::int64_t value) const { return std::to_string(value); }
        std::string operator()(double value) const { return joined(value); }
        std::string operator()(const std::string& value) const { return joined("'", value, "'"); }
        std::string operator()(const Table&) const { return "a table"; }
        std::string operator()(const List& value) const { return value.empty() ? "[]" : "a list"; }
        std::string operator()(const Other& value) const { return value.text; }
    };
    return std::visit(Text{}, is);
}

}  // namespace croftsim
