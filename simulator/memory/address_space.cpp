#include "memory/address_space.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "contract/machine_services.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t chunk_pages = 512;  // DRAM is taken from the host in pieces of 2 MiB, a huge page

bool inside(std::uint64_t address, std::uint64_t bytes) {
    return bytes > 0 && address >= AddressSpace::page_bytes && address < AddressSpace::limit &&
           bytes <= AddressSpace::limit - address;
}

}  // namespace

AddressSpace::AddressSpace() : leaves_(limit / leaf_bytes) {}
AddressSpace::~AddressSpace() = default;

// Visits the mapped pages of a range, which it may change; leaves that do not exist are skipped as a whole.
template <class Visit>
void AddressSpace::for_each_page(std::uint64_t address, std::uint64_t bytes, Visit visit) {
    const std::uint64_t end = bytes < limit - std::min(address, limit) ? address + bytes : limit;
    for (std::uint64_t at = address; at < end;) {
        const std::uint64_t leaf_end = std::min(end, (at / leaf_bytes + 1) * leaf_bytes);
        if (Leaf* leaf = leaves_[at / leaf_bytes].get())
            for (; at < leaf_end; at += page_bytes) {
                const std::uint64_t index = at / page_bytes % leaf_pages;
                if (Page& page = leaf->pages[index]; page.mapped) {
                    visit(page);
                    leaf->access[index] = access_of(page);
                }
            }
        at = leaf_end;
    }
}

Page& AddressSpace::slot(std::uint64_t address) {
    std::unique_ptr<Leaf>& leaf = leaves_[address / leaf_bytes];
    if (!leaf) leaf = std::make_unique<Leaf>();
    return leaf->pages[address / page_bytes % leaf_pages];
}

void AddressSpace::replace(std::uint64_t address, const Page& by) {
    Page& page = slot(address);
    release(page);
    set(page, by);
    leaves_[address / leaf_bytes]->access[address / page_bytes % leaf_pages] = access_of(page);
}

// The page's DRAM, which it gets, zeroed, when it has none yet.
std::uint8_t* AddressSpace::back(Page& page) {
    if (page.dram) return page.dram;
    if (resident_pages_ >= most_resident_pages_)
        throw GuestFault(GuestFault::no_core,
                         "out of memory: the program has written to more than the " +
                             std::to_string(most_resident_pages_ * page_bytes >> 20) + " MiB that it may use",
                         137);
    if (free_pages_.empty()) {
        chunks_.emplace_back(chunk_pages * page_bytes);
        for (std::uint64_t i = chunk_pages; i-- > 0;) free_pages_.push_back(chunks_.back().data() + i * page_bytes);
    }
    page.dram = free_pages_.back();
    free_pages_.pop_back();
    std::memset(page.dram, 0, page_bytes);
    ++resident_pages_;
    return page.dram;
}

void AddressSpace::release(Page& page) {
    if (!page.dram) return;
    free_pages_.push_back(page.dram);
    page.dram = nullptr;
    --resident_pages_;
}

void AddressSpace::erase_region(std::uint64_t first, std::uint64_t end) {
    auto it = regions_.upper_bound(first);
    if (it != regions_.begin() && std::prev(it)->second > first) --it;
    while (it != regions_.end() && it->first < end) {
        const auto [region_first, region_end] = *it;
        it = regions_.erase(it);
        if (region_first < first) regions_.emplace(region_first, first);
        if (region_end > end) regions_.emplace(end, region_end);
    }
}

void AddressSpace::insert_region(std::uint64_t first, std::uint64_t end) {
    erase_region(first, end);
    if (auto next = regions_.find(end); next != regions_.end()) {
        end = next->second;
        regions_.erase(next);
    }
    auto previous = regions_.lower_bound(first);
    if (previous != regions_.begin() && (--previous)->second == first)
        previous->second = end;
    else
        regions_.emplace(first, end);
}

// The pages, each behind its number. A page's bytes follow if it has any; which are not zero is up to whoever
// compresses.
void AddressSpace::serialise(Archive& archive) {
    archive(regions_);
    if (archive.loads()) {
        for (const auto& [first, end] : regions_)
            if (first % page_bytes || end % page_bytes || first >= end || end > limit) Archive::damaged();
        for (auto& leaf : leaves_)
            if (leaf)
                for (Page& page : leaf->pages) release(page);
        leaves_.clear();
        leaves_.resize(limit / leaf_bytes);
        open_pages_ = 0;
    }
    for (const auto& [first, end] : regions_)
        for (std::uint64_t at = first; at < end; at += page_bytes) {
            Page page;
            if (!archive.loads()) page = *find(at);
            bool has_bytes = page.dram != nullptr;
            archive(page.permission, page.controller, page.home, has_bytes);
            if (archive.loads()) {
                page.mapped = true;
                replace(at, page);
                if (has_bytes) page.dram = back(*find(at));
            }
            if (has_bytes) archive.bytes(page.dram, page_bytes);
        }
}

bool AddressSpace::map(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) {
    if (!inside(address, bytes)) return false;
    for (std::uint64_t at = address; at < address + bytes; at += page_bytes) replace(at, {nullptr, true, permission});
    insert_region(address, address + bytes);
    return true;
}

void AddressSpace::unmap(std::uint64_t address, std::uint64_t bytes) {
    if (!inside(address, bytes)) return;
    for_each_page(address, bytes, [&](Page& page) {
        release(page);
        set(page, {});
    });
    erase_region(address, address + bytes);
}

bool AddressSpace::protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) {
    // Regions are never adjacent, so a range without holes lies in one.
    if (!inside(address, bytes) || region(address).second < address + bytes) return false;
    for_each_page(address, bytes, [&](Page& page) {
        Page by = page;
        by.permission = permission;
        set(page, by);
    });
    return true;
}

std::uint64_t AddressSpace::open_bytes(std::uint64_t address, std::uint64_t bytes) const {
    std::uint64_t pages = 0;
    for (std::uint64_t at = address; at < address + bytes; at += page_bytes)
        if (const Page* page = find(at)) pages += is_open(*page);
    return pages * page_bytes;
}

void AddressSpace::set_home(std::uint64_t address, std::uint64_t bytes, std::uint16_t tile) {
    for_each_page(address, bytes, [&](Page& page) { page.home = tile; });
}

void AddressSpace::set_controller(std::uint64_t address, std::uint64_t bytes, std::uint8_t controller) {
    for_each_page(address, bytes, [&](Page& page) { page.controller = controller; });
}

void AddressSpace::clear(std::uint64_t address, std::uint64_t bytes) {
    for_each_page(address, bytes, [&](Page& page) { release(page); });
}

void AddressSpace::move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    for (std::uint64_t done = 0; done < bytes; done += page_bytes) {
        Page& source = slot(from + done);
        replace(to + done, source);
        source.dram = nullptr;  // so that unmap() does not recycle what the other page has now
    }
    unmap(from, bytes);
}

std::uint64_t AddressSpace::find_free(std::uint64_t bytes) const {
    if (bytes == 0 || bytes > mmap_top) return 0;
    std::uint64_t end = mmap_top;
    for (auto it = regions_.lower_bound(mmap_top); it != regions_.begin();) {
        --it;
        if (it->second < end && end - it->second >= bytes) return end - bytes;
        end = std::min(end, it->first);
    }
    return end >= page_bytes + bytes ? end - bytes : 0;
}

std::pair<std::uint64_t, std::uint64_t> AddressSpace::region(std::uint64_t address) const {
    auto it = regions_.upper_bound(address);
    if (it == regions_.begin() || (--it)->second <= address) return {0, 0};
    return *it;
}

bool AddressSpace::allows(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const {
    if (bytes == 0) return true;
    if (address >= limit || bytes > limit - address) return false;
    const std::uint64_t end = address + bytes;
    const auto needed = static_cast<std::uint8_t>(is_mapped | permission);
    for (std::uint64_t at = address / page_bytes * page_bytes; at < end; at += page_bytes) {
        const Leaf* leaf = leaves_[at / leaf_bytes].get();
        if (!leaf || (leaf->access[at / page_bytes % leaf_pages] & needed) != needed) return false;
    }
    return true;
}

void AddressSpace::read_dram(std::uint64_t address, void* to, std::uint64_t bytes) const {
    auto* out = static_cast<std::uint8_t*>(to);
    while (bytes > 0) {
        const std::uint64_t offset = address % page_bytes, count = std::min(bytes, page_bytes - offset);
        const Page* page = find(address);
        if (page && page->dram)
            std::memcpy(out, page->dram + offset, count);
        else
            std::memset(out, 0, count);
        address += count;
        out += count;
        bytes -= count;
    }
}

void AddressSpace::write_dram(std::uint64_t address, const void* from, std::uint64_t bytes) {
    const auto* in = static_cast<const std::uint8_t*>(from);
    while (bytes > 0) {
        const std::uint64_t offset = address % page_bytes, count = std::min(bytes, page_bytes - offset);
        if (Page* page = find(address)) std::memcpy(back(*page) + offset, in, count);
        address += count;
        in += count;
        bytes -= count;
    }
}

}  // namespace croftsim
