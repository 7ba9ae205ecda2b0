#pragma once
// Builds ELF files for tests, right ones and wrong ones.

#include <cstdint>
#include <cstring>
#include <vector>

namespace croftsim {

struct ElfImage {
    struct Header {
        std::uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
        std::uint16_t type = 2, machine = 243;
        std::uint32_t version = 1;
        std::uint64_t entry = 0x10000, program_headers = 64, section_headers = 0;
        std::uint32_t flags = 5;
        std::uint16_t size = 64, program_header_size = 56, program_header_count = 0, section_header_size = 0,
                      section_header_count = 0, names = 0;
    };
    struct Segment {
        std::uint32_t type = 1, flags = 5;
        std::uint64_t offset = 0, address = 0x10000, physical = 0, file_bytes = 0, bytes = 0, alignment = 4096;
    };

    Header header;
    std::vector<Segment> segments;
    std::vector<std::uint8_t> contents;  // of the file from offset 4096 on

    // A program of one page that holds nothing but an ecall, and a page of data of which the file has 8 bytes.
    static ElfImage program() {
        ElfImage image;
        image.contents = {0x73, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
        image.segments.push_back({1, 5, 4096, 0x10000, 0, 4, 4, 4096});
        image.segments.push_back({1, 6, 4100, 0x12000, 0, 8, 4096, 4096});
        return image;
    }

    std::vector<std::uint8_t> bytes() const {
        Header h = header;
        h.program_header_count = static_cast<std::uint16_t>(segments.size());
        std::vector<std::uint8_t> file(4096 + contents.size());
        std::memcpy(file.data(), &h, sizeof h);
        if (!segments.empty()) std::memcpy(file.data() + 64, segments.data(), segments.size() * sizeof(Segment));
        if (!contents.empty()) std::memcpy(file.data() + 4096, contents.data(), contents.size());
        return file;
    }
};

}  // namespace croftsim
