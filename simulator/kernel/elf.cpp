#include "kernel/elf.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "contract/simulation.hpp"
#include "memory/address_space.hpp"

namespace croftsim {
namespace {

static_assert(std::endian::native == std::endian::little, "ELF structures are read as they lie in the file");

struct Header {
    std::uint8_t ident[16];
    std::uint16_t type, machine;
    std::uint32_t version;
    std::uint64_t entry, program_headers, section_headers;
    std::uint32_t flags;
    std::uint16_t size, program_header_size, program_header_count, section_header_size, section_header_count, names;
};
static_assert(sizeof(Header) == 64);

struct ProgramHeader {
    std::uint32_t type, flags;
    std::uint64_t offset, address, physical, file_bytes, bytes, alignment;
};
static_assert(sizeof(ProgramHeader) == Elf::header_bytes);

enum : std::uint32_t { type_relocatable = 1, type_executable = 2, type_shared = 3, type_core = 4 };
enum : std::uint32_t { load = 1, dynamic = 2, interpreter = 3, program_headers = 6 };

[[noreturn]] void refuse(const std::string& why) { throw BadProgram("the program " + why); }

std::string machine_name(std::uint16_t machine) {
    switch (machine) {
        case 3:
            return "an x86 program";
        case 8:
            return "a MIPS program";
        case 20:
        case 21:
            return "a PowerPC program";
        case 22:
            return "an IBM Z program";
        case 40:
            return "a 32-bit Arm program";
        case 62:
            return "an x86-64 program";
        case 183:
            return "an AArch64 program";
        case 188:
        case 191:
            return "a Tilera program";
        case 258:
            return "a LoongArch program";
        default:
            return "for the ELF machine " + std::to_string(machine);
    }
}

bool inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
    return offset <= size && bytes <= size - offset;
}

Header read_header(std::span<const std::uint8_t> file) {
    constexpr std::uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
    if (file.size() < 4 || !std::equal(std::begin(magic), std::end(magic), file.begin())) refuse("is not an ELF file");
    Header header{};
    std::memcpy(&header, file.data(), std::min(file.size(), sizeof header));
    if (file.size() < sizeof header.ident) refuse("is truncated: its ELF header is incomplete");
    constexpr std::size_t word_size = 4, byte_order = 5;
    if (header.ident[byte_order] == 2) refuse("is big-endian; the simulated cores are little-endian RV64GC");
    // The machine is at the same place in a 32-bit header, and says more than the word size does.
    constexpr std::uint16_t riscv = 243;
    if (file.size() >= 20 && header.machine != riscv)
        refuse("is " + machine_name(header.machine) + ", not one for RISC-V");
    if (header.ident[word_size] == 1) refuse("is a 32-bit program; the simulated cores are RV64GC");
    if (header.ident[word_size] != 2 || header.ident[byte_order] != 1) refuse("has an ELF header of an unknown kind");
    if (file.size() < sizeof header) refuse("is truncated: its ELF header is incomplete");
    if (header.type == type_relocatable) refuse("is an object file; it has to be linked");
    if (header.type == type_core) refuse("is a core dump, not a program");
    if (header.type != type_executable && header.type != type_shared) refuse("is not an executable file");
    constexpr std::uint32_t reduced_registers = 8;  // EF_RISCV_RVE
    if (header.flags & reduced_registers) refuse("is made for 16 registers (RV64E); the simulated cores are RV64GC");
    return header;
}

std::vector<ProgramHeader> read_program_headers(std::span<const std::uint8_t> file, const Header& header) {
    if (header.program_header_count == 0) refuse("has no program headers, so there is nothing to load");
    if (header.program_header_size != sizeof(ProgramHeader)) refuse("has program headers of an unknown size");
    const std::uint64_t bytes = std::uint64_t{header.program_header_count} * sizeof(ProgramHeader);
    if (!inside(header.program_headers, bytes, file.size())) refuse("is truncated: its program headers are incomplete");
    std::vector<ProgramHeader> headers(header.program_header_count);
    std::memcpy(headers.data(), file.data() + header.program_headers, bytes);
    return headers;
}

// Whether a shared object says of itself that it is a program (DF_1_PIE in DT_FLAGS_1).
bool is_pie(std::span<const std::uint8_t> file, const ProgramHeader& header) {
    constexpr std::uint64_t flags_1 = 0x6ffffffb, pie = 0x08000000;
    if (!inside(header.offset, header.file_bytes, file.size()))
        refuse("is truncated: its dynamic section is incomplete");
    for (std::uint64_t at = 0; at + 16 <= header.file_bytes; at += 16) {
        std::uint64_t entry[2];
        std::memcpy(entry, file.data() + header.offset + at, sizeof entry);
        if (entry[0] == 0) break;
        if (entry[0] == flags_1) return entry[1] & pie;
    }
    return false;
}

// Of the interpreter: a string with its terminating zero.
std::string read_path(std::span<const std::uint8_t> file, const ProgramHeader& header) {
    if (!inside(header.offset, header.file_bytes, file.size()) || header.file_bytes < 2 || header.file_bytes > 4096)
        refuse("is truncated: the name of its interpreter is incomplete");
    const auto* const text = reinterpret_cast<const char*>(file.data() + header.offset);
    return {text, ::strnlen(text, header.file_bytes)};
}

Elf::Segment read_segment(std::span<const std::uint8_t> file, const ProgramHeader& header, std::size_t index,
                          std::uint64_t base) {
    const std::string name = "segment " + std::to_string(index);
    if (!inside(header.offset, header.file_bytes, file.size())) refuse("is truncated: " + name + " is incomplete");
    if (header.file_bytes > header.bytes) refuse("has more bytes in " + name + " than memory for them");
    if (header.bytes > Elf::most_bytes) refuse("asks for more than 4 GiB of memory in " + name);
    if (header.address > Elf::last_address || header.address + base < Elf::first_address ||
        header.address + base + header.bytes > Elf::last_address)
        refuse("has " + name + " outside the addresses 0x1000 to 0x2000000000");
    Elf::Segment segment;
    segment.address = header.address + base;
    segment.bytes = header.bytes;
    segment.file = file.subspan(header.offset, header.file_bytes);
    // In the file 1 is execute and 4 is read; a page that can be written can be read.
    if (header.flags & 1) segment.permission |= Permission::execute;
    if (header.flags & 2) segment.permission |= Permission::write | Permission::read;
    if (header.flags & 4) segment.permission |= Permission::read;
    return segment;
}

}  // namespace

Elf parse_elf(std::span<const std::uint8_t> file, std::uint64_t base) {
    const Header header = read_header(file);
    const std::vector<ProgramHeader> headers = read_program_headers(file, header);
    const auto find = [&](std::uint32_t type) {
        return std::find_if(headers.begin(), headers.end(), [&](const ProgramHeader& h) { return h.type == type; });
    };
    Elf elf;
    if (const auto asked = find(interpreter); asked != headers.end()) elf.interpreter = read_path(file, *asked);
    if (header.type == type_shared) {
        const auto section = find(dynamic);
        const bool is_program = !elf.interpreter.empty() || (section != headers.end() && is_pie(file, *section));
        if (base == 0 && !is_program) refuse("is a shared library; link it with -static");
        elf.relocates_itself = true;
        if (base == 0) base = Elf::pie_base;
    } else {
        base = 0;
    }

    std::uint64_t total = 0;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        if (headers[i].type != load || headers[i].bytes == 0) continue;
        elf.segments.push_back(read_segment(file, headers[i], i, base));
        total += headers[i].bytes;
        if (total > Elf::most_bytes) refuse("asks for more than 4 GiB of memory in its segments");
    }
    if (elf.segments.empty()) refuse("has no segments to load");
    std::sort(elf.segments.begin(), elf.segments.end(),
              [](const Elf::Segment& a, const Elf::Segment& b) { return a.address < b.address; });
    for (std::size_t i = 1; i < elf.segments.size(); ++i)
        if (elf.segments[i].address < elf.segments[i - 1].end()) refuse("has segments that overlap");

    elf.entry = header.entry + base;
    if (elf.entry % 2 || std::none_of(elf.segments.begin(), elf.segments.end(), [&](const Elf::Segment& segment) {
            return segment.permission & Permission::execute && elf.entry >= segment.address &&
                   elf.entry < segment.end();
        }))
        refuse("starts outside its executable segments");

    const std::uint64_t table_bytes = headers.size() * sizeof(ProgramHeader);
    for (const ProgramHeader& h : headers)
        if (h.type == load && h.offset <= header.program_headers &&
            inside(header.program_headers - h.offset, table_bytes, h.file_bytes)) {
            elf.headers_address = h.address + base + (header.program_headers - h.offset);
            elf.headers = header.program_header_count;
            break;
        }
    return elf;
}

}  // namespace croftsim
