#include "description/description_file.hpp"

#include <charconv>
#include <fstream>
#include <stdexcept>

#include "description/joined.hpp"
#include "description/read.hpp"

namespace croftsim {
namespace {

const std::string about = "machine description";

template <class Number>
bool is_all(const std::string& text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

Value value_of(const std::string& text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return {text.substr(1, text.size() - 2)};
    std::int64_t whole = 0;
    if (is_all(text, whole)) return {whole};
    double number = 0;
    // A whole number that does not fit stays as it was written.
    if (text.find_first_not_of("-0123456789") != std::string::npos && is_all(text, number)) return {number};
    return {Value::Other{text}};
}

// "controllers.0.row": entry 0 of a list, as far as these come in their order.
void put(Value& into, const std::string& key, Value value) {
    const std::size_t dot = key.find('.');
    const std::string first = key.substr(0, dot);
    std::size_t number = 0;
    if (is_all(first, number) && std::holds_alternative<Table>(into.is) && std::get<Table>(into.is).entries.empty())
        into.is = List{};
    Value* inner = nullptr;
    if (auto* list = std::get_if<List>(&into.is); list && is_all(first, number)) {
        if (number == list->size()) list->push_back({Table{}});
        if (number < list->size()) inner = &(*list)[number];
    } else if (auto* table = std::get_if<Table>(&into.is)) {
        if (!table->find(first)) table->add(first, {Table{}});
        for (auto& [name, found] : table->entries)
            if (name == first) inner = &found;
    }
    if (!inner) throw std::invalid_argument("the key " + key + " is out of place");
    if (dot == std::string::npos)
        *inner = std::move(value);
    else
        put(*inner, key.substr(dot + 1), std::move(value));
}

}  // namespace

MachineDescription read_machine(std::istream& from) {
    Value file{Table{}};
    for (std::string line; std::getline(from, line);) {
        if (line.empty() || line.front() == '#') continue;
        const std::size_t equals = line.find(" = ");
        if (equals == std::string::npos)
            throw std::invalid_argument(about + ": the line \"" + line + "\" is not \"key = value\"");
        try {
            put(file, line.substr(0, equals), value_of(line.substr(equals + 3)));
        } catch (const std::invalid_argument& wrong) {
            throw std::invalid_argument(joined(about, ": ", wrong.what(), ", in the line \"", line, "\""));
        }
    }
    const Reading reading = read(std::get<Table>(file.is));
    reading.problems.raise(about);
    return reading.machine;
}

MachineDescription read_machine_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument(about + " " + path + ": the file cannot be read");
    return read_machine(file);
}

}  // namespace croftsim
