#pragma once
// Lines with a given home. Homes are set for whole pages, and channels need a few lines. So many channels share a page
// of their home, and the next channel with that home uses the lines that they give back. A page keeps its home for
// ever, because giving it another would take every copy of it out of every cache.
//
// A run of at most a page lies within one page: a bit a line tells which are taken. A longer one is pages of its own,
// which serve runs of the same number of pages afterwards.
//
// Each page is filled from a line of its own on (its colour; Bonwick 1994). Pages, and memory that malloc aligns to
// still larger blocks, all begin in the same set of a small cache. The lines used most would lie there. The next page
// of the same home goes on from its colour. Suppose many channels are made one after the other, and the receiver looks
// at every k-th line. Then the lines of one page lie between those of the other. For that k must not divide page_lines
// - further, a prime.
//
// Any thread may call; a lock is held, so a channel is not to be made where every cycle counts.
//
// Pages is where pages come from: void* get(bytes), lined up on page_bytes, or null; put(memory, bytes);
// bool set_home(memory, bytes, home). A pool that outlives a fork names the lock that it needs: Pages::lock
// (thread/forks.hpp).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <croft/port/port.hpp>

namespace croft::detail {

template <class Pages>
struct lock_of {
    using type = std::mutex;
};
template <class Pages>
    requires requires { typename Pages::lock; }
struct lock_of<Pages> {
    using type = typename Pages::lock;
};

template <class Pages>
class line_pool {
    static constexpr std::size_t line = port::cache_line;

public:
    static constexpr std::size_t page_bytes = 4096;
    static constexpr std::size_t page_lines = page_bytes / line;
    static_assert(page_lines <= 64);
    static constexpr std::size_t further = 17;

    explicit line_pool(Pages pages = {}) : pages_(std::move(pages)) {}

    // `size` bytes rounded up to lines, with this home. Throws std::bad_alloc; std::invalid_argument if the machine has
    // no such home.
    void* allocate(std::size_t size, int home) {
        const std::size_t count = size == 0 ? 1 : (size + line - 1) / line;
        const std::lock_guard guard(lock_);
        if (count > page_lines) return long_run(count, home);
        own_pages& own = homes_[home];
        while (own.full < own.shared.size() && own.shared[own.full].taken == ~std::uint64_t{0}) ++own.full;
        for (std::size_t i = own.full; i < own.shared.size(); ++i)
            if (const int first = find_free(own.shared[i], count); first >= 0) return take(own.shared[i], first, count);
        own.shared.reserve(own.shared.size() + 1);  // so that a page, once got, is not lost
        own.by_address.reserve(own.shared.size() + 1);
        auto* const memory = static_cast<unsigned char*>(get(page_bytes, home));
        own.by_address.insert(own.behind(memory), {memory, own.shared.size()});
        colour_ += 13;
        own.shared.push_back({memory, 0, own.shared.empty() ? colour_ : own.shared.back().colour + further});
        return take(own.shared.back(), find_free(own.shared.back(), count), count);
    }
    void deallocate(void* memory, std::size_t size, int home) noexcept {
        const std::size_t count = size == 0 ? 1 : (size + line - 1) / line;
        const std::lock_guard guard(lock_);
        if (count > page_lines) {
            // Room was reserved when it was got.
            homes_.find(home)->second.unused.find(pages_of(count))->second.push_back(memory);
            return;
        }
        own_pages& own = homes_.find(home)->second;
        auto* const bytes = static_cast<unsigned char*>(memory);
        const std::size_t number = std::prev(own.behind(bytes))->second;
        page& it = own.shared[number];
        it.taken &= ~(run(count) << (static_cast<std::size_t>(bytes - it.memory) / line));
        own.full = std::min(own.full, number);
    }

private:
    struct page {
        unsigned char* memory;
        std::uint64_t taken;  // a bit a line
        std::size_t colour;   // modulo the lines of a page, where it is begun
    };
    struct own_pages {
        std::vector<page> shared;
        std::vector<std::pair<unsigned char*, std::size_t>> by_address;  // where each lies, and which it is
        std::size_t full = 0;                                            // so many are, the first ones
        std::map<std::size_t, std::vector<void*>> unused;                // by their number of pages
        std::map<std::size_t, std::size_t> got;                          // how many there are, used or not

        auto behind(unsigned char* memory) {
            return std::upper_bound(by_address.begin(), by_address.end(), memory,
                                    [](unsigned char* at, const auto& one) { return at < one.first; });
        }
    };

    static std::size_t pages_of(std::size_t count) { return (count + page_lines - 1) / page_lines; }
    static std::uint64_t run(std::size_t count) {
        return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }
    // The first line of a free run of so many, looked for from the page's colour on; -1 if there is none. By words,
    // because a network has hundreds of parts.
    static int find_free(const page& in, std::size_t count) {
        std::uint64_t runs = ~in.taken;  // a bit for each line at which a free run of `have` begins
        for (std::size_t have = 1; have < count && runs != 0;) {
            const std::size_t more = std::min(have, count - have);
            runs &= runs >> more;
            have += more;
        }
        if (runs == 0) return -1;
        const std::uint64_t from_colour = runs & ~std::uint64_t{0} << in.colour % page_lines;
        return std::countr_zero(from_colour ? from_colour : runs);
    }
    static void* take(page& from, int first, std::size_t count) {
        from.taken |= run(count) << first;
        return from.memory + static_cast<std::size_t>(first) * line;
    }
    void* long_run(std::size_t count, int home) {
        own_pages& own = homes_[home];
        std::vector<void*>& unused = own.unused[pages_of(count)];
        if (unused.empty()) {
            std::size_t& got = own.got[pages_of(count)];
            unused.reserve(got + 1);
            void* const memory = get(pages_of(count) * page_bytes, home);
            ++got;
            return memory;
        }
        void* const memory = unused.back();
        unused.pop_back();
        return memory;
    }
    void* get(std::size_t bytes, int home) {
        void* const memory = pages_.get(bytes);
        if (!memory) throw std::bad_alloc();
        if (!pages_.set_home(memory, bytes, home)) {
            pages_.put(memory, bytes);
            throw std::invalid_argument("croft: this machine cannot home a page at core " + std::to_string(home));
        }
        return memory;
    }

    typename detail::lock_of<Pages>::type lock_;
    std::map<int, own_pages> homes_;
    std::size_t colour_ = 0;
    Pages pages_;
};

}  // namespace croft::detail
