#pragma once
// The program's one address space: which pages there are, what may be done with them, where their lines live, and
// the DRAM behind them. Caches are indexed by virtual address: there is one program, so no two names for a byte.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace croftsim {

struct Permission {
    enum : std::uint8_t { none = 0, read = 1, write = 2, execute = 4 };  // as PROT_*
};

struct Page {
    static constexpr std::uint16_t default_home = 0xffff;  // the machine's policy
    std::uint8_t* dram = nullptr;       // null until first written: reads as zeros
    bool mapped = false;
    std::uint8_t permission = Permission::none;
    std::uint16_t home = default_home;  // the tile that homes all of the page's lines
};

class AddressSpace {
public:
    static constexpr std::uint64_t page_bytes = 4096;
    static constexpr std::uint64_t limit = std::uint64_t{1} << 38;  // Sv39's user half
    static constexpr std::uint64_t mmap_top = limit - (std::uint64_t{1} << 30);

    AddressSpace();
    ~AddressSpace();

    // All ranges are whole pages: callers round. Mapping over something replaces it with zeros.
    // False, and nothing changed, if the range is not inside [page_bytes, limit).
    bool map(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission);
    void unmap(std::uint64_t address, std::uint64_t bytes);
    bool protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission);  // false if there is a hole
    void set_home(std::uint64_t address, std::uint64_t bytes, std::uint16_t tile);

    // The highest free range of that size below mmap_top, or 0.
    std::uint64_t find_free(std::uint64_t bytes) const;
    // The mapped region that holds the address, as [first, end), or [0, 0): what one map() made, or neighbours merged.
    std::pair<std::uint64_t, std::uint64_t> region(std::uint64_t address) const;

    const Page* find(std::uint64_t address) const;  // null if not mapped
    Page* find(std::uint64_t address);
    // Whether all of [address, address + bytes) is mapped and allows `permission`.
    bool allows(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;

    // DRAM itself, past every cache: for loading a program, for memory controllers, for tests.
    void read_dram(std::uint64_t address, void* to, std::uint64_t bytes) const;
    void write_dram(std::uint64_t address, const void* from, std::uint64_t bytes);

    std::uint64_t resident_bytes() const;

private:
    struct Leaf;
    Page* slot(std::uint64_t address, bool create);
    std::uint8_t* back(Page& page);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    std::map<std::uint64_t, std::uint64_t> regions_;  // first -> end, disjoint
    std::vector<std::uint8_t*> free_pages_;
    std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
    std::uint64_t resident_pages_ = 0;
};

}  // namespace croftsim
