#include "debug_info/sections.hpp"

#include <algorithm>

namespace croftsim::debug_info {
namespace {

struct SectionHeader {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, bytes;
    std::uint32_t link, information;
    std::uint64_t alignment, entry_bytes;
};
static_assert(sizeof(SectionHeader) == 64);

constexpr std::uint32_t no_bits = 8;           // SHT_NOBITS
constexpr std::uint64_t is_compressed = 2048;  // SHF_COMPRESSED

}  // namespace

Sections::Sections(Bytes file, Budget& budget, const Inflate& inflate) {
    try {
        read(file, budget, inflate);
    } catch (const Damaged&) {
        sections_.clear();
    }
}

void Sections::read(Bytes file, Budget& budget, const Inflate& inflate) {
    constexpr std::uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1};
    if (file.size() < 64 || !std::equal(std::begin(ident), std::end(ident), file.begin())) throw Damaged{};
    const std::uint64_t first = Reader(file, 40).number(8);
    Reader counts(file, 58);
    if (counts.number(2) != sizeof(SectionHeader)) throw Damaged{};
    std::uint64_t count = counts.number(2);
    std::uint64_t names = counts.number(2);
    const auto header = [&](std::uint64_t number) {
        SectionHeader read;
        std::memcpy(&read, Reader(file, first).bytes((number + 1) * sizeof read).last(sizeof read).data(), sizeof read);
        return read;
    };
    // Numbers that do not fit stand in the first section's header.
    if (count == 0 && first != 0) count = header(0).bytes;
    if (names == 0xffff) names = header(0).link;
    if (count > file.size() / sizeof(SectionHeader) || names >= count) throw Damaged{};
    const auto contents = [&](const SectionHeader& of) {
        return of.type == no_bits ? Bytes{} : Reader(file, of.offset).bytes(of.bytes);
    };
    const Bytes texts = contents(header(names));
    for (std::uint64_t number = 0; number < count; ++number) {
        const SectionHeader read = header(number);
        Section section{Reader(texts, read.name, &budget).text(), read.address, read.link, contents(read)};
        if (read.flags & is_compressed) section.bytes = inflated(section.bytes, budget, inflate);
        sections_.push_back(section);
    }
}

Bytes Sections::inflated(Bytes compressed, Budget& budget, const Inflate& inflate) {
    Reader header(compressed);
    constexpr std::uint32_t zlib = 1;  // ELFCOMPRESS_ZLIB
    if (header.number(4) != zlib) return {};
    header.skip(4);
    const std::uint64_t size = header.number(8);
    header.skip(8);
    budget.spend(size);
    return inflated_.emplace_back(inflate(header.bytes(header.left()), size));
}

Section Sections::find(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Section::name);
    return found == sections_.end() ? Section{} : *found;
}

Section Sections::at(std::uint64_t number) const { return number < sections_.size() ? sections_[number] : Section{}; }

}  // namespace croftsim::debug_info
