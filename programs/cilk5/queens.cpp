// cilk5-nq of paper 002, table III (as Cilk-5's queens). It counts in how many ways N queens can stand on a board of N
// x N so that none attacks another. The columns of every row are a parallel loop whose tasks try `grain` of them. A
// task that has placed the last queen adds one to the word that all share. The authors' port of the kernel does so too
// (docs/evidence/big-tiny.md, section 8).

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "../common/forks.hpp"
#include "../common/kernel.hpp"

namespace {

using namespace programs;

constexpr std::size_t most = 16;

// The column of the queen in each row so far.
using board = std::array<std::int8_t, most>;

// Whether none of the first `rows` queens attacks another.
bool is_safe(const board& queens, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = i + 1; j < rows; ++j) {
            const int apart = queens[j] - queens[i], distance = static_cast<int>(j - i);
            if (apart == 0 || apart == distance || apart == -distance) return false;
        }
    return true;
}

template <class Forks>
struct search {
    std::size_t size, grain;
    std::atomic<std::uint64_t>& found;

    // Goes through the ways in which the rows from `row` on can be filled.
    void go_on(const board& queens, std::size_t row) const {
        if (row == size) return add_one();
        Forks::for_each(
            std::size_t{0}, size,
            [&](std::size_t column) {
                board next = queens;
                next[row] = static_cast<std::int8_t>(column);
                if (is_safe(next, row + 1)) go_on(next, row + 1);
            },
            grain);
    }
    void add_one() const {
        if constexpr (std::is_same_v<Forks, in_sequence>)
            found.store(found.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        else
            found.fetch_add(1, std::memory_order_relaxed);
    }
};

class kernel {
public:
    static constexpr const char* name = "cilk5-nq";
    static constexpr const char* purpose = "Counts solutions of the queens problem (paper 002, table III).";

    void declare(options& line) {
        line.number<std::size_t>("--size", size_, 1, most, "rows, columns, queens");
        line.number<std::size_t>("--grain", grain_, 0, most, "columns of a row that one task tries; 0: as it pleases");
    }
    void prepare() {}
    template <class Runtime>
    void parallel() {
        search<by_tasks<Runtime>>{size_, grain_, found_}.go_on({}, 0);
    }
    void serial() { search<in_sequence>{size_, grain_, found_}.go_on({}, 0); }

    void check(verification how) {
        constexpr std::array<std::uint64_t, most + 1> known{0,   1,   0,    0,     2,     10,     4,       40,      92,
                                                            352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
        check(known[size_]);
        if (how == verification::full) check(by_masks((1u << size_) - 1, 0, 0, 0));
    }
    std::string numbers() const { return "size=" + std::to_string(size_) + " grain=" + std::to_string(grain_) + " "; }

private:
    void check(std::uint64_t expected) {
        const std::uint64_t found = found_.fetch_or(0, std::memory_order_relaxed);  // not what a cache may have kept
        if (found != expected)
            throw std::runtime_error("found " + std::to_string(found) + " solutions instead of " +
                                     std::to_string(expected));
    }
    // Another program: columns and diagonals under attack as bits.
    static std::uint64_t by_masks(unsigned all, unsigned columns, unsigned left, unsigned right) {
        if (columns == all) return 1;
        std::uint64_t found = 0;
        for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
            const unsigned at = free & -free;
            found += by_masks(all, columns | at, (left | at) << 1, (right | at) >> 1);
        }
        return found;
    }

    std::size_t size_ = 10, grain_ = 3;
    std::atomic<std::uint64_t> found_{0};
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
