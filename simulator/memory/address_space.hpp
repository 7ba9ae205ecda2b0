#pragma once
// The program's one address space: which pages there are, what may be done with them, where their lines live, and
// the DRAM behind them. Caches are indexed by virtual address: there is one program, so no two names for a byte.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "memory/huge_pages.hpp"

namespace croftsim {

struct Permission {
    enum : std::uint8_t { none = 0, read = 1, write = 2, execute = 4 };  // as PROT_*
};

struct Page {
    // `home` is a tile's number, or one of these: the machine's policy, a hash of the line's number, the line's number
    // modulo the tiles, none. With none every tile is its own home, and nobody keeps their copies coherent.
    static constexpr std::uint16_t default_home = 0xffff, hashed = 0xfffe, round_robin = 0xfffd, incoherent = 0xfffc;
    static constexpr std::uint8_t striped = 0xff;  // `controller` is a controller's number, or this
    std::uint8_t* dram = nullptr;                  // null until first written: reads as zeros
    bool mapped = false;
    std::uint8_t permission = Permission::none;
    std::uint8_t controller = striped;  // the memory controller that holds it
    std::uint16_t home = default_home;  // the tile that homes all of the page's lines
};

class AddressSpace {
public:
    static constexpr std::uint64_t page_bytes = 4096;
    static constexpr std::uint64_t limit = std::uint64_t{1} << 38;  // Sv39's user half
    static constexpr std::uint64_t mmap_top = limit - (std::uint64_t{1} << 30);

    AddressSpace();
    ~AddressSpace();
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;

    // All ranges are whole pages: callers round. Mapping over something replaces it with zeros.
    // False, and nothing changed, if the range is not inside [page_bytes, limit).
    bool map(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission);
    void unmap(std::uint64_t address, std::uint64_t bytes);
    bool protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission);  // false if there is a hole
    void set_home(std::uint64_t address, std::uint64_t bytes, std::uint16_t tile);
    void set_controller(std::uint64_t address, std::uint64_t bytes, std::uint8_t controller);
    // Makes every mapped page of the range read as zeros; permissions and homes stay.
    void clear(std::uint64_t address, std::uint64_t bytes);
    // Moves mapped pages with their contents, permissions and homes. `to` must be mapped, and not overlap `from`.
    // Its old contents are lost, and the pages of `from` are unmapped.
    void move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes);

    // The highest free range of that size below mmap_top, or 0.
    std::uint64_t find_free(std::uint64_t bytes) const;
    // The mapped region that holds the address, as [first, end), or [0, 0): what one map() made, or neighbours merged.
    std::pair<std::uint64_t, std::uint64_t> region(std::uint64_t address) const;

    const Page* find(std::uint64_t address) const {  // null if not mapped
        if (address >= limit) return nullptr;
        const Leaf* leaf = leaves_[address / leaf_bytes].get();
        if (!leaf) return nullptr;
        const Page& page = leaf->pages[address / page_bytes % leaf_pages];
        return page.mapped ? &page : nullptr;
    }
    Page* find(std::uint64_t address) { return const_cast<Page*>(std::as_const(*this).find(address)); }
    // Whether all of [address, address + bytes) is mapped and allows `permission`.
    bool allows(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;

    // DRAM itself, past every cache: for loading a program, for memory controllers, for tests. Where nothing is mapped
    // a read gives zeros and a write is dropped: a write-back may be on its way when its page is unmapped.
    void read_dram(std::uint64_t address, void* to, std::uint64_t bytes) const;
    void write_dram(std::uint64_t address, const void* from, std::uint64_t bytes);

    // Not more than so many bytes get DRAM: whoever writes to one page more has GuestFault thrown (0: no limit).
    void limit_resident(std::uint64_t bytes) { most_resident_pages_ = bytes ? bytes / page_bytes : no_limit; }

    void serialise(Archive& archive);

    // Of pages that allow something: what is only reserved is no memory.
    std::uint64_t open_bytes() const { return open_pages_ * page_bytes; }
    std::uint64_t open_bytes(std::uint64_t address, std::uint64_t bytes) const;    // of these in a range
    std::uint64_t resident_bytes() const { return resident_pages_ * page_bytes; }  // pages that have DRAM

private:
    // A leaf describes 32 MiB with 136 KiB: an untouched 8 MiB stack costs the host 34 KiB.
    static constexpr std::uint64_t leaf_pages = 8192;
    static constexpr std::uint64_t leaf_bytes = leaf_pages * page_bytes;
    struct Leaf {
        std::array<Page, leaf_pages> pages;
        // The permissions of each page, once more. A miss in a cache asks nothing else. For pages that are only asked
        // this, the host's caches have room for a hundred megabytes.
        std::array<std::uint8_t, leaf_pages> access{};
    };
    static constexpr std::uint8_t is_mapped = 0x80;  // in `access`, beside the permission
    static std::uint8_t access_of(const Page& page) { return page.mapped ? is_mapped | page.permission : 0; }
    static bool is_open(const Page& page) { return page.mapped && page.permission != Permission::none; }

    template <class Visit>
    void for_each_page(std::uint64_t address, std::uint64_t bytes, Visit visit);
    // To set a page, and what goes with that.
    void set(Page& page, const Page& by) {
        open_pages_ += is_open(by);
        open_pages_ -= is_open(page);
        page = by;
    }
    Page& slot(std::uint64_t address);
    void replace(std::uint64_t address, const Page& by);
    std::uint8_t* back(Page& page);
    void release(Page& page);
    void erase_region(std::uint64_t first, std::uint64_t end);
    void insert_region(std::uint64_t first, std::uint64_t end);

    std::vector<std::unique_ptr<Leaf>> leaves_;
    std::map<std::uint64_t, std::uint64_t> regions_;  // first -> end; disjoint, and never adjacent
    std::vector<std::uint8_t*> free_pages_;
    std::vector<std::vector<std::uint8_t, HugePages<std::uint8_t>>> chunks_;
    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};
    std::uint64_t resident_pages_ = 0;
    std::uint64_t most_resident_pages_ = no_limit;
    std::uint64_t open_pages_ = 0;
};
static_assert(is_listed<AddressSpace, 144> && is_listed<Page, 16>);

}  // namespace croftsim
