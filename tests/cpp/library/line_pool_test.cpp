// Lines with a home: runs within shared pages, pages of their own for long ones, and what is given back used again.

#include <croft/memory/line_pool.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t line = croft::port::cache_line;

struct world {
    std::vector<std::pair<void*, int>> pages;
    std::vector<void*> returned;
    bool out_of_memory = false;
    int no_such_home = 99;
    ~world() {
        for (auto& [memory, home] : pages) ::operator delete(memory, std::align_val_t{4096});
    }
};
struct pages_of {
    world* in;
    void* get(std::size_t bytes) {
        if (in->out_of_memory) return nullptr;
        void* memory = ::operator new(bytes, std::align_val_t{4096});
        std::memset(memory, 0, bytes);
        return memory;
    }
    void put(void* memory, std::size_t) {
        in->returned.push_back(memory);
        ::operator delete(memory, std::align_val_t{4096});
    }
    bool set_home(void* memory, std::size_t, int home) {
        if (home == in->no_such_home) return false;
        in->pages.push_back({memory, home});
        return true;
    }
};
using pool = croft::detail::line_pool<pages_of>;

}  // namespace

TEST_CASE("channels of one home share its pages, those of two homes share none") {
    world in;
    pool lines(pages_of{&in});
    std::set<void*> all;
    for (std::size_t i = 0; i < pool::page_lines; ++i) all.insert(lines.allocate(line, 5));
    CHECK(all.size() == pool::page_lines);
    CHECK(in.pages.size() == 1);
    for (void* memory : all) CHECK(reinterpret_cast<std::uintptr_t>(memory) % line == 0);
    lines.allocate(1, 5);
    CHECK(in.pages.size() == 2);
    lines.allocate(1, 6);
    REQUIRE(in.pages.size() == 3);
    CHECK(in.pages.back().second == 6);
}

TEST_CASE("a run lies in one page and overlaps no other, and what is given back is used again") {
    world in;
    pool lines(pages_of{&in});
    const std::size_t sizes[] = {1, 3 * line, 17 * line, line + 1, pool::page_bytes, 40 * line, 2 * line};
    struct run {
        unsigned char* at;
        std::size_t size;
        unsigned char mark;
    };
    std::vector<run> held;
    for (unsigned step = 0; step < 2000; ++step) {
        if (held.size() > 20 || (step % 3 == 2 && !held.empty())) {
            const run one = held[step * 7 % held.size()];
            held.erase(held.begin() + step * 7 % held.size());
            for (std::size_t i = 0; i < one.size; ++i) REQUIRE(one.at[i] == one.mark);
            lines.deallocate(one.at, one.size, 1);
        } else {
            const std::size_t size = sizes[step % 7];
            run one{static_cast<unsigned char*>(lines.allocate(size, 1)), size, static_cast<unsigned char>(step)};
            CHECK(reinterpret_cast<std::uintptr_t>(one.at) / 4096 ==
                  (reinterpret_cast<std::uintptr_t>(one.at) + size - 1) / 4096);
            std::memset(one.at, one.mark, size);
            held.push_back(one);
        }
    }
    CHECK(in.pages.size() < 25);
}

TEST_CASE("a long run has pages of its own, and they serve the next one of its length") {
    world in;
    pool lines(pages_of{&in});
    const std::size_t size = 3 * pool::page_bytes - 5;
    void* first = lines.allocate(size, 2);
    void* second = lines.allocate(size, 2);
    CHECK(first != second);
    lines.deallocate(first, size, 2);
    CHECK(lines.allocate(size, 3) != first);
    CHECK(lines.allocate(size, 2) == first);
    CHECK(in.pages.size() == 3);
}

TEST_CASE("what cannot be had is said, and nothing is lost") {
    world in;
    pool lines(pages_of{&in});
    CHECK_THROWS_AS(lines.allocate(1, 99), std::invalid_argument);
    CHECK(in.returned.size() == 1);
    in.out_of_memory = true;
    CHECK_THROWS_AS(lines.allocate(1, 1), std::bad_alloc);
    CHECK_THROWS_AS(lines.allocate(100000, 1), std::bad_alloc);
    in.out_of_memory = false;
    CHECK(lines.allocate(1, 1) != nullptr);
    CHECK(lines.allocate(100000, 1) != nullptr);
}
