#pragma once
// Every line of memory that a run has used, and by which cores, in bounded room.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cache/line_cache.hpp"
#include "contract/simulation.hpp"

namespace croftsim {

class LineTable {
public:
    static constexpr std::uint64_t page_bytes = 4096;
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    // One core's use of one line. Beside the reported numbers: the bytes that others have written since it last came to
    // the line. Once it has come there, these are the bytes that it has not used yet.
    struct Use : Lines::Use {
        std::uint64_t dirty = 0, unused_dirty = 0;
        bool has_come = false;
        std::unique_ptr<Use> next_use;
    };
    struct Line {
        std::uint64_t invalidations = 0, messages = 0, hops = 0;
        std::uint64_t written = 0;  // bytes, by whomever
        std::uint32_t allocation = Lines::nothing;
        std::uint32_t last_writer = nobody;
        bool read_since = true;  // by another core than the last writer, since that wrote
        bool of_stack = false;
        std::unique_ptr<Use> first_use;

        bool is_shared() const { return first_use && first_use->next_use; }
    };
    using Page = std::array<Line, page_bytes / line_bytes>;
    struct Found {
        Line* line = nullptr;
        Use* use = nullptr;  // null: there is no room for it
    };

    LineTable(std::uint32_t cores, std::uint64_t limit) : limit_(limit), recent_(cores) {}

    // A core mostly uses next the line that it has used just now.
    Found find(std::uint32_t core, std::uint64_t address) {
        const std::uint64_t number = address / line_bytes;
        Recent& recent = recent_[core][number % recent_[core].size()];
        if (recent.number != number) {
            Line* const line = find(address);
            Use* const use = line ? use_of(*line, core) : nullptr;
            if (!use) return {};
            recent = {number, {line, use}};
        }
        return recent.found;
    }
    // Null if there is no room for it.
    Line* find(std::uint64_t address) {
        Page* const page = page_numbered(address / page_bytes);
        return page ? &(*page)[address % page_bytes / line_bytes] : nullptr;
    }
    // Null if nobody has used its page.
    Line* look_up(std::uint64_t address) const {
        const auto found = pages_.find(address / page_bytes);
        return found == pages_.end() ? nullptr : &(*found->second)[address % page_bytes / line_bytes];
    }
    const std::unordered_map<std::uint64_t, std::unique_ptr<Page>>& pages() const { return pages_; }

    static Use* find_use(Line& line, std::uint32_t core) {
        for (Use* use = line.first_use.get(); use; use = use->next_use.get())
            if (use->core == core) return use;
        return nullptr;
    }

private:
    Use* use_of(Line& line, std::uint32_t core) {
        if (Use* const use = find_use(line, core)) return use;
        if (!has_room(sizeof(Use))) return nullptr;
        auto use = std::make_unique<Use>();
        use->core = core;
        use->next_use = std::move(line.first_use);
        return (line.first_use = std::move(use)).get();
    }
    bool has_room(std::uint64_t bytes) {
        if (used_ + bytes > limit_) return false;
        used_ += bytes;
        return true;
    }
    Page* page_numbered(std::uint64_t number) {
        if (const auto found = pages_.find(number); found != pages_.end()) return found->second.get();
        if (!has_room(sizeof(Page))) return nullptr;
        return (pages_[number] = std::make_unique<Page>()).get();
    }

    const std::uint64_t limit_;
    std::uint64_t used_ = 0;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    struct Recent {
        std::uint64_t number = ~std::uint64_t{0};
        Found found;
    };
    std::vector<std::array<Recent, 512>> recent_;
};

}  // namespace croftsim
