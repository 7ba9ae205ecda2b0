#pragma once
// The sections of a program's file, by name. System V ABI, edition 4.1, chapter 4.

#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "debug_info/reader.hpp"

namespace croftsim::debug_info {

struct Section {
    std::string_view name;
    std::uint64_t address = 0;
    std::uint32_t link = 0;  // the number of the section that this one refers to
    Bytes bytes;
};

class Sections {
public:
    // Makes `size` bytes of what zlib has compressed, or nothing.
    using Inflate = std::function<std::vector<std::uint8_t>(Bytes, std::uint64_t size)>;

    // They refer to `file`. None of a file that has damaged headers, or that is not ELF of 64 bits, little-endian.
    Sections(Bytes file, Budget& budget, const Inflate& inflate);

    // Without bytes if there is none.
    Section find(std::string_view name) const;
    Section at(std::uint64_t number) const;

private:
    void read(Bytes file, Budget& budget, const Inflate& inflate);
    Bytes inflated(Bytes compressed, Budget& budget, const Inflate& inflate);

    std::vector<Section> sections_;
    std::deque<std::vector<std::uint8_t>> inflated_;  // what sections refer to that are compressed in the file
};

}  // namespace croftsim::debug_info
