#include "machine/description_file.hpp"

#include <charconv>
#include <fstream>
#include <map>
#include <stdexcept>

#include "machine/description_keys.hpp"

namespace croftsim {
namespace {

class FlatReader {
public:
    explicit FlatReader(std::istream& from) {
        for (std::string line; std::getline(from, line);) {
            if (line.empty() || line.front() == '#') continue;
            const std::size_t equals = line.find(" = ");
            if (equals == std::string::npos)
                throw std::invalid_argument("machine description: the line \"" + line + "\" is not \"key = value\"");
            values_[line.substr(0, equals)] = {line.substr(equals + 3), false};
        }
    }

    void read(const std::string& key, std::string& value) {
        const std::string& text = find(key);
        if (text.size() < 2 || text.front() != '"' || text.back() != '"')
            throw std::invalid_argument("machine description: " + key + " = " + text + " is no text in quotes");
        value = text.substr(1, text.size() - 2);
    }
    template <class Number>
    void read(const std::string& key, Number& value) {
        const std::string& text = find(key);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size())
            throw std::invalid_argument("machine description: " + key + " = " + text + " is no number that fits");
    }
    bool has(const std::string& key) const {
        const auto first = values_.lower_bound(key + ".");
        return values_.contains(key) || (first != values_.end() && first->first.starts_with(key + "."));
    }
    std::size_t count(const std::string& list) const {
        std::size_t count = 0;
        while (has(list + "." + std::to_string(count))) ++count;
        return count;
    }
    // Throws if there is a key that nobody has asked for.
    void check_all_used() const {
        for (const auto& [key, value] : values_)
            if (!value.used) throw std::invalid_argument("machine description: there is no key " + key);
    }

private:
    struct Value {
        std::string text;
        bool used = false;
    };

    const std::string& find(const std::string& key) {
        const auto found = values_.find(key);
        if (found == values_.end()) throw std::invalid_argument("machine description: the key " + key + " is missing");
        found->second.used = true;
        return found->second.text;
    }

    std::map<std::string, Value> values_;
};

}  // namespace

MachineDescription read_machine(std::istream& from) {
    FlatReader reader(from);
    MachineDescription machine = read_description(reader);
    reader.check_all_used();
    return machine;
}

MachineDescription read_machine_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument("machine description " + path + ": the file cannot be read");
    return read_machine(file);
}

}  // namespace croftsim
