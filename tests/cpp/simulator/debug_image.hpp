#pragma once
// Builds the tables of a program's debug information for tests, right ones and wrong ones.

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace croftsim {

class TableBytes {
public:
    TableBytes& number(std::uint64_t value, unsigned size) {
        for (unsigned i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
        return *this;
    }
    TableBytes& u8(std::uint64_t value) { return number(value, 1); }
    TableBytes& u16(std::uint64_t value) { return number(value, 2); }
    TableBytes& u32(std::uint64_t value) { return number(value, 4); }
    TableBytes& u64(std::uint64_t value) { return number(value, 8); }
    TableBytes& text(std::string_view value) {
        bytes.insert(bytes.end(), value.begin(), value.end());
        return u8(0);
    }
    // Numbers of a byte each, LEB128 below 128 among them.
    TableBytes& all(std::initializer_list<int> values) {
        for (const int value : values) u8(static_cast<std::uint64_t>(value));
        return *this;
    }
    TableBytes& table(const TableBytes& other) {
        bytes.insert(bytes.end(), other.bytes.begin(), other.bytes.end());
        return *this;
    }
    // `other`, behind its length.
    TableBytes& unit(const TableBytes& other) { return u32(other.bytes.size()).table(other); }

    std::vector<std::uint8_t> bytes;
};

// Sections by name. The symbol table's texts are the section ".strtab".
struct DebugImage {
    std::map<std::string, TableBytes> sections;
    std::map<std::string, std::uint64_t> addresses;

    std::vector<std::uint8_t> bytes() const {
        TableBytes names, contents, headers;
        names.u8(0);
        headers.bytes.resize(64);  // of the section that is none
        std::uint64_t number = 0, texts = 0;
        for (const auto& [name, table] : sections)
            if (++number, name == ".strtab") texts = number;
        const auto header = [&](const std::string& name, const TableBytes& table, std::uint64_t address) {
            const bool has_texts = name == ".symtab";
            headers.u32(names.bytes.size()).u32(1).u64(0).u64(address).u64(64 + contents.bytes.size());
            headers.u64(table.bytes.size()).u32(has_texts ? texts : 0).u32(0).u64(1).u64(0);
            names.text(name);
            contents.table(table);
        };
        for (const auto& [name, table] : sections) {
            const auto address = addresses.find(name);
            header(name, table, address == addresses.end() ? 0 : address->second);
        }
        // The names are the last section, and its own name is among them.
        TableBytes all_names = names;
        all_names.text(".shstrtab");
        header(".shstrtab", all_names, 0);
        TableBytes file;
        file.all({0x7f, 'E', 'L', 'F', 2, 1, 1}).bytes.resize(16);
        file.u16(2).u16(243).u32(1).u64(0).u64(0).u64(64 + contents.bytes.size());
        file.u32(0).u16(64).u16(56).u16(0).u16(64).u16(sections.size() + 2).u16(sections.size() + 1);
        return file.table(contents).table(headers).bytes;
    }
};

}  // namespace croftsim
