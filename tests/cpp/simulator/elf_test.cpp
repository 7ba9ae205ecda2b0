#include "kernel/elf.hpp"

#include <doctest/doctest.h>

#include <random>

#include "contract/simulation.hpp"
#include "elf_image.hpp"
#include "memory/address_space.hpp"

using namespace croftsim;

namespace {

std::string refusal(const std::vector<std::uint8_t>& file) {
    try {
        parse_elf(file);
    } catch (const BadProgram& bad) {
        return bad.what();
    }
    return "accepted";
}

template <class Change>
std::string refusal_after(Change change) {
    ElfImage image = ElfImage::program();
    change(image);
    return refusal(image.bytes());
}

}  // namespace

TEST_CASE("a right program is accepted") {
    const std::vector<std::uint8_t> file = ElfImage::program().bytes();
    const Elf elf = parse_elf(file);
    CHECK(elf.entry == 0x10000);
    REQUIRE(elf.segments.size() == 2);
    CHECK(elf.segments[0].permission == (Permission::read | Permission::execute));
    CHECK(elf.segments[1].permission == (Permission::read | Permission::write));
    CHECK(elf.segments[1].address == 0x12000);
    CHECK(elf.segments[1].bytes == 4096);
    CHECK(elf.segments[1].file.size() == 8);
    CHECK(elf.segments[1].file[7] == 8);
    CHECK(elf.headers_address == 0);  // no segment holds them
    CHECK_FALSE(elf.relocates_itself);
}

TEST_CASE("the program headers are found in the segment that holds them") {
    ElfImage image = ElfImage::program();
    image.segments[0].offset = 0;
    image.segments[0].file_bytes = image.segments[0].bytes = 4100;
    image.segments[1].address = 0x20000;
    const std::vector<std::uint8_t> file = image.bytes();
    CHECK(parse_elf(file).headers_address == 0x10040);
    CHECK(parse_elf(file).headers == 2);
}

TEST_CASE("what is no RISC-V program is refused with its reason") {
    const auto file = ElfImage::program().bytes();
    const auto cut = [&](std::size_t bytes) { return std::vector<std::uint8_t>(file.begin(), file.begin() + bytes); };
    CHECK(refusal({}) == "the program is not an ELF file");
    CHECK(refusal({'#', '!', '/', 'b', 'i', 'n'}) == "the program is not an ELF file");
    CHECK(refusal(cut(10)) == "the program is truncated: its ELF header is incomplete");
    CHECK(refusal(cut(63)) == "the program is truncated: its ELF header is incomplete");
    CHECK(refusal(cut(100)) == "the program is truncated: its program headers are incomplete");
    CHECK(refusal(cut(4103)) == "the program is truncated: segment 1 is incomplete");
    CHECK(refusal_after([](ElfImage& i) { i.header.machine = 62; }) ==
          "the program is an x86-64 program, not one for RISC-V");
    CHECK(refusal_after([](ElfImage& i) { i.header.machine = 183; }).starts_with("the program is an AArch64 program"));
    CHECK(refusal_after([](ElfImage& i) { i.header.machine = 9999; }).find("ELF machine 9999") != std::string::npos);
    CHECK(refusal_after([](ElfImage& i) { i.header.ident[4] = 1; }) ==
          "the program is a 32-bit program; the simulated cores are RV64GC");
    CHECK(refusal_after([](ElfImage& i) { i.header.ident[5] = 2; }) ==
          "the program is big-endian; the simulated cores are little-endian RV64GC");
    CHECK(refusal_after([](ElfImage& i) { i.header.ident[4] = 9; }) ==
          "the program has an ELF header of an unknown kind");
    CHECK(refusal_after([](ElfImage& i) { i.header.flags = 8; }).find("RV64E") != std::string::npos);
}

TEST_CASE("what is not linked as a static program is refused with its reason") {
    CHECK(refusal_after([](ElfImage& i) { i.header.type = 1; }) ==
          "the program is an object file; it has to be linked");
    CHECK(refusal_after([](ElfImage& i) { i.header.type = 4; }) == "the program is a core dump, not a program");
    CHECK(refusal_after([](ElfImage& i) { i.header.type = 77; }) == "the program is not an executable file");
    CHECK(refusal_after([](ElfImage& i) { i.header.type = 3; }) ==
          "the program is a shared library; link it with -static");
    CHECK(refusal_after([](ElfImage& i) { i.segments.push_back({3, 4, 9000, 0, 0, 4, 4, 1}); }) ==
          "the program is truncated: the name of its interpreter is incomplete");
}

TEST_CASE("a program may name its interpreter, which is moved to a base of its own") {
    ElfImage image = ElfImage::program();
    const char path[] = "/lib/ld.so";
    image.contents.insert(image.contents.end(), path, path + sizeof path);
    image.segments.push_back({3, 4, 4096 + 12, 0, 0, sizeof path, sizeof path, 1});
    const auto file = image.bytes();
    CHECK(parse_elf(file).interpreter == path);
    CHECK(parse_elf(file).entry == 0x10000);
    image.header.type = 3;  // a PIE, which need not say so itself
    const auto moved = image.bytes();
    CHECK(parse_elf(moved).entry == Elf::pie_base + 0x10000);

    ElfImage linker = ElfImage::program();
    linker.header.type = 3;
    const auto shared = linker.bytes();
    const Elf elf = parse_elf(shared, Elf::interpreter_base);
    CHECK(elf.entry == Elf::interpreter_base + 0x10000);
    CHECK(elf.segments[1].address == Elf::interpreter_base + 0x12000);
    CHECK(elf.interpreter.empty());
}

TEST_CASE("impossible segments are refused") {
    CHECK(refusal_after([](ElfImage& i) { i.segments.clear(); }) ==
          "the program has no program headers, so there is nothing to load");
    CHECK(refusal_after([](ElfImage& i) {
              for (auto& s : i.segments) s.type = 2;
          }) == "the program has no segments to load");
    CHECK(refusal_after([](ElfImage& i) { i.header.program_header_size = 32; }) ==
          "the program has program headers of an unknown size");
    CHECK(refusal_after([](ElfImage& i) { i.header.program_headers = ~std::uint64_t{0} - 8; }) ==
          "the program is truncated: its program headers are incomplete");
    CHECK(refusal_after([](ElfImage& i) { i.segments[0].offset = ~std::uint64_t{0}; }) ==
          "the program is truncated: segment 0 is incomplete");
    CHECK(refusal_after([](ElfImage& i) { i.segments[1].bytes = 4; }) ==
          "the program has more bytes in segment 1 than memory for them");
    CHECK(refusal_after([](ElfImage& i) { i.segments[1].bytes = ~std::uint64_t{0}; }) ==
          "the program asks for more than 4 GiB of memory in segment 1");
    CHECK(refusal_after([](ElfImage& i) {
              i.segments[0].bytes = i.segments[1].bytes = std::uint64_t{3} << 30;
              i.segments[1].address = std::uint64_t{1} << 33;
          }) == "the program asks for more than 4 GiB of memory in its segments");
    const std::string outside = "the program has segment 1 outside the addresses 0x1000 to 0x2000000000";
    CHECK(refusal_after([](ElfImage& i) { i.segments[1].address = 0; }) == outside);
    CHECK(refusal_after([](ElfImage& i) { i.segments[1].address = ~std::uint64_t{0} - 100; }) == outside);
    CHECK(refusal_after([](ElfImage& i) { i.segments[1].address = Elf::last_address - 4; }) == outside);
    CHECK(refusal_after([](ElfImage& i) { i.segments[1].address = 0x10002; }) ==
          "the program has segments that overlap");
    const std::string entry = "the program starts outside its executable segments";
    CHECK(refusal_after([](ElfImage& i) { i.header.entry = 0x12000; }) == entry);
    CHECK(refusal_after([](ElfImage& i) { i.header.entry = 0x10004; }) == entry);
    CHECK(refusal_after([](ElfImage& i) { i.header.entry = 0x10001; }) == entry);
    CHECK(refusal_after([](ElfImage& i) { i.header.entry = ~std::uint64_t{0} - 1; }) == entry);
}

TEST_CASE("a static-pie is moved to its base") {
    ElfImage image = ElfImage::program();
    image.header.type = 3;
    for (auto& segment : image.segments) segment.address -= 0x10000;
    image.header.entry = 0;
    const std::uint64_t dynamic[] = {0x6ffffffb, 0x08000001, 0, 0};
    image.contents.resize(16);
    image.contents.insert(image.contents.end(), reinterpret_cast<const std::uint8_t*>(dynamic),
                          reinterpret_cast<const std::uint8_t*>(dynamic) + sizeof dynamic);
    image.segments.push_back({2, 6, 4096 + 16, 0, 0, sizeof dynamic, sizeof dynamic, 8});
    const std::vector<std::uint8_t> file = image.bytes();
    const Elf elf = parse_elf(file);
    CHECK(elf.relocates_itself);
    CHECK(elf.entry == Elf::pie_base);
    CHECK(elf.segments[1].address == Elf::pie_base + 0x2000);
}

// Whatever the bytes are, the outcome is a program within its bounds or a BadProgram.
TEST_CASE("damaged files are accepted within bounds or refused") {
    const std::vector<std::uint8_t> good = ElfImage::program().bytes();
    std::mt19937_64 random(7);
    int accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::uint8_t> file = good;
        const int damages = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < damages; ++i) {
            const std::size_t at = random() % 180;
            file[at] = random() % 3 == 0 ? 0xff : static_cast<std::uint8_t>(random());
        }
        if (random() % 4 == 0) file.resize(random() % file.size());
        try {
            const Elf elf = parse_elf(file);
            ++accepted;
            std::uint64_t end = Elf::first_address;
            for (const Elf::Segment& segment : elf.segments) {
                REQUIRE(segment.address >= end);
                REQUIRE(segment.bytes > 0);
                REQUIRE(segment.file.size() <= segment.bytes);
                end = segment.end();
                if (!segment.file.empty()) {
                    REQUIRE(segment.file.data() >= file.data());
                    REQUIRE(segment.file.data() + segment.file.size() <= file.data() + file.size());
                }
            }
            REQUIRE(end <= Elf::last_address);
        } catch (const BadProgram&) {
        }
    }
    CHECK(accepted > 100);
}
